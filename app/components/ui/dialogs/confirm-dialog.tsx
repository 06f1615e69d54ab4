import { type ReactNode, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "./dialog.tsx";

export type ConfirmDialogProps = {
  open: boolean;
  onClose: () => void;
  /** Names the object: "Delete group Stolen vehicles?" */
  title: ReactNode;
  /** What will happen to it. */
  children: ReactNode;
  confirmLabel: string;
  pendingLabel?: string;
  cancelLabel?: string;
  danger?: boolean;
  /** Stays open and pending until the promise settles; closes if it resolves, stays if it rejects or gives false. */
  onConfirm: () => unknown;
};

/** Asks before something that cannot be taken back. The focus starts on Cancel. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  children,
  confirmLabel,
  pendingLabel,
  cancelLabel = "Cancel",
  danger = false,
  onConfirm,
}: ConfirmDialogProps) {
  const [pending, setPending] = useState(false);
  const cancel = useRef<HTMLButtonElement>(null);

  async function confirm() {
    setPending(true);
    try {
      if ((await onConfirm()) !== false) onClose();
    } catch {
      // Whoever rejected has said why; the question stays, so that it can be tried again.
    } finally {
      setPending(false);
    }
  }

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      role="alertdialog"
      size="sm"
      locked={pending}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} onClick={onClose} disabled={pending}>
            {cancelLabel}
          </Button>
          <Button
            variant={danger ? "danger" : "primary"}
            pending={pending}
            pendingLabel={pendingLabel}
            onClick={confirm}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <div className="text-base">{children}</div>
    </Dialog>
  );
}
