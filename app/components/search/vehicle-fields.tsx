import { Checkbox } from "#app/components/ui/checkbox.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Select } from "#app/components/ui/select.tsx";
import {
  SOURCE_PROGRAMS,
  type SourceProgram,
  VEHICLE_MARKS,
  type VehicleMark,
} from "#app/entities/search.ts";
import { US_STATES, VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/vehicle.ts";
import { listed, unsupportedBy } from "./describe-search.ts";
import type { SearchForm } from "./form-state.ts";

type Choice = "plateState" | "color" | "make" | "bodyType";

const CHOICES: {
  name: Choice;
  label: string;
  any: string;
  options: readonly { value: string; label: string }[];
}[] = [
  {
    name: "plateState",
    label: "State",
    any: "Any state",
    options: US_STATES.map(({ code, name }) => ({ value: code, label: `${name} (${code})` })),
  },
  {
    name: "color",
    label: "Color",
    any: "Any color",
    options: VEHICLE_COLORS.map(({ name, rekorOnly }) => ({
      value: name,
      label: rekorOnly ? `${name} (Rekor Only)` : name,
    })),
  },
  {
    name: "make",
    label: "Make",
    any: "Any make",
    options: VEHICLE_MAKES.map((make) => ({ value: make, label: make })),
  },
  {
    name: "bodyType",
    label: "Body type",
    any: "Any body type",
    options: VEHICLE_BODY_TYPES.map((body) => ({ value: body, label: body })),
  },
];

const MARK_PROGRAMS: readonly SourceProgram[] = SOURCE_PROGRAMS.filter(
  (program) => unsupportedBy(program, { color: "", marks: ["top_rack"] }).length === 0,
);

export type VehicleFieldsProps = {
  form: Pick<SearchForm, Choice | "marks">;
  onChange: (changes: Partial<Pick<SearchForm, Choice | "marks">>) => void;
};

export function VehicleFields({ form, onChange }: VehicleFieldsProps) {
  const toggle = (key: VehicleMark, checked: boolean) =>
    onChange({ marks: checked ? [...form.marks, key] : form.marks.filter((mark) => mark !== key) });
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,9.5rem),1fr))] gap-3 xl:grid-cols-[1fr_1.2fr_1fr_1fr]">
        {CHOICES.map(({ name, label, any, options }) => (
          <Field key={name} label={label}>
            {(control) => (
              <Select
                {...control}
                autoComplete="off"
                className={form[name] === "" ? "text-muted" : "font-medium"}
                value={form[name]}
                onChange={(event) => onChange({ [name]: event.currentTarget.value })}
              >
                <option value="">{any}</option>
                {options.map((option) => (
                  <option key={option.value} value={option.value}>
                    {option.label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        ))}
      </div>
      <fieldset className="min-w-0">
        <legend className="mb-1 text-sm font-medium">
          Vehicle marks <span className="font-normal text-muted">({listed(MARK_PROGRAMS)} only)</span>
        </legend>
        <div className="flex flex-wrap gap-x-5 gap-y-1">
          {VEHICLE_MARKS.map(({ key, label }) => (
            <Checkbox
              key={key}
              label={label}
              checked={form.marks.includes(key)}
              onCheckedChange={(checked) => toggle(key, checked)}
            />
          ))}
        </div>
      </fieldset>
    </div>
  );
}
