import { useRevalidator } from "@remix-run/react";
import { Dices } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { ApiError, callApi, wasDeclined } from "#app/components/account/call-api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { notify } from "#app/components/ui/notify.ts";
import { Select } from "#app/components/ui/select.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import { NewUser, type TemporaryPassword } from "#app/entities/user.ts";
import { generatedPassword } from "./generated-password.ts";
import { TemporaryPasswordDialog } from "./temporary-password.tsx";

type FieldName = keyof NewUser;

export type AddUserFormProps = {
  path: "/admin/add-user" | "/owner/add-user";
  /** The owner chooses among them; an administrator adds to their own. */
  agencies?: readonly { id: string; name: string }[];
};

/** Adds one user. The password is a temporary one, whoever thought of it, and shown once more to be passed on. */
export function AddUserForm({ path, agencies }: AddUserFormProps) {
  const { revalidate } = useRevalidator();
  const form = useRef<HTMLFormElement>(null);
  const [problems, setProblems] = useState<Partial<Record<FieldName, string>>>({});
  const [password, setPassword] = useState("");
  const [pending, setPending] = useState(false);
  const [added, setAdded] = useState<TemporaryPassword>();

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const values = Object.fromEntries(new FormData(event.currentTarget));
    const parsed = NewUser.safeParse(values);
    const found: Partial<Record<FieldName, string>> = {};
    if (!parsed.success)
      for (const { path, message } of parsed.error.issues) found[path[0] as FieldName] ??= message;
    if (agencies && !values.agency_id) found.agency_id = "Agency is required.";
    setProblems(found);
    if (!parsed.success || Object.keys(found).length > 0) {
      form.current?.querySelector<HTMLElement>(`[name=${Object.keys(found)[0]}]`)?.focus();
      return;
    }
    setPending(true);
    try {
      const { username, password: temporary_password } = parsed.data;
      const answer = await callApi<{ msg: string; valid_until: number }>(path, {
        method: "POST",
        body: parsed.data,
      });
      notify.success(answer.msg || MESSAGES.userAdded);
      setAdded({ username, temporary_password, valid_until: answer.valid_until });
      form.current?.reset();
      setPassword("");
      revalidate();
    } catch (error) {
      if (wasDeclined(error)) return;
      notify.error(
        error instanceof ApiError ? error.message || MESSAGES.userAddError : MESSAGES.userAddFailed,
      );
    } finally {
      setPending(false);
    }
  }

  const text = (name: FieldName, label: string, more: React.ComponentProps<typeof Input> = {}) => (
    <Field label={label} error={problems[name]} required>
      {(control) => <Input {...control} name={name} autoComplete="off" {...more} />}
    </Field>
  );
  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">
        {text("username", "Username", { maxLength: 64, autoCapitalize: "none", spellCheck: false })}
        {text("name", "Full name", { maxLength: 120 })}
        {text("email", "Email", { maxLength: 254, type: "email" })}
        <Field
          label="Password"
          error={problems.password}
          hint="Temporary: to be changed within 24 hours."
          required
          className="xl:col-span-2"
        >
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                name="password"
                value={password}
                onChange={(event) => setPassword(event.target.value)}
                autoComplete="off"
                spellCheck={false}
                maxLength={512}
                className="font-mono"
              />
              <Button icon={<Dices />} onClick={() => setPassword(generatedPassword())}>
                Generate
              </Button>
            </div>
          )}
        </Field>
        <Field label="Role" error={problems.role} required>
          {(control) => (
            <Select {...control} name="role" defaultValue="user">
              <option value="user">User</option>
              <option value="admin">Admin</option>
            </Select>
          )}
        </Field>
        {agencies && (
          <Field label="Agency" error={problems.agency_id} required>
            {(control) => (
              <Select {...control} name="agency_id" defaultValue="">
                <option value="" disabled>
                  Choose an agency
                </option>
                {agencies.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
      </div>
      <Button type="submit" variant="primary" className="self-start" pending={pending} pendingLabel="Adding…">
        Add User
      </Button>
      <TemporaryPasswordDialog shown={added} onClose={() => setAdded(undefined)} />
    </form>
  );
}
