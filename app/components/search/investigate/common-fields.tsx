import { Search } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { JURISDICTION_OPTIONS } from "#app/components/forms/jurisdiction-options.tsx";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { PurposeOptions } from "#app/components/search/purpose-options.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { InputField, SelectField, TextareaField, TimeField } from "#app/components/ui/fields/labeled.tsx";
import { LazySlot, lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import type { WholeAgencies } from "#app/entities/search/agencies.ts";
import type { RangeEdge } from "#app/lib/time/wall-clock.ts";
import type { InvestigationState, Tool } from "./use-investigation.ts";

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
  return <TimeField {...state.field(name)} label={label} required edge={edge} />;
}

/** The state of the plate: two states may have issued the same plate. */
export function StateSelect({ state }: { state: InvestigationState }) {
  return (
    <SelectField {...state.field("plate_state")} label="State" aside="Optional">
      <option value="">Any</option>
      {JURISDICTION_OPTIONS}
    </SelectField>
  );
}

const Overlay = lazyPart(
  async () => (await import("#app/components/search/form/overlay.tsx")).SearchOverlay,
  { quiet: true },
);

/** The frame of both forms: the parts of a tool, then reason and agencies, then the button and the progress. */
export function InvestigationForm({
  tool,
  state,
  groups,
  purposeRequired,
  button,
  onInput,
  children,
}: {
  tool: Tool;
  state: InvestigationState;
  groups: readonly WholeAgencies[];
  purposeRequired: boolean;
  button: string;
  onInput?: () => void;
  children: ReactNode;
}) {
  return (
    <form
      ref={state.form}
      method="post"
      noValidate
      autoComplete="off"
      aria-label={button}
      className="flex flex-col gap-4"
      onSubmit={state.onSubmit}
      onInput={onInput}
    >
      <input type="hidden" name={FORM_FIELDS.intent} value={tool} />
      <ErrorBox message={state.message} />
      {children}
      <Reasons state={state} purposeRequired={purposeRequired} />
      <Agencies state={state} groups={groups} />
      <div className="flex">
        <Button
          type="submit"
          size="lg"
          variant="primary"
          icon={<Search />}
          className="max-sm:flex-1"
          pending={state.running !== undefined}
          pendingLabel="Searching…"
        >
          {button}
        </Button>
      </div>
      <LazySlot>
        <Overlay running={state.running} onCancel={state.cancel} />
      </LazySlot>
    </form>
  );
}

/** The fields for the reason of the search. A case number is always required. */
function Reasons({ state, purposeRequired }: { state: InvestigationState; purposeRequired: boolean }) {
  return (
    <div className="grid gap-4 rounded-md border border-line bg-raised p-4 sm:grid-cols-[minmax(0,1fr)_16rem]">
      <TextareaField
        {...state.field("justification")}
        label="Justification"
        required
        hint="Recorded in the audit log. Prohibited purposes are blocked."
        rows={3}
        maxLength={2000}
      />
      <div className="flex flex-col gap-4">
        <InputField {...state.field("case_number")} label="Case number" required maxLength={64} />
        <SelectField
          {...state.field("purpose")}
          label="Purpose"
          required={purposeRequired}
          aside={purposeRequired ? undefined : "Optional"}
        >
          <PurposeOptions required={purposeRequired} />
        </SelectField>
      </div>
    </div>
  );
}

/** The agencies to search, all of them at first. */
function Agencies({ state, groups }: { state: InvestigationState; groups: readonly WholeAgencies[] }) {
  const problem = state.problem("agencies");
  // A form without a checked box does not send this field.
  const sent = state.values && (state.values.agencies ?? []);
  return (
    <Collapsible
      title="Agencies"
      aside="All are searched unless you clear some"
      defaultOpen={problem !== undefined}
    >
      {problem && <p className="mb-2 text-sm font-medium text-hit">{problem}</p>}
      <div className="grid gap-4 sm:grid-cols-3">
        {groups.map(({ program, options }) => (
          <fieldset key={program} className="min-w-0">
            <legend className="mb-1">
              <ProgramMark program={program} named />
            </legend>
            {options.length === 0 && <p className="text-sm text-muted">None share with your agency.</p>}
            {options.map(({ key, name, parts = [] }) => (
              <Fragment key={key}>
                <Checkbox
                  name="agencies"
                  value={key}
                  defaultChecked={sent ? sent.includes(key) : true}
                  label={name}
                  className="w-full"
                />
                {parts
                  .filter((part) => sent?.includes(part))
                  .map((part) => (
                    <Checkbox
                      key={part}
                      name="agencies"
                      value={part}
                      defaultChecked
                      label={`${name}, only ${part}`}
                      className="w-full"
                    />
                  ))}
              </Fragment>
            ))}
          </fieldset>
        ))}
      </div>
    </Collapsible>
  );
}
