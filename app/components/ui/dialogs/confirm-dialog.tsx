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
  /** The dialog is pending until the promise settles. It stays open if the promise rejects or returns false. */
  onConfirm: () => unknown;
};

/** Asks before an action that cannot be undone. The focus starts on Cancel. */
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
      // The action reported its error; the dialog stays open for another try.
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

export type Question = {
  title: string;
  body: ReactNode;
  confirm: string;
  pending?: string;
  cancel?: string;
  danger?: boolean;
  /** Returns false on failure; the dialog then stays open. */
  run: () => unknown;
};

/**
 * Opens a confirm dialog from an event handler: `ask` runs an action, `confirmed` returns whether the user agreed, for
 * the `confirm` of a form. The screen renders `dialog`.
 */
export function useConfirm() {
  const [asked, setAsked] = useState<Question & { onClose?: () => void }>();
  const confirmed = (question: Omit<Question, "run">) =>
    new Promise<boolean>((resolve) => {
      setAsked({ ...question, run: () => resolve(true), onClose: () => resolve(false) });
    });
  const close = () => {
    asked?.onClose?.();
    setAsked(undefined);
  };
  const dialog = asked && (
    <ConfirmDialog
      open
      onClose={close}
      title={asked.title}
      confirmLabel={asked.confirm}
      pendingLabel={asked.pending}
      cancelLabel={asked.cancel}
      danger={asked.danger}
      onConfirm={asked.run}
    >
      {asked.body}
    </ConfirmDialog>
  );
  return { ask: (question: Question) => setAsked(question), confirmed, dialog };
}
