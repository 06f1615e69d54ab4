import type { ReactNode } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { Dialog } from "./dialog.tsx";

export type ShownOnceDialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Cannot be shown again after the dialog closes. */
  secret: string;
  copyLabel: string;
  /** What to do with it. */
  children: ReactNode;
};

/** Shows a secret that can be seen only now. */
export function ShownOnceDialog({ open, onClose, title, secret, copyLabel, children }: ShownOnceDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="flex items-center justify-between gap-2 rounded-md bg-sunken px-3 py-2">
          <code className="min-w-0 font-mono text-base break-all select-all">{secret}</code>
          <CopyButton text={secret} label={copyLabel} size="md" />
        </p>
        <p>{children}</p>
      </div>
    </Dialog>
  );
}
