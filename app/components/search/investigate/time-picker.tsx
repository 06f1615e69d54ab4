import { Field } from "#app/components/ui/fields/field.tsx";
import { TimeInput } from "#app/components/ui/fields/time-input.tsx";
import type { RangeEdge } from "#app/lib/time/wall-clock.ts";
import type { InvestigationState } from "./use-investigation.ts";

/** One end of a window, in the viewer's zone. */
export function TimePicker({
  label,
  name,
  edge,
  state,
}: {
  label: string;
  name: string;
  edge: RangeEdge;
  state: InvestigationState;
}) {
  return (
    <Field label={label} required error={state.problem(name)}>
      {(control) => (
        <TimeInput
          {...control}
          edge={edge}
          max="9999-12-31T23:59"
          name={name}
          defaultValue={state.value(name)}
        />
      )}
    </Field>
  );
}
