import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input, type InputProps } from "#app/components/ui/fields/input.tsx";
import { ScreenForm } from "./screen-form.tsx";
import type { ScreenFormState } from "./use-screen-form.ts";

export type LineFormProps<T> = Omit<InputProps, "form"> & {
  state: ScreenFormState<T>;
  name: string;
  label: string;
  /** The label of the button. */
  button: string;
  pendingLabel: string;
};

/** One field and a button. */
export function LineForm<T>({ state, name, label, button, pendingLabel, ...input }: LineFormProps<T>) {
  const { error, ...field } = state.field(name);
  return (
    <ScreenForm state={state} className="flex flex-col gap-2">
      <Field label={label} error={error}>
        {(control) => (
          <div className="flex max-w-xl gap-2">
            <Input {...control} {...field} autoComplete="off" {...input} />
            <Button type="submit" pending={state.pending} pendingLabel={pendingLabel}>
              {button}
            </Button>
          </div>
        )}
      </Field>
    </ScreenForm>
  );
}
