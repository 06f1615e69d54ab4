import { cx } from "#app/components/ui/cx.ts";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input, Textarea } from "#app/components/ui/fields/input.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { Key } from "#app/components/ui/keys/key.tsx";
import { useSingleKeys } from "#app/components/ui/keys/single-keys.ts";
import type { Problems, SearchForm } from "#app/entities/search/form.ts";
import { PURPOSES } from "#app/entities/search/purpose.ts";
import { fieldId } from "./field-id.ts";

type Texts = Pick<SearchForm, "plate" | "lookAlikes" | "justification" | "caseNumber" | "purpose">;

export type PlateAndReasonProps = {
  initial: Texts;
  problems: Problems;
  /** A warning that the justification may name a prohibited purpose, which a supervisor will review. */
  notice: string;
  /** The agency's policy: every search needs one. */
  caseNumberRequired: boolean;
  purposeRequired: boolean;
  onPlateBlur: () => void;
};

/** The plate and the reason for the search. The form is always posted, so no URL contains a justification. */
export function PlateAndReason({
  initial,
  problems,
  notice,
  caseNumberRequired,
  purposeRequired,
  onPlateBlur,
}: PlateAndReasonProps) {
  const slashActs = useSingleKeys();
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_13rem]">
      <Field
        id={fieldId("plate")}
        className="sm:col-span-2"
        label="Plate"
        aside={
          <span className={cx("hidden items-center gap-1 sm:inline-flex", !slashActs && "invisible")}>
            <Key>/</Key> from anywhere
          </span>
        }
        hint={
          <>
            Full or partial. <Sign>*</Sign> matches any characters, <Sign>?</Sign> exactly one.
          </>
        }
        error={problems.plate}
      >
        {(control) => (
          <Input
            {...control}
            plate
            autoFocus
            controlSize="lg"
            className="!min-h-14 !text-2xl"
            maxLength={40}
            enterKeyHint="search"
            placeholder="Any plate"
            name="plate"
            defaultValue={initial.plate}
            onBlur={onPlateBlur}
          />
        )}
      </Field>
      <Checkbox
        role="switch"
        className="-mt-2 sm:col-span-2"
        label="Look-alikes"
        hint="Also plates that are easily confused (8 and B) or differ in one character."
        name="look_alikes"
        value="on"
        defaultChecked={initial.lookAlikes}
      />
      <Field
        id={fieldId("justification")}
        label="Justification"
        required
        hint={
          <span role="status">
            {notice ? <span className="text-warn">{notice}</span> : "Kept in the audit log."}
          </span>
        }
        error={problems.justification}
      >
        {(control) => (
          <Textarea
            {...control}
            rows={2}
            className="!min-h-20 !text-lg"
            maxLength={2000}
            name="justification"
            defaultValue={initial.justification}
          />
        )}
      </Field>
      <div className="flex flex-col gap-4">
        <Field
          id={fieldId("case_number")}
          label="Case number"
          required={caseNumberRequired}
          aside={caseNumberRequired ? undefined : "Optional"}
          hint={caseNumberRequired ? "Required by your agency." : undefined}
          error={problems.case_number}
        >
          {(control) => (
            <Input
              {...control}
              controlSize="lg"
              maxLength={64}
              name="case_number"
              defaultValue={initial.caseNumber}
            />
          )}
        </Field>
        <Field
          id={fieldId("purpose")}
          label="Purpose"
          required={purposeRequired}
          aside={purposeRequired ? undefined : "Optional"}
          error={problems.purpose}
        >
          {(control) => (
            <Select {...control} name="purpose" defaultValue={initial.purpose}>
              <option value="">{purposeRequired ? "Choose one" : "Not stated"}</option>
              {PURPOSES.map(({ code, label }) => (
                <option key={code} value={code}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
    </div>
  );
}

function Sign({ children }: { children: string }) {
  return <code className="rounded-sm bg-sunken px-1 font-mono text-text">{children}</code>;
}
