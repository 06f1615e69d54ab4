import { Link } from "@remix-run/react";
import { CircleAlert, Radar } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";
import {
  type AgencyGroup,
  type AgencyOption,
  chosenOptions,
  type Selection,
  stateOf,
} from "#app/entities/search/agencies.ts";
import { partOf } from "#app/entities/search/fields.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { fieldId } from "./field-id.ts";
import { ProgramMark } from "./program-mark.tsx";

export type AgencyFieldsProps = {
  groups: readonly AgencyGroup[];
  initial: Selection;
  /** The current selection; undefined until the scripts have read the form. */
  selected: Selection | undefined;
  unavailable: boolean;
  problem: string | undefined;
  /** Whether the group gets the focus when the page opens. */
  isFocused: boolean;
  /** Selects all agencies, or clears the selection. */
  onAll: (checked: boolean) => void;
};

/** The message for a program without agencies. Rekor keys belong to each agency and cannot be shared. */
const NONE: Record<AgencyGroup["program"], string> = {
  Rekor: "Your agency has no Rekor API keys.",
  Axon: "No agency shares Axon reads with yours.",
  Axis: "No agency shares Axis cameras with yours.",
};

/** The agencies to search, in one group per source program. */
export function AgencyFields(props: AgencyFieldsProps) {
  const { groups, initial, selected, unavailable, problem, isFocused, onAll } = props;
  const options = groups.flatMap((group) => group.options);
  const chosen = chosenOptions(groups, selected ?? initial).length;
  const id = fieldId("agencies");
  const all = chosen === options.length;
  const standing = useStanding();
  const isAdmin = standing !== null && mayUse("admin", standing);
  if (options.length === 0 && !unavailable) {
    return (
      <div id={id} tabIndex={-1} className="rounded-md border border-line bg-raised">
        <EmptyState
          icon={<Radar />}
          title="No agencies to search yet"
          actions={
            isAdmin && (
              <Link to="/api-keys" className={buttonClass("primary")}>
                Manage Integrations
              </Link>
            )
          }
        >
          {isAdmin
            ? "Add Rekor keys, an Axon integration or Axis cameras."
            : "Ask an administrator of your agency to add Rekor keys, an Axon integration or Axis cameras under Integrations."}
        </EmptyState>
      </div>
    );
  }
  return (
    <fieldset
      id={id}
      tabIndex={-1}
      // biome-ignore lint/a11y/noAutofocus: the first field that was refused, without scripts
      autoFocus={isFocused}
      className="flex min-w-0 flex-col gap-2 outline-none"
    >
      <legend className="sr-only">Agencies</legend>
      <div className="flex min-h-control items-center gap-3">
        <span aria-hidden="true" className="text-sm font-medium">
          Agencies<span className="ms-0.5 text-hit">*</span>
        </span>
        <span className="text-sm text-muted">
          {numberText(chosen)} of {counted(options.length, "agency", "agencies")}
        </span>
        <Button
          size="sm"
          variant="ghost"
          className="ms-auto noscript:hidden"
          disabled={options.length === 0}
          onClick={() => onAll(!all)}
        >
          {all ? "Select none" : "Select all"}
        </Button>
      </div>
      <div aria-live="polite" className="not-empty:mb-1 -mt-2">
        {problem && (
          <p id={`${id}-error`} className="flex items-start gap-1 text-xs font-medium text-hit">
            <CircleAlert aria-hidden="true" className="mt-px size-3.5 shrink-0" />
            {problem}
          </p>
        )}
      </div>
      {groups.map((group) => (
        <AgencyGroupFields
          key={group.program}
          group={group}
          initial={initial}
          selected={selected}
          unavailable={unavailable}
          problemId={problem && `${id}-error`}
        />
      ))}
    </fieldset>
  );
}

/** Groups with more agencies than this start collapsed. */
const OPEN_UP_TO = 8;
const FILTER_ABOVE = 12;

type AgencyGroupFieldsProps = {
  group: AgencyGroup;
  initial: Selection;
  /** The current selection; undefined until the scripts have read the form. */
  selected: Selection | undefined;
  /** The agency lists failed to load, so an empty list does not mean that no agency shares. */
  unavailable: boolean;
  /** The id of the message that no agency is selected. */
  problemId: string | undefined;
};

/** One program's agencies: a select-all checkbox and a checkbox for each agency. */
function AgencyGroupFields(props: AgencyGroupFieldsProps) {
  const { group, initial, selected, unavailable, problemId } = props;
  const { program, options } = group;
  const [filter, setFilter] = useState("");
  const filterInput = useRef<HTMLInputElement>(null);
  // Applies a filter that was typed before hydration.
  useEffect(() => setFilter(filterInput.current?.value ?? ""), []);
  const needle = filter.trim().toLowerCase();
  const isShown = ({ name }: AgencyOption) => name.toLowerCase().includes(needle);
  const shown = options.filter(isShown).length;
  const chosen = chosenOptions([group], selected ?? initial).length;
  return (
    <Collapsible
      defaultOpen={options.length <= OPEN_UP_TO}
      title={<ProgramMark program={program} named />}
      aside={
        <>
          {numberText(chosen)} of {numberText(options.length)}
          <span className="sr-only"> selected</span>
        </>
      }
      lead={<ProgramBox group={group} selected={selected} problemId={problemId} />}
    >
      {options.length > FILTER_ABOVE && (
        <>
          <Input
            ref={filterInput}
            type="search"
            controlSize="sm"
            className="mb-2"
            aria-label={`Filter ${program} agencies`}
            placeholder={`Filter ${numberText(options.length)} agencies`}
            autoComplete="off"
            // Belongs to no form, so that Enter does not submit the search.
            form={`no-form-${program}`}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
          <LiveRegion>{needle === "" ? "" : counted(shown, "agency", "agencies")}</LiveRegion>
        </>
      )}
      {options.length === 0 ? (
        <p className="text-sm text-muted">{unavailable ? "Agencies could not be loaded." : NONE[program]}</p>
      ) : (
        <ul aria-label={`${program} agencies`} className="-my-1 max-h-72 overflow-auto p-1">
          {options.map((option) => (
            // Hidden, not removed, so that filtered-out checkboxes keep their state.
            <li key={option.key} hidden={!isShown(option)}>
              <Checkbox
                className="w-full py-1"
                label={option.name}
                name="agencies"
                value={option.key}
                defaultChecked={stateOf([option], initial) === true}
                mixed={stateOf([option], selected ?? initial) === "mixed"}
              />
              {partOf(option, initial).map((identifier) => (
                <input key={identifier} type="hidden" name="agencies" value={identifier} />
              ))}
            </li>
          ))}
          {shown === 0 && <li className="text-sm text-muted">No agencies match the filter.</li>}
        </ul>
      )}
    </Collapsible>
  );
}

/**
 * Selects all agencies of a program. Without scripts, submitting it adds all of them to the checked ones; with scripts,
 * its state follows the agency checkboxes.
 */
function ProgramBox({
  group,
  selected,
  problemId,
}: Pick<AgencyGroupFieldsProps, "group" | "selected" | "problemId">) {
  const { program, options } = group;
  const box = useRef<HTMLInputElement>(null);
  const state = selected && stateOf(options, selected);
  useEffect(() => {
    if (box.current && state !== undefined) box.current.checked = state === true;
  });
  return (
    <Checkbox
      ref={box}
      id={`search-all-${program}`}
      aria-label={`All ${program} agencies`}
      aria-invalid={problemId ? true : undefined}
      aria-describedby={problemId}
      name="programs"
      value={program}
      mixed={state === "mixed"}
      disabled={options.length === 0}
    />
  );
}
