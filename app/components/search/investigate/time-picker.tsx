import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import type { InvestigationState } from "./use-investigation.ts";

/** One end of a window, in the viewer's zone. */
export function TimePicker({
  label,
  name,
  state,
}: {
  label: string;
  name: string;
  state: InvestigationState;
}) {
  return (
    <Field label={label} required error={state.problem(name)}>
      {(control) => (
        <Input
          {...control}
          type="datetime-local"
          max="9999-12-31T23:59"
          name={name}
          defaultValue={state.value(name)}
        />
      )}
    </Field>
  );
}
