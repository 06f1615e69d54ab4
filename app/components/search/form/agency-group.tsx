import { useEffect, useRef, useState } from "react";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import {
  type AgencyGroup,
  type AgencyOption,
  chosenOptions,
  type Selection,
  stateOf,
} from "#app/entities/search/agencies.ts";
import { partOf } from "#app/entities/search/fields.ts";
import { counted } from "./describe.ts";
import { ProgramMark } from "./program-mark.tsx";

/** From so many agencies on, a group is closed at first. */
const OPEN_UP_TO = 8;
const FILTER_ABOVE = 12;

export type AgencyGroupFieldsProps = {
  group: AgencyGroup;
  initial: Selection;
  /** What is selected at the moment; undefined until the scripts have read the form. */
  selected: Selection | undefined;
  /** The lists could not be loaded, so that an empty one says nothing. */
  unavailable: boolean;
};

/** One program's agencies: a box that selects them all, and one for each. */
export function AgencyGroupFields({ group, initial, selected, unavailable }: AgencyGroupFieldsProps) {
  const { program, options } = group;
  const [filter, setFilter] = useState("");
  const filterInput = useRef<HTMLInputElement>(null);
  // What was typed before hydration filters as well.
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
          {chosen} of {options.length}
          <span className="sr-only"> selected</span>
        </>
      }
      lead={<ProgramBox group={group} selected={selected} />}
    >
      {options.length > FILTER_ABOVE && (
        <>
          <Input
            ref={filterInput}
            type="search"
            controlSize="sm"
            className="mb-2"
            aria-label={`Filter ${program} agencies`}
            placeholder={`Filter ${options.length} agencies`}
            autoComplete="off"
            // Of no form: Enter here means "filter", which has happened already, not "search".
            form={`no-form-${program}`}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
          <LiveRegion>{needle === "" ? "" : counted(shown, "agency", "agencies")}</LiveRegion>
        </>
      )}
      {options.length === 0 ? (
        <p className="text-sm text-muted">
          {unavailable ? "Agencies could not be loaded." : `No ${program} agency shares with yours.`}
        </p>
      ) : (
        <ul aria-label={`${program} agencies`} className="-my-1 max-h-72 overflow-auto p-1">
          {options.map((option) => (
            // Hidden, not removed: a box that is out of sight keeps its mark.
            <li key={option.key} hidden={!isShown(option)}>
              <Checkbox
                className="w-full py-0.5"
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
          {shown === 0 && <li className="text-sm text-muted">No agency is called that.</li>}
        </ul>
      )}
    </Collapsible>
  );
}

/**
 * Selects all agencies of a program. Without scripts it adds them all to those that are checked; with scripts it follows
 * the boxes of its agencies.
 */
function ProgramBox({ group, selected }: { group: AgencyGroup; selected: Selection | undefined }) {
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
      name="programs"
      value={program}
      mixed={state === "mixed"}
      disabled={options.length === 0}
    />
  );
}
