import { ChevronDown } from "lucide-react";
import { useId } from "react";
import type { FormValues } from "#app/components/forms/use-form-values.ts";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { InputField, SelectField, TextareaField } from "#app/components/ui/fields/labeled.tsx";
import {
  CASE_NUMBER_MAX,
  MATCH_POLICIES,
  NOTES_MAX,
  PRIORITIES,
  REASON_MAX,
} from "#app/entities/hotlists/entry.ts";
import { JURISDICTION_GROUPS, jurisdictionName } from "#app/entities/search/jurisdiction-names.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { numberText } from "#app/lib/number-text.ts";

/** An entry as the values of the form's controls. */
export type PlateDraft = {
  number: string;
  state: string;
  reason: string;
  notes: string;
  case_number: string;
  expires: string;
  match_policy: string;
  state_required: boolean;
  make: string;
  color: string;
  body_type: string;
  priority: string;
};

export const EMPTY_PLATE: PlateDraft = {
  number: "",
  state: "",
  reason: "",
  notes: "",
  case_number: "",
  expires: "",
  match_policy: "exact",
  state_required: false,
  make: "",
  color: "",
  body_type: "",
  priority: "normal",
};

export const PLATE_FIELDS = Object.keys(EMPTY_PLATE) as (keyof PlateDraft)[];

/** Returns an entry's draft from form values; `nameOf` maps a draft field to its form field name. */
export function plateDraftOf(values: FormValues | undefined, nameOf: NameOf = bare): PlateDraft {
  return plateDraftOfTexts((field) => values?.[nameOf(field)]?.at(-1));
}

/** Returns an entry's draft from the text of each field: undefined for absent fields and unchecked boxes. */
export function plateDraftOfTexts(textOf: (field: keyof PlateDraft) => string | undefined): PlateDraft {
  const text = (field: Exclude<keyof PlateDraft, "state_required">) => textOf(field) ?? EMPTY_PLATE[field];
  return {
    number: text("number"),
    state: text("state"),
    reason: text("reason"),
    notes: text("notes"),
    case_number: text("case_number"),
    expires: text("expires"),
    match_policy: text("match_policy"),
    state_required: textOf("state_required") !== undefined,
    make: text("make"),
    color: text("color"),
    body_type: text("body_type"),
    priority: text("priority"),
  };
}

export type NameOf = (field: keyof PlateDraft) => string;
const bare: NameOf = (field) => field;

export type PlateProblems = Partial<Record<keyof PlateDraft, string>>;

export type PlateFieldsProps = {
  /** The initial values of the fields. */
  initial: PlateDraft;
  nameOf?: NameOf;
  /** Whether the plate is shown elsewhere and cannot be changed here. */
  fixedPlate?: boolean;
  reasonRequired?: boolean;
  /** Reasons to suggest. */
  reasons?: readonly string[];
  /** What is wrong, by field. */
  problems?: PlateProblems;
  /** The meaning of an empty expiry. */
  expiryHint: string;
};

/** Returns the meaning of an empty expiry of a new entry under the agency's policy, if it is known. */
export function expiryHint(days: number | undefined): string {
  if (days === 0) return "Empty: does not expire";
  return days === undefined
    ? "Empty: your agency's default"
    : `Empty: expires after ${numberText(days)} days, your agency's default`;
}

/** The fields of an entry: the main ones first, the others collapsed. */
export function PlateFields(props: PlateFieldsProps) {
  const { initial, fixedPlate = false, reasonRequired = false, reasons = [] } = props;
  const suggestions = useId();
  const field = fieldsOf(props);
  const reason = (
    <InputField
      label="Reason"
      required={reasonRequired}
      {...field("reason")}
      maxLength={REASON_MAX}
      list={suggestions}
    />
  );
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        {fixedPlate ? (
          reason
        ) : (
          <InputField
            label="Plate number"
            required
            hint="* stands for any characters, ? for one."
            plate
            {...field("number")}
            maxLength={30}
          />
        )}
        <SelectField label="State" hint="Optional" {...field("state")}>
          <option value="">Any state</option>
          <StateOptions current={initial.state} />
        </SelectField>
      </div>
      {!fixedPlate && reason}
      <datalist id={suggestions}>
        {reasons.map((reason) => (
          <option key={reason} value={reason} />
        ))}
      </datalist>
      <TextareaField label="Notes" hint="Optional" rows={3} {...field("notes")} maxLength={NOTES_MAX} />
      <FoldedFields {...props} />
    </div>
  );
}

/** The fields that are shown only on request, or if one of them has a problem. */
const FOLDED = ["expires", "case_number", "match_policy", "priority", "make", "color", "body_type"] as const;

function FoldedFields(props: PlateFieldsProps) {
  const { initial, nameOf = bare, problems = {}, expiryHint } = props;
  const field = fieldsOf(props);
  return (
    <details
      className="fold rounded-md border border-line"
      open={FOLDED.some((name) => problems[name] !== undefined)}
    >
      <summary className="flex min-h-control items-center gap-2 px-3 text-sm font-medium">
        <ChevronDown aria-hidden="true" className="fold-mark size-4 -rotate-90" />
        Expiry, case, matching and vehicle
      </summary>
      <div className="grid gap-3 border-t border-line p-3 sm:grid-cols-2">
        <InputField label="Expires" hint={expiryHint} type="date" max="9999-12-31" {...field("expires")} />
        <InputField label="Case number" {...field("case_number")} maxLength={CASE_NUMBER_MAX} />
        <SelectField
          label="Matches"
          {...field("match_policy")}
          options={MATCH_POLICIES}
          hint="Look-alike: 0 O D Q, 1 I, 2 Z, 5 S, 8 B, 6 G"
        />
        <SelectField label="Priority" {...field("priority")} options={PRIORITIES} />
        <SelectField label="Make" {...field("make")} options={words(VEHICLE_MAKES)} />
        <SelectField
          label="Color"
          {...field("color")}
          options={words(VEHICLE_COLORS.map(({ name }) => name))}
        />
        <SelectField label="Body type" {...field("body_type")} options={words(VEHICLE_BODY_TYPES)} />
        <div className="flex items-end pb-1">
          <Checkbox
            name={nameOf("state_required")}
            value="true"
            defaultChecked={initial.state_required}
            label="Alert only if state was read"
          />
        </div>
      </div>
    </details>
  );
}

/** Returns a function that returns the name, the initial text and the problem of a field. */
function fieldsOf({ initial, nameOf = bare, problems = {} }: PlateFieldsProps) {
  return (field: Exclude<keyof PlateDraft, "state_required">) => ({
    name: nameOf(field),
    defaultValue: initial[field],
    error: problems[field],
  });
}

const words = (list: readonly string[]) => [
  { value: "", label: "Not known" },
  ...list.map((word) => ({ value: word, label: word })),
];

/** The fifty states, then the other jurisdictions by group, plus the stored value if it is none of these. */
export function StateOptions({ current }: { current: string }) {
  const [states, ...others] = JURISDICTION_GROUPS;
  const optionOf = ({ code, name }: { code: string; name: string }) => (
    <option key={code} value={code}>
      {name}
    </option>
  );
  return (
    <>
      {jurisdictionName(current) === current && current !== "" && <option value={current}>{current}</option>}
      {states.jurisdictions.map(optionOf)}
      {others.map(({ label, jurisdictions }) => (
        <optgroup key={label} label={label}>
          {jurisdictions.map(optionOf)}
        </optgroup>
      ))}
    </>
  );
}
