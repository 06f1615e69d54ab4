import { useId } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import { PasswordInput } from "./password-input.tsx";
import { PasswordRequirements } from "./password-requirements.tsx";

export type NewPasswordFormProps = {
  /** For the password manager, which then knows whose password it keeps. */
  username: string | undefined;
  label: string;
  /** The screen whose action takes it, where that is not the present one. */
  action?: "/change-password";
  onChanged: (message: string) => void;
  /** Asks before it is sent; false keeps everything as it is. */
  confirm?: () => Promise<boolean>;
};

/** New password, confirmed, with the requirements ticked off live; the server decides. */
export function NewPasswordForm({ username, label, action, onChanged, confirm }: NewPasswordFormProps) {
  const requirements = useId();
  const form = useScreenForm({
    intent: "new-password",
    action,
    confirm,
    failed: MESSAGES.passwordError,
    onDone: ({ message }) => onChanged(message || MESSAGES.passwordUpdated),
  });
  const typed = useFormValues(form.form)?.new_password?.[0] ?? "";
  return (
    <ScreenForm state={form} className="flex flex-col gap-4">
      <input type="text" name="username" autoComplete="username" defaultValue={username} readOnly hidden />
      <Field label="New password" error={form.problem("new_password")}>
        {(control) => (
          <PasswordInput
            {...control}
            aria-describedby={[control["aria-describedby"], requirements].filter(Boolean).join(" ")}
            name="new_password"
            autoComplete="new-password"
            maxLength={512}
          />
        )}
      </Field>
      <Field label="Confirm new password" error={form.problem("confirm_password")}>
        {(control) => (
          <PasswordInput {...control} name="confirm_password" autoComplete="new-password" maxLength={512} />
        )}
      </Field>
      <PasswordRequirements id={requirements} password={typed} />
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        pending={form.pending}
        pendingLabel="Saving…"
      >
        {label}
      </Button>
    </ScreenForm>
  );
}
