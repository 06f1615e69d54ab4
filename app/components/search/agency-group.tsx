import { useState } from "react";
import { Checkbox } from "#app/components/ui/checkbox.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { type AgencyGroup, chosenOptions, type Selection, stateOf, withAgencies } from "./agency-options.ts";
import { counted } from "./describe-search.ts";
import { ProgramMark } from "./program-mark.tsx";

/** From so many agencies on, a group is closed at first. */
const OPEN_UP_TO = 8;
const FILTER_ABOVE = 12;

export type AgencyGroupFieldsProps = {
  group: AgencyGroup;
  selected: Selection;
  onChange: (selected: Selection) => void;
  /** The lists could not be loaded, so that an empty one says nothing. */
  unavailable: boolean;
};

/** One program's agencies: a box that selects them all, and one for each. */
export function AgencyGroupFields({ group, selected, onChange, unavailable }: AgencyGroupFieldsProps) {
  const { program, options } = group;
  const [filter, setFilter] = useState("");
  const needle = filter.trim().toLowerCase();
  const shown = options.filter((option) => option.name.toLowerCase().includes(needle));
  const chosen = chosenOptions([group], selected).length;
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
      lead={
        <Checkbox
          id={`search-all-${program}`}
          aria-label={`All ${program} agencies`}
          checked={stateOf(options, selected)}
          disabled={options.length === 0}
          onCheckedChange={(checked) => onChange(withAgencies(selected, options, checked))}
        />
      }
    >
      {options.length > FILTER_ABOVE && (
        <>
          <Input
            type="search"
            controlSize="sm"
            className="mb-2"
            aria-label={`Filter ${program} agencies`}
            placeholder={`Filter ${options.length} agencies`}
            autoComplete="off"
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
            onKeyDown={(event) => {
              // Enter here means "filter", which has happened already, not "search".
              if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault();
            }}
          />
          <LiveRegion>{needle === "" ? "" : counted(shown.length, "agency", "agencies")}</LiveRegion>
        </>
      )}
      {options.length === 0 ? (
        <p className="text-sm text-muted">
          {unavailable ? "Agencies could not be loaded." : `No ${program} agency shares with yours.`}
        </p>
      ) : (
        <ul aria-label={`${program} agencies`} className="-my-1 max-h-72 overflow-auto p-1">
          {shown.map((option) => (
            <li key={option.key}>
              <Checkbox
                className="w-full py-0.5"
                label={option.name}
                checked={stateOf([option], selected)}
                onCheckedChange={(checked) => onChange(withAgencies(selected, [option], checked))}
              />
            </li>
          ))}
          {shown.length === 0 && <li className="text-sm text-muted">No agency is called that.</li>}
        </ul>
      )}
    </Collapsible>
  );
}
