import { type ReactNode, useState } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { ShownOncePanel } from "#app/components/forms/shown-once-panel.tsx";
import { type ScreenFormState, useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";
import { MESSAGES } from "#app/entities/messages.ts";

/** A form that creates a secret and shows it once: in a dialog, or on the page in browsers without scripts. */
export function SecretForm<T>({
  intent,
  secretOf,
  copyLabel,
  advice,
  keyed = false,
  children,
}: {
  intent: string;
  /** See `useScreenForm`. */
  keyed?: boolean;
  secretOf: (result: T) => { title: string; secret: string };
  copyLabel: string;
  /** What to do with the secret. */
  advice: string;
  children: (form: ScreenFormState<T>) => ReactNode;
}) {
  const [shown, setShown] = useState<T>();
  const form = useScreenForm<T>({
    intent,
    keyed: keyed && "secret",
    failed: MESSAGES.unknownError,
    onDone: ({ result }) => result && setShown(result),
  });
  const posted = form.posted?.result;
  return (
    <>
      {posted && <ShownOncePanel {...secretOf(posted)}>{advice}</ShownOncePanel>}
      <ScreenForm state={form} className="flex flex-col gap-3">
        {children(form)}
      </ScreenForm>
      <ShownOnceDialog
        open={shown !== undefined}
        onClose={() => setShown(undefined)}
        {...(shown ? secretOf(shown) : { title: "", secret: "" })}
        copyLabel={copyLabel}
      >
        {advice}
      </ShownOnceDialog>
    </>
  );
}
