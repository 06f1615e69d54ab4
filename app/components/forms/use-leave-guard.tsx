import { useBlocker } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";

/**
 * Asks before a screen with unsaved changes is left; with `pages`, also before another page of its list is opened. Returns
 * the dialog to render, and `allow`, which lets the screen be left without asking.
 */
export function useLeaveGuard(dirty: boolean, { pages = false } = {}) {
  const leaving = useRef(false);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      dirty &&
      !leaving.current &&
      (currentLocation.pathname !== nextLocation.pathname ||
        (pages && currentLocation.search !== nextLocation.search)),
  );

  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [dirty]);

  const dialog = (
    <ConfirmDialog
      open={blocker.state === "blocked"}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      confirmLabel="Leave"
      cancelLabel="Stay"
      danger
      onConfirm={() => blocker.proceed?.()}
    >
      Your changes in this form have not been saved.
    </ConfirmDialog>
  );
  return {
    dialog,
    allow: () => {
      leaving.current = true;
    },
  };
}
