import { PurposeOptions } from "#app/components/search/purpose-options.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { InputField, SelectField, TextareaField } from "#app/components/ui/fields/labeled.tsx";
import { Key } from "#app/components/ui/keys/key.tsx";
import { useSingleKeys } from "#app/components/ui/keys/single-keys.ts";
import type { FieldName, Problems, SearchForm } from "#app/entities/search/form.ts";
import { CONFIRMATION_PHRASE } from "#app/entities/search/purpose.ts";
import { fieldId } from "./field-id.ts";

type Texts = Pick<
  SearchForm,
  "plate" | "lookAlikes" | "justification" | "caseNumber" | "purpose" | "confirmation" | "supervisor"
>;

export type PlateAndReasonProps = {
  initial: Texts;
  problems: Problems;
  /** The field that gets the focus when the page opens. */
  focused: FieldName;
  /** A warning about the justification: a prohibited purpose, or too vague. */
  notice: string;
  /** Asks for the confirmation of a prohibited purpose. */
  asksConfirmation: boolean;
  /** The agency's policy: every search needs a case number, or a purpose. */
  caseNumberRequired: boolean;
  purposeRequired: boolean;
  onPlateBlur: () => void;
};

/** The plate and the reason for the search. The form is always posted, so no URL contains a justification. */
export function PlateAndReason({
  initial,
  problems,
  focused,
  notice,
  asksConfirmation,
  caseNumberRequired,
  purposeRequired,
  onPlateBlur,
}: PlateAndReasonProps) {
  const slashActs = useSingleKeys();
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_13rem]">
      <InputField
        id={fieldId("plate")}
        className="sm:col-span-2"
        label="Plate"
        aside={
          <span className={cx("hidden items-center gap-1 sm:inline-flex", !slashActs && "invisible")}>
            Press <Key>/</Key> to jump here
          </span>
        }
        hint={
          <>
            Full or partial. <Sign>*</Sign> matches any characters, <Sign>?</Sign> exactly one.
          </>
        }
        error={problems.plate}
        plate
        autoFocus={focused === "plate"}
        controlSize="lg"
        controlClass="!min-h-14 !text-2xl"
        maxLength={40}
        enterKeyHint="search"
        placeholder="Any plate"
        name="plate"
        defaultValue={initial.plate}
        onBlur={onPlateBlur}
        // "/" is the shortcut to this field. If the field is empty and has the focus already, no slash is typed.
        onKeyDown={(event) => {
          if (event.key === "/" && slashActs && event.currentTarget.value === "") event.preventDefault();
        }}
      />
      <TextareaField
        id={fieldId("justification")}
        label="Justification"
        required
        hint={
          <span role="status">
            {notice ? <span className="text-warn">{notice}</span> : "Recorded in the audit log."}
          </span>
        }
        error={problems.justification}
        autoFocus={focused === "justification"}
        rows={2}
        controlClass="!min-h-20 !text-lg"
        maxLength={2000}
        name="justification"
        defaultValue={initial.justification}
      />
      <CaseFields
        initial={initial}
        problems={problems}
        focused={focused}
        caseNumberRequired={caseNumberRequired}
        purposeRequired={purposeRequired}
      />
      {asksConfirmation && <Confirmation initial={initial} problems={problems} focused={focused} />}
      {/* Last, so that one Tab leads from the plate to the justification, which every search needs. */}
      <Checkbox
        role="switch"
        className="sm:col-span-2"
        label="Look-alikes"
        hint="Also plates that are easily confused (8 and B) or differ in one character."
        name="look_alikes"
        value="on"
        defaultChecked={initial.lookAlikes}
      />
    </div>
  );
}

type FieldsProps = Pick<PlateAndReasonProps, "initial" | "problems" | "focused">;
type CaseFieldsProps = FieldsProps & Pick<PlateAndReasonProps, "caseNumberRequired" | "purposeRequired">;

function CaseFields({ initial, problems, focused, caseNumberRequired, purposeRequired }: CaseFieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      <InputField
        id={fieldId("case_number")}
        label="Case number"
        required={caseNumberRequired}
        aside={caseNumberRequired ? undefined : "Optional"}
        hint={caseNumberRequired ? "Required by your agency." : undefined}
        error={problems.case_number}
        autoFocus={focused === "case_number"}
        controlSize="lg"
        maxLength={64}
        name="case_number"
        defaultValue={initial.caseNumber}
      />
      <SelectField
        id={fieldId("purpose")}
        label="Purpose"
        required={purposeRequired}
        aside={purposeRequired ? undefined : "Optional"}
        error={problems.purpose}
        autoFocus={focused === "purpose"}
        name="purpose"
        defaultValue={initial.purpose}
      >
        <PurposeOptions required={purposeRequired} />
      </SelectField>
    </div>
  );
}

/** The second step of a search whose justification names a prohibited purpose. */
function Confirmation({ initial, problems, focused }: FieldsProps) {
  const fields = [
    {
      name: "confirmation",
      label: "Confirmation",
      hint: `Type: ${CONFIRMATION_PHRASE}`,
      maxLength: 200,
    },
    {
      name: "supervisor",
      label: "Supervisor who approved it",
      hint: "Reported for review with your name.",
      maxLength: 120,
    },
  ] as const;
  return (
    <fieldset className="grid min-w-0 gap-4 rounded-md border border-warn p-3 sm:col-span-2 sm:grid-cols-2">
      <legend className="px-1 font-medium text-warn">Confirm this search</legend>
      {fields.map(({ name, label, hint, maxLength }) => (
        <InputField
          key={name}
          id={fieldId(name)}
          label={label}
          required
          hint={hint}
          error={problems[name]}
          autoFocus={focused === name}
          name={name}
          maxLength={maxLength}
          defaultValue={initial[name]}
        />
      ))}
    </fieldset>
  );
}

function Sign({ children }: { children: string }) {
  return <code className="rounded-sm bg-sunken px-1 font-mono text-text">{children}</code>;
}
