import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { LogoutButton } from "#app/components/shell/logout-button.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { SECOND } from "#app/lib/time/dates.ts";
import { countdown } from "./plan.ts";

/** The last minutes of a session, and the way to go on. */
export function SessionWarning({
  until,
  final,
  onUsed,
}: {
  until: number;
  /** The twelve hours are nearly over: using the session does not prolong it. */
  final: boolean;
  onUsed: () => void;
}) {
  const [now, setNow] = useState(Date.now);
  const [pending, setPending] = useState(false);
  const [seen, setSeen] = useState(false);
  const goOn = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(timer);
  }, []);

  async function stay() {
    if (final) return setSeen(true);
    setPending(true);
    // Any call that is not made in the background counts as use.
    await callApi("/get-current-user", { handles401: true });
    setPending(false);
    onUsed();
  }

  return (
    <Dialog
      open={!seen}
      onClose={stay}
      role="alertdialog"
      size="sm"
      initialFocus={goOn}
      title={final ? "Your session ends soon" : "Are you still there?"}
      description={
        final
          ? "A session lasts only so long, however busy it is. You can sign in again at this place, and what you have typed stays."
          : "Nothing has been done here for a while. What you have typed stays if you sign in again."
      }
      footer={
        <>
          <LogoutButton />
          <Button ref={goOn} variant="primary" pending={pending} pendingLabel="Staying…" onClick={stay}>
            {final ? "I understand" : "Stay signed in"}
          </Button>
        </>
      }
    >
      <p className="text-lg">
        You will be signed out in{" "}
        <span role="timer" className="font-mono font-semibold tabular-nums">
          {countdown(until - now)}
        </span>
        .
      </p>
      <LiveRegion urgent>
        {until - now <= 30 * SECOND ? "You will be signed out in half a minute." : ""}
      </LiveRegion>
    </Dialog>
  );
}
