import { type FormEvent, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { Field } from "./field.tsx";
import { Input } from "./input.tsx";

export type NameFormProps = {
  label: string;
  placeholder: string;
  /** The words of the button. */
  add: string;
  /** Gives what is wrong with the name; empties the field where it gives nothing. */
  onAdd: (name: string) => Promise<string | undefined>;
};

/** One field and its button: something new that has only a name so far. */
export function NameForm({ label, placeholder, add, onAdd }: NameFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<string>();
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name"));
    setPending(true);
    const found = await onAdd(name);
    setProblem(found);
    setPending(false);
    if (found === undefined) form.current?.reset();
  }

  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Field label={label} error={problem}>
        {(control) => (
          <div className="flex max-w-xl gap-2">
            <Input {...control} name="name" maxLength={120} autoComplete="off" placeholder={placeholder} />
            <Button type="submit" pending={pending} pendingLabel="Adding…">
              {add}
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}
