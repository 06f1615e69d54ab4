import { ShownOncePanel } from "#app/components/forms/shown-once-panel.tsx";
import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { TemporaryPassword } from "#app/entities/users/directory.ts";
import { localTime } from "#app/lib/time/dates.ts";

export type TemporaryPasswordDialogProps = { shown: TemporaryPassword | undefined; onClose: () => void };

const ADVICE = "Give it to them in person or by telephone; they choose their own at the first sign-in.";

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
      It is shown only now and works until {localTime(shown?.valid_until ?? null)}. {ADVICE}
    </ShownOnceDialog>
  );
}

/** The same on the page that answers a form without scripts. */
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
