import { Circle, CircleCheck } from "lucide-react";
import { useId } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { PASSWORD_REQUIREMENTS } from "#app/entities/accounts/password-rules.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { PasswordInput } from "./password-input.tsx";

export type NewPasswordFormProps = {
  /** Tells password managers which account the password belongs to. */
  username: string | undefined;
  label: string;
  /** The screen whose action handles the form, if it is not the current one. */
  action?: "/change-password";
  onChanged: (message: string) => void;
  /** Asks the user before a password is sent that the server may accept; false cancels. */
  confirm?: () => Promise<boolean>;
};

/** New password with confirmation and a live list of requirements. The server makes the final check. */
export function NewPasswordForm({ username, label, action, onChanged, confirm }: NewPasswordFormProps) {
  const requirements = useId();
  const form = useScreenForm({
    intent: "new-password",
    action,
    confirm: confirm && (async (element) => !isConfirmed(element) || confirm()),
    failed: MESSAGES.passwordError,
    bug: MESSAGES.passwordFailed,
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

/** Returns whether both passwords are typed and equal. If not, the server refuses the form and says why. */
function isConfirmed(form: HTMLFormElement): boolean {
  const data = new FormData(form);
  const typed = data.get("new_password");
  return typed !== "" && typed === data.get("confirm_password");
}

/** The password requirements, each checked off as the user types. */
function PasswordRequirements({ id, password }: { id: string; password: string }) {
  return (
    <div id={id} className="text-sm">
      <p className="font-medium">Requirements</p>
      <ul className="mt-1 flex flex-col gap-0.5">
        {PASSWORD_REQUIREMENTS.map(({ key, label, holds }) => {
          const met = holds(password);
          const Mark = met ? CircleCheck : Circle;
          return (
            <li key={key} className={cx("flex items-center gap-1.5", met ? "text-ok" : "text-muted")}>
              <Mark aria-hidden="true" className="size-4 shrink-0" />
              {label}
              <span className="sr-only">{met ? "(met)" : "(not met)"}</span>
            </li>
          );
        })}
      </ul>
      <p className="mt-1.5 text-xs text-muted">
        Common passwords, your last ten passwords, and passwords based on your name, your agency's name or the
        product name are rejected. Long phrases and password managers work well.
      </p>
    </div>
  );
}
