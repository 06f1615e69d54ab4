import { ShownOncePanel } from "#app/components/forms/shown-once-panel.tsx";
import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { TemporaryPassword } from "#app/entities/users/directory.ts";

export type TemporaryPasswordDialogProps = { shown: TemporaryPassword | undefined; onClose: () => void };

const ADVICE = "Give it to the user in person or by phone. The user chooses a new one at the first sign-in.";

/** Shows a temporary password, to be given to its user. */
export function TemporaryPasswordDialog({ shown, onClose }: TemporaryPasswordDialogProps) {
  return (
    <ShownOnceDialog
      open={shown !== undefined}
      onClose={onClose}
      title={`Temporary password of ${shown?.username}`}
      secret={shown?.temporary_password ?? ""}
      copyLabel="Copy the password"
    >
      It is shown only now and works until {shown && <LocalTime at={shown.valid_until} />}. {ADVICE}
    </ShownOnceDialog>
  );
}

/** Shows a temporary password on the page that answers a form without scripts. */
export function TemporaryPasswordPanel({
  message,
  shown,
}: {
  message: string | undefined;
  shown: TemporaryPassword | undefined;
}) {
  if (!shown) return null;
  return (
    <ShownOncePanel
      message={message}
      title={`Temporary password of ${shown.username}`}
      secret={shown.temporary_password}
    >
      It is shown only now and works until <LocalTime at={shown.valid_until} />. {ADVICE}
    </ShownOncePanel>
  );
}
