import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { ScreenForm } from "./screen-form.tsx";
import type { ScreenFormState } from "./use-screen-form.ts";

export type NameFormProps<T> = {
  state: ScreenFormState<T>;
  label: string;
  placeholder: string;
  /** The label of the button. */
  add: string;
};

/** One field and a button, to add something by its name. */
export function NameForm<T>({ state, label, placeholder, add }: NameFormProps<T>) {
  return (
    <ScreenForm state={state} className="flex flex-col gap-2">
      <Field label={label} error={state.problem("name")}>
        {(control) => (
          <div className="flex max-w-xl gap-2">
            <Input
              {...control}
              name="name"
              defaultValue={state.value("name")}
              maxLength={120}
              autoComplete="off"
              placeholder={placeholder}
            />
            <Button type="submit" pending={state.pending} pendingLabel="Adding…">
              {add}
            </Button>
          </div>
        )}
      </Field>
    </ScreenForm>
  );
}
