import { CalendarRange } from "lucide-react";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { Segmented } from "#app/components/ui/segmented.tsx";
import { RANGE_PRESETS, type RangePreset } from "#app/entities/search.ts";
import { fieldId } from "./field-id.ts";
import type { Edge, Moment, Problems, SearchForm } from "./form-state.ts";

const PRESETS = RANGE_PRESETS.map(({ key, label }) => ({ value: key, label }));

export type RangeFieldsProps = {
  form: Pick<SearchForm, "preset" | "start" | "end">;
  /** Empty until the browser has said where it is. */
  zoneName: string;
  problems: Problems;
  onPreset: (preset: RangePreset) => void;
  onTyped: (edge: Edge, text: string) => void;
};

export function RangeFields({ form, zoneName, problems, onPreset, onTyped }: RangeFieldsProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="sr-only">Date range</legend>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span aria-hidden="true" className="text-sm font-medium">
          Date range
          <span className="ms-0.5 text-hit">*</span>
        </span>
        <Segmented label="Quick range" options={PRESETS} value={form.preset} onSelect={onPreset} />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <Picker edge="start" label="Start" moment={form.start} problem={problems.start} onTyped={onTyped} />
        <Picker edge="end" label="End" moment={form.end} problem={problems.end} onTyped={onTyped} />
      </div>
      <p className="flex min-h-4 items-center gap-1.5 text-xs text-muted">
        <CalendarRange aria-hidden="true" className="size-3.5 shrink-0" />
        {zoneName ? `Times are ${zoneName}.` : "Times are your own."}{" "}
        {form.preset && "The range ends at the moment you search."}
      </p>
    </fieldset>
  );
}

function Picker(props: {
  edge: Edge;
  label: string;
  moment: Moment;
  problem: string | undefined;
  onTyped: (edge: Edge, text: string) => void;
}) {
  const { edge, label, moment, problem, onTyped } = props;
  const twice = `Clocks show this time twice; the ${edge === "start" ? "first" : "second"} is meant.`;
  return (
    <Field
      id={fieldId(edge)}
      label={label}
      required
      hint={moment.oddity === "twice" ? twice : undefined}
      error={problem}
    >
      {(control) => (
        <Input
          {...control}
          type="datetime-local"
          step={1}
          max="9999-12-31T23:59:59"
          value={moment.text}
          onChange={(event) => onTyped(edge, event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
