import { CircleAlert } from "lucide-react";
import { type FormEvent, useId, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import { ApiError, callApi, wasDeclined } from "./call-api.ts";
import { PasswordInput } from "./password-input.tsx";
import { PasswordRequirements } from "./password-requirements.tsx";

export type NewPasswordFormProps = {
  /** For the password manager, which then knows whose password it keeps. */
  username: string | undefined;
  /** Where the new password is sent, and what beside it. */
  path: "/reset-password" | "/user/reset-password";
  label: string;
  onChanged: (message: string) => void;
  /** Asks before it is sent; false keeps everything as it is. */
  confirm?: () => Promise<boolean>;
};

/** New password, confirmed, with the requirements ticked off live; the server decides. */
export function NewPasswordForm({ username, path, label, onChanged, confirm }: NewPasswordFormProps) {
  const requirements = useId();
  const form = useRef<HTMLFormElement>(null);
  const [password, setPassword] = useState("");
  const [repeated, setRepeated] = useState("");
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (pending) return;
    if (!password || !repeated) return setProblem(MESSAGES.passwordRequired);
    if (password !== repeated) return setProblem(MESSAGES.passwordsDiffer);
    setProblem("");
    if (confirm && !(await confirm())) return;
    setPending(true);
    try {
      const body = { username, new_password: password };
      const { msg } = await callApi<{ msg?: string }>(path, { method: "POST", body });
      setPassword("");
      setRepeated("");
      onChanged(msg ?? MESSAGES.passwordUpdated);
    } catch (error) {
      if (wasDeclined(error)) return;
      setProblem(
        error instanceof ApiError ? error.message || MESSAGES.passwordFailed : MESSAGES.passwordError,
      );
    } finally {
      setPending(false);
    }
  }

  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-4" noValidate>
      <div role="alert" className="empty:-mb-4">
        {problem && (
          <p className="flex items-start gap-2 rounded-md bg-hit-soft px-3 py-2 font-medium text-hit">
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
            {problem}
          </p>
        )}
      </div>
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <Field label="New password">
        {(control) => (
          <PasswordInput
            {...control}
            aria-describedby={requirements}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            autoComplete="new-password"
            maxLength={512}
          />
        )}
      </Field>
      <Field label="Confirm new password">
        {(control) => (
          <PasswordInput
            {...control}
            value={repeated}
            onChange={(event) => setRepeated(event.target.value)}
            autoComplete="new-password"
            maxLength={512}
          />
        )}
      </Field>
      <PasswordRequirements id={requirements} password={password} />
      <Button type="submit" variant="primary" className="self-start" pending={pending} pendingLabel="Saving…">
        {label}
      </Button>
    </form>
  );
}
