import { ChevronDown } from "lucide-react";
import { Checkbox } from "#app/components/ui/checkbox.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input, Textarea } from "#app/components/ui/input.tsx";
import { Select } from "#app/components/ui/select.tsx";
import { CASE_NUMBER_MAX, MATCH_POLICIES, NOTES_MAX, PRIORITIES, REASON_MAX } from "#app/entities/hotlist.ts";
import { US_STATES, VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/vehicle.ts";

/** What a form holds of an entry, all as its controls do. */
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

export type PlateFieldsProps = {
  draft: PlateDraft;
  onChange: (changes: Partial<PlateDraft>) => void;
  /** The plate stands elsewhere and is not changed here. */
  fixedPlate?: boolean;
  reasonRequired?: boolean;
  problem?: { field: "number" | "reason"; text: string };
  /** What an empty expiry means. */
  expiryHint: string;
};

/** What an empty expiry of a new entry comes to, by the agency's policy as far as it is known. */
export function expiryHint(days: number | undefined): string {
  return days === undefined
    ? "Empty: as your agency's policy says"
    : `Empty: after ${days.toLocaleString("en-US")} days, as your agency's policy says`;
}

/** The fields of an entry: what is always asked first, what is known beyond that folded away. */
export function PlateFields({
  draft,
  onChange,
  fixedPlate = false,
  reasonRequired = false,
  problem,
  expiryHint,
}: PlateFieldsProps) {
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        {!fixedPlate && (
          <Field
            label="Plate number"
            required
            error={problem?.field === "number" && problem.text}
            hint="* stands for any characters, ? for one."
          >
            {(control) => (
              <Input
                {...control}
                plate
                value={draft.number}
                maxLength={30}
                onChange={(event) => onChange({ number: event.currentTarget.value })}
              />
            )}
          </Field>
        )}
        <Field label="State" hint="Optional">
          {(control) => (
            <Select
              {...control}
              value={draft.state}
              onChange={(event) => onChange({ state: event.currentTarget.value })}
            >
              <option value="">Any state</option>
              {US_STATES.map((state) => (
                <option key={state.code} value={state.code}>
                  {state.name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Field label="Reason" required={reasonRequired} error={problem?.field === "reason" && problem.text}>
        {(control) => (
          <Input
            {...control}
            value={draft.reason}
            maxLength={REASON_MAX}
            onChange={(event) => onChange({ reason: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Notes" hint="Optional">
        {(control) => (
          <Textarea
            {...control}
            rows={3}
            value={draft.notes}
            maxLength={NOTES_MAX}
            onChange={(event) => onChange({ notes: event.currentTarget.value })}
          />
        )}
      </Field>
      <details className="fold rounded-md border border-line">
        <summary className="flex min-h-control items-center gap-2 px-3 text-sm font-medium">
          <ChevronDown aria-hidden="true" className="fold-mark size-4 -rotate-90" />
          Expiry, case, matching and vehicle
        </summary>
        <div className="grid gap-3 border-t border-line p-3 sm:grid-cols-2">
          <Field label="Expires" hint={expiryHint}>
            {(control) => (
              <Input
                {...control}
                type="date"
                value={draft.expires}
                onChange={(event) => onChange({ expires: event.currentTarget.value })}
              />
            )}
          </Field>
          <Field label="Case number">
            {(control) => (
              <Input
                {...control}
                value={draft.case_number}
                maxLength={CASE_NUMBER_MAX}
                onChange={(event) => onChange({ case_number: event.currentTarget.value })}
              />
            )}
          </Field>
          <Choice
            label="Matches"
            value={draft.match_policy}
            options={MATCH_POLICIES}
            hint="Look-alike: 0 O D Q, 1 I, 2 Z, 5 S, 8 B, 6 G"
            onChange={(match_policy) => onChange({ match_policy })}
          />
          <Choice
            label="Priority"
            value={draft.priority}
            options={PRIORITIES}
            onChange={(priority) => onChange({ priority })}
          />
          <Choice
            label="Make"
            value={draft.make}
            options={words(VEHICLE_MAKES)}
            onChange={(make) => onChange({ make })}
          />
          <Choice
            label="Color"
            value={draft.color}
            options={words(VEHICLE_COLORS.map(({ name }) => name))}
            onChange={(color) => onChange({ color })}
          />
          <Choice
            label="Body type"
            value={draft.body_type}
            options={words(VEHICLE_BODY_TYPES)}
            onChange={(body_type) => onChange({ body_type })}
          />
          <div className="flex items-end pb-1">
            <Checkbox
              checked={draft.state_required}
              disabled={draft.state === ""}
              onCheckedChange={(on) => onChange({ state_required: on === true })}
              label="Hit only where the state was read"
            />
          </div>
        </div>
      </details>
    </div>
  );
}

const words = (list: readonly string[]) => [
  { value: "", label: "Not known" },
  ...list.map((word) => ({ value: word, label: word })),
];

function Choice(props: {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  hint?: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label} hint={props.hint}>
      {(control) => (
        <Select
          {...control}
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        >
          {props.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
