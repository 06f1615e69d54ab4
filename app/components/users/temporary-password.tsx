import { ShownOnceDialog } from "#app/components/ui/shown-once-dialog.tsx";
import type { TemporaryPassword } from "#app/entities/user.ts";
import { localTime } from "#app/lib/dates.ts";

export type TemporaryPasswordDialogProps = { shown: TemporaryPassword | undefined; onClose: () => void };

/** A temporary password for somebody else's first sign-in. */
export function TemporaryPasswordDialog({ shown, onClose }: TemporaryPasswordDialogProps) {
  return (
    <ShownOnceDialog
      open={shown !== undefined}
      onClose={onClose}
      title={`Temporary password of ${shown?.username}`}
      secret={shown?.temporary_password ?? ""}
      copyLabel="Copy the password"
    >
      It is shown only now and works until {localTime(shown?.valid_until ?? null)}. Give it to them in person
      or by telephone; they choose their own at the first sign-in.
    </ShownOnceDialog>
  );
}
