import { Dices } from "lucide-react";
import { useRef, useState } from "react";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { typeInto } from "#app/components/forms/use-form-values.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { InputField, SelectField } from "#app/components/ui/fields/labeled.tsx";
import { ROLE_NAMES } from "#app/entities/accounts/access.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { NewUser, TemporaryPassword } from "#app/entities/users/directory.ts";
import { TemporaryPasswordDialog, TemporaryPasswordPanel } from "./temporary-password.tsx";

type FieldName = keyof NewUser;

/** Adds one user. The password is temporary and is shown once, to be given to the user. */
export function AddUserForm({
  agencies,
  find = "",
}: {
  /** The choices of the owner; administrators add users only to their own agency. */
  agencies?: readonly { id: string; name: string }[];
  /** The text by which the choices were found. */
  find?: string;
}) {
  const password = useRef<HTMLInputElement>(null);
  const [added, setAdded] = useState<TemporaryPassword>();
  const form = useScreenForm<TemporaryPassword>({
    intent: "add-user",
    failed: MESSAGES.userAddFailed,
    bug: MESSAGES.userAddError,
    onDone: ({ message, result }) => {
      notify.success(message || MESSAGES.userAdded);
      setAdded(result);
    },
  });

  const text = (name: FieldName) => ({ ...form.field(name), required: true, autoComplete: "off" });
  return (
    <ScreenForm state={form} className="flex flex-col gap-4">
      <TemporaryPasswordPanel message={form.posted?.message} shown={form.posted?.result} />
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">
        <InputField
          {...text("username")}
          label="Username"
          maxLength={64}
          autoCapitalize="none"
          spellCheck={false}
        />
        <InputField {...text("name")} label="Full name" maxLength={120} />
        <InputField {...text("email")} label="Email" maxLength={254} type="email" />
        <Field
          label="Password"
          error={form.problem("password")}
          hint="Temporary: the user must change it within 24 hours."
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
        <SelectField {...form.field("role", "user")} label="Role" required>
          {Object.entries(ROLE_NAMES).map(([role, name]) => (
            <option key={role} value={role}>
              {name}
            </option>
          ))}
        </SelectField>
        {agencies && (
          // A new list of choices starts without one, because the browser would choose the first.
          <SelectField key={find} {...form.field("agency_id", "")} label="Agency" required>
            <option value="" disabled>
              Choose an agency
            </option>
            {agencies.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
      </div>
      <SubmitButton state={form} pendingLabel="Adding…">
        Add User
      </SubmitButton>
      <TemporaryPasswordDialog shown={added} onClose={() => setAdded(undefined)} />
    </ScreenForm>
  );
}

const CHARACTER_GROUPS = ["abcdefghjkmnpqrstuvwxyz", "ACDEFGHJKLMNPQRTUVWXY", "34679"] as const;
const ALL_CHARACTERS = CHARACTER_GROUPS.join("");

function randomCharacter(from: string): string {
  // Rejects numbers beyond the last whole multiple, so that every letter is equally likely.
  const limit = Math.floor(2 ** 32 / from.length) * from.length;
  for (;;) {
    const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
    if (number < limit) return from.charAt(number % from.length);
  }
}

/** Returns a random password in groups of four, with every kind of character that the rules require. */
function generatedPassword(): string {
  const letters = [
    ...CHARACTER_GROUPS.map(randomCharacter),
    ...Array.from({ length: 13 }, () => randomCharacter(ALL_CHARACTERS)),
  ];
  const order = letters.map((letter) => ({
    letter,
    at: randomCharacter("0123456789abcdef") + randomCharacter("0123456789abcdef"),
  }));
  order.sort((a, b) => (a.at < b.at ? -1 : 1));
  const text = order.map(({ letter }) => letter).join("");
  return (text.match(/.{4}/g) ?? []).join("-");
}
