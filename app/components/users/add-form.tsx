import { Dices } from "lucide-react";
import { useRef, useState } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { typeInto } from "#app/components/forms/use-form-values.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import type { NewUser, TemporaryPassword } from "#app/entities/users/directory.ts";
import { generatedPassword } from "./generated-password.ts";
import { TemporaryPasswordDialog, TemporaryPasswordPanel } from "./temporary-password.tsx";

type FieldName = keyof NewUser;

/** Adds one user. The password is a temporary one, whoever chose it, and shown once more to be passed on. */
export function AddUserForm({
  agencies,
}: {
  /** The owner chooses among them; an administrator adds to their own. */
  agencies?: readonly { id: string; name: string }[];
}) {
  const password = useRef<HTMLInputElement>(null);
  const [added, setAdded] = useState<TemporaryPassword>();
  const form = useScreenForm<TemporaryPassword>({
    intent: "add-user",
    failed: MESSAGES.userAddFailed,
    onDone: ({ message, result }) => {
      notify.success(message || MESSAGES.userAdded);
      setAdded(result);
    },
  });

  const text = (name: FieldName, label: string, more: React.ComponentProps<typeof Input> = {}) => (
    <Field label={label} error={form.problem(name)} required>
      {(control) => (
        <Input {...control} name={name} defaultValue={form.value(name)} autoComplete="off" {...more} />
      )}
    </Field>
  );
  return (
    <ScreenForm state={form} className="flex flex-col gap-4">
      <TemporaryPasswordPanel message={form.posted?.message} shown={form.posted?.result} />
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">
        {text("username", "Username", { maxLength: 64, autoCapitalize: "none", spellCheck: false })}
        {text("name", "Full name", { maxLength: 120 })}
        {text("email", "Email", { maxLength: 254, type: "email" })}
        <Field
          label="Password"
          error={form.problem("password")}
          hint="Temporary: to be changed within 24 hours."
          required
          className="xl:col-span-2"
        >
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                ref={password}
                name="password"
                autoComplete="off"
                spellCheck={false}
                maxLength={512}
                className="font-mono"
              />
              <Button
                icon={<Dices />}
                className="noscript:hidden"
                onClick={() => typeInto(password.current, generatedPassword())}
              >
                Generate
              </Button>
            </div>
          )}
        </Field>
        <Field label="Role" error={form.problem("role")} required>
          {(control) => (
            <Select {...control} name="role" defaultValue={form.value("role", "user")}>
              <option value="user">User</option>
              <option value="admin">Admin</option>
            </Select>
          )}
        </Field>
        {agencies && (
          <Field label="Agency" error={form.problem("agency_id")} required>
            {(control) => (
              <Select {...control} name="agency_id" defaultValue={form.value("agency_id", "")}>
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
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        pending={form.pending}
        pendingLabel="Adding…"
      >
        Add User
      </Button>
      <TemporaryPasswordDialog shown={added} onClose={() => setAdded(undefined)} />
    </ScreenForm>
  );
}
