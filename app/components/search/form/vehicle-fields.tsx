import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { SelectField } from "#app/components/ui/fields/labeled.tsx";
import type { SearchForm } from "#app/entities/search/form.ts";
import { JURISDICTION_GROUPS } from "#app/entities/search/jurisdiction-names.ts";
import { SOURCE_PROGRAMS, type SourceProgram, VEHICLE_MARKS } from "#app/entities/search/query.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { listed, unsupportedBy } from "./describe.ts";

type Choice = "plateState" | "color" | "make" | "bodyType";

type Option = { value: string; label: string };

const [US_STATES, ...OTHER_JURISDICTIONS] = JURISDICTION_GROUPS;
const stateOption = ({ code, name }: { code: string; name: string }) => ({
  value: code,
  label: `${name} (${code})`,
});

const CHOICES: {
  key: Choice;
  name: string;
  label: string;
  any: string;
  options: readonly Option[];
  /** Listed below the options, each group under its name. */
  groups?: readonly { label: string; options: readonly Option[] }[];
}[] = [
  {
    key: "plateState",
    name: "plate_state",
    label: "State",
    any: "Any state",
    options: US_STATES.jurisdictions.map(stateOption),
    groups: OTHER_JURISDICTIONS.map(({ label, jurisdictions }) => ({
      label,
      options: jurisdictions.map(stateOption),
    })),
  },
  {
    key: "color",
    name: "vehicle_color",
    label: "Color",
    any: "Any color",
    options: VEHICLE_COLORS.map(({ name, rekorOnly }) => ({
      value: name,
      label: rekorOnly ? `${name} (Rekor Only)` : name,
    })),
  },
  {
    key: "make",
    name: "vehicle_make",
    label: "Make",
    any: "Any make",
    options: VEHICLE_MAKES.map((make) => ({ value: make, label: make })),
  },
  {
    key: "bodyType",
    name: "vehicle_body_type",
    label: "Body type",
    any: "Any body type",
    options: VEHICLE_BODY_TYPES.map((body) => ({ value: body, label: body })),
  },
];

const MARK_PROGRAMS: readonly SourceProgram[] = SOURCE_PROGRAMS.filter(
  (program) => unsupportedBy(program, { color: "", marks: ["top_rack"] }).length === 0,
);

const isOtherMake = (make: string) => make !== "" && !VEHICLE_MAKES.some((listed) => listed === make);

const optionOf = ({ value, label }: Option) => (
  <option key={value} value={value}>
    {label}
  </option>
);

export type VehicleFieldsProps = {
  initial: Pick<SearchForm, Choice | "marks">;
  /** The current choices. */
  form: Pick<SearchForm, Choice>;
};

export function VehicleFields({ initial, form }: VehicleFieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,9.5rem),1fr))] gap-3 xl:grid-cols-[1fr_1.2fr_1fr_1fr]">
        {CHOICES.map(({ key, name, label, any, options, groups = [] }) => (
          <SelectField
            key={name}
            label={label}
            autoComplete="off"
            controlClass={form[key] === "" ? "text-muted" : "font-medium"}
            name={name}
            defaultValue={initial[key]}
          >
            <option value="">{any}</option>
            {options.map(optionOf)}
            {/* A program may have searched for a make that the form does not list. */}
            {key === "make" &&
              isOtherMake(initial.make) &&
              optionOf({ value: initial.make, label: initial.make })}
            {groups.map((group) => (
              <optgroup key={group.label} label={group.label}>
                {group.options.map(optionOf)}
              </optgroup>
            ))}
          </SelectField>
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
              name="marks"
              value={key}
              defaultChecked={initial.marks.includes(key)}
            />
          ))}
        </div>
      </fieldset>
    </div>
  );
}
