import { Paperclip, Plus, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { REASON_NEEDED } from "#app/entities/hotlist.ts";
import { type EnteredPlate, NOTHING_ENTERED, plusEntered, type UnsavedPlate } from "./edit-form.ts";
import { PlateCheckNotice } from "./plate-check-notice.tsx";
import { expiryHint, PlateFields } from "./plate-fields.tsx";
import { usePlateCheck } from "./use-plate-check.ts";

export type UnsavedPlatesProps = {
  groupId: string;
  expiryDays: number;
  plates: UnsavedPlate[];
  entered: EnteredPlate;
  problem: string;
  onChange: (changes: { plates?: UnsavedPlate[]; entered?: EnteredPlate }) => void;
  onProblem: (problem: string) => void;
};

/** The Add Plate form, and the plates that wait for Save Changes. */
export function UnsavedPlates(props: UnsavedPlatesProps) {
  const { groupId, expiryDays, plates, entered, problem, onChange, onProblem } = props;
  const { draft, file } = entered;
  const input = useRef<HTMLInputElement>(null);
  const check = usePlateCheck({ plate: draft.number, draft, groupId });

  useEffect(() => {
    if (file === null && input.current) input.current.value = "";
  }, [file]);

  function add() {
    const added = plusEntered(plates, entered);
    if (added.problem !== undefined) return onProblem(added.problem);
    const plate = check?.duplicates.find((other) => other.in_this_group) && check.plate;
    if (plate) return onProblem(`${plate} is in this group already.`);
    onChange({ plates: added.plates, entered: NOTHING_ENTERED });
    onProblem("");
  }

  /** Enter in the fields adds the plate; it would save the whole group otherwise. */
  function onKeyDown(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    if (event.key !== "Enter" || target.tagName !== "INPUT" || (target as HTMLInputElement).type === "file")
      return;
    event.preventDefault();
    add();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the fields within take the keys
    <div className="flex flex-col gap-3" onKeyDown={onKeyDown}>
      <PlateFields
        draft={draft}
        onChange={(changes) => {
          onChange({ entered: { draft: { ...draft, ...changes }, file } });
          onProblem("");
        }}
        reasonRequired
        problem={
          problem ? { field: problem === REASON_NEEDED ? "reason" : "number", text: problem } : undefined
        }
        expiryHint={expiryHint(expiryDays)}
      />
      <PlateCheckNotice check={check} policy={draft.match_policy} />
      <div className="flex flex-wrap items-start gap-3">
        <label className="flex min-w-0 flex-1 flex-col gap-1 text-sm font-medium">
          Attachment
          <input
            ref={input}
            type="file"
            accept="application/pdf,image/jpeg,image/png,image/webp"
            className="control w-full min-w-0 p-1.5 text-sm font-normal file:me-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-1 file:font-medium file:text-text"
            onChange={(event) =>
              onChange({ entered: { draft, file: event.currentTarget.files?.[0] ?? null } })
            }
          />
          <span className="text-xs font-normal text-muted">Optional: a PDF or an image, at most 10 MB.</span>
        </label>
        <Button icon={<Plus />} className="mt-6" onClick={add}>
          Add Plate
        </Button>
      </div>
      {plates.length > 0 && (
        <ul
          className="flex flex-col divide-y divide-line rounded-md border border-warn bg-raised"
          aria-label="Plates not saved yet"
        >
          {plates.map((plate) => (
            <li key={plate.key} className="flex items-center gap-3 px-3 py-1.5">
              <PlateChip text={plate.draft.number} region={plate.draft.state || undefined} size="sm" />
              <span className="min-w-0 flex-1 truncate text-sm">{plate.draft.reason}</span>
              {plate.file && (
                <span className="inline-flex max-w-40 items-center gap-1 truncate text-xs text-muted">
                  <Paperclip aria-hidden="true" className="size-3.5 shrink-0" />
                  {plate.file.name}
                </span>
              )}
              <Badge tone="warn">Not saved</Badge>
              <IconButton
                size="sm"
                label={`Take ${plate.draft.number} back`}
                icon={<X />}
                onClick={() => onChange({ plates: plates.filter((other) => other.key !== plate.key) })}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
