import { Button } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import type { TemporaryPassword } from "#app/entities/user.ts";
import { localTime } from "#app/lib/dates.ts";

/** A temporary password in the one moment in which it can be seen. */
export function TemporaryPasswordDialog({
  shown,
  onClose,
}: {
  shown: TemporaryPassword | undefined;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={shown !== undefined}
      onClose={onClose}
      size="sm"
      title={`Temporary password of ${shown?.username}`}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="flex items-center justify-between gap-2 rounded-md bg-sunken px-3 py-2">
          <code className="font-mono text-lg break-all select-all">{shown?.temporary_password}</code>
          <CopyButton text={shown?.temporary_password ?? ""} label="Copy the password" size="md" />
        </p>
        <p className="text-base">
          It is shown only now and works until {localTime(shown?.valid_until ?? null)}. Give it to them in
          person or by telephone; they choose their own at the first sign-in.
        </p>
      </div>
    </Dialog>
  );
}
