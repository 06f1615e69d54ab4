import { CalendarRange } from "lucide-react";
import { TimeField } from "#app/components/ui/fields/labeled.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import type { Edge, FieldName, Moment, Problems, SearchForm } from "#app/entities/search/form.ts";
import { RANGE_PRESETS, type RangePreset } from "#app/entities/search/query.ts";
import { fieldId } from "./field-id.ts";

const PRESETS = RANGE_PRESETS.map(({ key, label }) => ({ value: key, label }));

type Range = Pick<SearchForm, "preset" | "start" | "end">;

export type RangeFieldsProps = {
  initial: Range;
  /** The current values of the fields. */
  form: Range;
  /** The name of the time zone of typed times. */
  zoneName: string;
  problems: Problems;
  /** The field that gets the focus when the page opens. */
  focused: FieldName;
  /** Also called for a click on the active preset, which updates its times. */
  onPreset: (preset: RangePreset) => void;
};

export function RangeFields({ initial, form, zoneName, problems, focused, onPreset }: RangeFieldsProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="sr-only">Date range</legend>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span aria-hidden="true" className="text-sm font-medium">
          Date range
          <span className="ms-0.5 text-hit">*</span>
        </span>
        <Segmented
          name="range"
          label="Quick range"
          options={PRESETS}
          value={initial.preset}
          onSelect={onPreset}
        />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <Picker
          edge="start"
          label="Start"
          initial={initial.start}
          moment={form.start}
          problem={problems.start}
          isFocused={focused === "start"}
        />
        <Picker
          edge="end"
          label="End"
          initial={initial.end}
          moment={form.end}
          problem={problems.end}
          isFocused={focused === "end"}
        />
      </div>
      <input type="hidden" name="zone" defaultValue="" />
      <p className="flex min-h-4 items-center gap-1.5 text-xs text-muted">
        <CalendarRange aria-hidden="true" className="size-3.5 shrink-0" />
        {`Times are in ${zoneName}.`} {form.preset && "The range ends when you start the search."}
      </p>
    </fieldset>
  );
}

function Picker(props: {
  edge: Edge;
  label: string;
  initial: Moment;
  moment: Moment;
  problem: string | undefined;
  isFocused: boolean;
}) {
  const { edge, label, initial, moment, problem, isFocused } = props;
  const twice = `This time occurs twice on that day. The ${edge === "start" ? "first" : "second"} is used.`;
  return (
    <TimeField
      id={fieldId(edge)}
      label={label}
      required
      hint={moment.oddity === "twice" ? twice : undefined}
      error={problem}
      edge={edge}
      autoFocus={isFocused}
      step={1}
      name={edge}
      defaultValue={initial.text}
    />
  );
}
