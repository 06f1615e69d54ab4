import { type FormEvent, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { makePasskey } from "./passkey.ts";
import type { Enrolled } from "./totp-set-up.tsx";

/** Adds a passkey: a name for it, then the browser asks. */
export function PasskeySetUp({
  onDone,
  onCancel,
}: {
  onDone: (enrolled: Enrolled) => void;
  onCancel: () => void;
}) {
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name") ?? "").trim();
    if (!name) return setProblem("Name the passkey.");
    setPending(true);
    setProblem("");
    const answer = await makePasskey<Enrolled>(name, "The passkey could not be added. Try again.");
    setPending(false);
    if (answer.ok) onDone(answer.value);
    else setProblem(answer.message);
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
      <p className="text-base">
        Your browser will ask for a fingerprint, a face, a PIN or a security key. Nothing of that leaves the
        device.
      </p>
      <Field label="Name of the passkey" hint="So that you know it again: “Patrol laptop”." error={problem}>
        {(control) => <Input {...control} name="name" maxLength={60} defaultValue="This device" />}
      </Field>
      <div className="flex gap-2">
        <Button type="submit" variant="primary" pending={pending} pendingLabel="Waiting for the browser…">
          Add the passkey
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
