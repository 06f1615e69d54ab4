import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import type { AgencyGroup } from "#app/entities/search/agencies.ts";
import type { FilledFields } from "#app/entities/search/investigate/fill.ts";
import { MOST_MINUTES } from "#app/entities/search/investigate/request.ts";
import { InvestigationForm } from "./common-fields.tsx";
import { TimePicker } from "./time-picker.tsx";
import { useInvestigation } from "./use-investigation.ts";

type ConvoyFormProps = {
  groups: AgencyGroup[];
  purposeRequired: boolean;
  /** The values of a past search. */
  filled?: FilledFields;
};

/** The form of a convoy search: a plate, a range, and what counts as together. */
export function ConvoyForm({ groups, purposeRequired, filled }: ConvoyFormProps) {
  const state = useInvestigation("convoy", filled);
  return (
    <InvestigationForm
      tool="convoy"
      state={state}
      groups={groups}
      purposeRequired={purposeRequired}
      button="Search convoy"
    >
      <p className="text-sm text-muted">
        Finds plates that cameras read shortly before or after a given plate, at several cameras.
      </p>
      <div className="grid gap-4 rounded-md border border-line bg-raised p-4 sm:grid-cols-2 lg:grid-cols-[1.4fr_1fr_1fr_0.7fr_0.7fr]">
        <Field label="Plate" required hint="One whole plate, without * or ?." error={state.problem("plate")}>
          {(control) => (
            <Input {...control} plate name="plate" maxLength={40} defaultValue={state.value("plate")} />
          )}
        </Field>
        <TimePicker label="Start" edge="start" name="start_time" state={state} />
        <TimePicker label="End" edge="end" name="end_time" state={state} />
        <Field label="Minutes apart" error={state.problem("minutes")}>
          {(control) => (
            <Input
              {...control}
              type="number"
              name="minutes"
              min={1}
              max={MOST_MINUTES}
              defaultValue={state.value("minutes", "2")}
            />
          )}
        </Field>
        <Field label="Cameras, at least" error={state.problem("at_least")}>
          {(control) => (
            <Input
              {...control}
              type="number"
              name="at_least"
              min={2}
              max={20}
              defaultValue={state.value("at_least", "3")}
            />
          )}
        </Field>
      </div>
    </InvestigationForm>
  );
}
