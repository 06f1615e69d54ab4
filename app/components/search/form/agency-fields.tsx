import { CircleAlert, Radar } from "lucide-react";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { type AgencyGroup, chosenOptions, type Selection } from "#app/entities/search/agencies.ts";
import { AgencyGroupFields } from "./agency-group.tsx";
import { counted } from "./describe.ts";
import { fieldId } from "./field-id.ts";

export type AgencyFieldsProps = {
  groups: readonly AgencyGroup[];
  initial: Selection;
  /** What is selected at the moment; undefined until the scripts have read the form. */
  selected: Selection | undefined;
  unavailable: boolean;
  problem: string | undefined;
  /** Selects every agency, or none. */
  onAll: (checked: boolean) => void;
};

/** Whom to ask: one group a program. */
export function AgencyFields({ groups, initial, selected, unavailable, problem, onAll }: AgencyFieldsProps) {
  const options = groups.flatMap((group) => group.options);
  const chosen = chosenOptions(groups, selected ?? initial).length;
  const id = fieldId("agencies");
  const all = chosen === options.length;
  if (options.length === 0 && !unavailable) {
    return (
      <div id={id} tabIndex={-1} className="rounded-md border border-line bg-raised">
        <EmptyState icon={<Radar />} title="There is no agency to search yet">
          An administrator of your agency adds Rekor keys, an Axon integration or Axis cameras under
          Integrations.
        </EmptyState>
      </div>
    );
  }
  return (
    <fieldset
      id={id}
      tabIndex={-1}
      aria-describedby={problem ? `${id}-error` : undefined}
      className="flex min-w-0 flex-col gap-2 outline-none"
    >
      <legend className="sr-only">Agencies</legend>
      <div className="flex min-h-control items-center gap-3">
        <span aria-hidden="true" className="text-sm font-medium">
          Agencies<span className="ms-0.5 text-hit">*</span>
        </span>
        <span className="text-sm text-muted">
          {chosen} of {counted(options.length, "agency", "agencies")}
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
        />
      ))}
    </fieldset>
  );
}
