import { Paperclip, Plus, X } from "lucide-react";
import { type KeyboardEvent, useRef } from "react";
import { hasIncompleteTime } from "#app/components/forms/incomplete-time.ts";
import {
  addEntered,
  ENTERED_FILE,
  type EnteredPlate,
  enteredName,
  type UnsavedPlate,
} from "#app/components/hotlists/edit-form.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { FILE_INPUT } from "#app/components/ui/fields/input.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { PlateCheckNotice, usePlateCheck } from "./check-notice.tsx";
import { EMPTY_PLATE, expiryHint, type PlateDraft, PlateFields, type PlateProblems } from "./fields.tsx";

export type UnsavedPlatesProps = {
  groupId: string;
  expiryDays: number;
  plates: readonly UnsavedPlate[];
  /** The current values of the fields. */
  entered: EnteredPlate;
  /** Values from a form that was sent without scripts, and their problems. */
  initial: PlateDraft;
  refused: PlateProblems & { file?: string };
  /** Reasons to suggest. */
  reasons: readonly string[];
  problem: string;
  onPlates: (plates: UnsavedPlate[]) => void;
  onProblem: (problem: string) => void;
};

/** The Add Plate form, and the plates that Save Changes will save. */
export function UnsavedPlates(props: UnsavedPlatesProps) {
  const { groupId, expiryDays, plates, entered, initial, refused, reasons, problem, onPlates, onProblem } =
    props;
  const { draft } = entered;
  const fields = useRef<HTMLDivElement>(null);
  const check = usePlateCheck({ plate: draft.number, draft, groupId });

  function add() {
    if (hasIncompleteTime(fields.current)) return;
    const added = addEntered(plates, entered);
    if (added.problem !== undefined) return refuse(added.problem);
    const plate = check?.duplicates.find((other) => other.in_this_group && !other.expired) && check.plate;
    if (plate) return refuse(`${plate} is already in this group.`);
    onPlates(added.plates);
    onProblem("");
    clearEntered(fields.current);
  }

  function refuse(why: string) {
    onProblem(why);
    focusPlate(fields.current);
  }

  /** Enter adds the plate; otherwise it would submit the whole group. */
  function onKeyDown(event: KeyboardEvent) {
    const { key, target } = event;
    if (key !== "Enter" || !(target instanceof HTMLInputElement) || target.type === "file") return;
    event.preventDefault();
    add();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the fields inside receive the key events
    <div ref={fields} className="flex flex-col gap-3" onKeyDown={onKeyDown} onInput={() => onProblem("")}>
      <PlateFields
        initial={initial}
        nameOf={enteredName}
        reasons={reasons}
        problems={problem ? { number: problem } : refused}
        expiryHint={expiryHint(expiryDays)}
      />
      <PlateCheckNotice check={check} policy={draft.match_policy} />
      <div className="flex flex-wrap items-start gap-3">
        <Field
          label="Attachment"
          hint="Optional: a PDF or an image, at most 10 MB."
          error={refused.file}
          className="flex-1"
        >
          {(control) => (
            <input
              {...control}
              type="file"
              name={ENTERED_FILE}
              accept="application/pdf,image/jpeg,image/png,image/webp,image/gif"
              className={FILE_INPUT}
            />
          )}
        </Field>
        <Button icon={<Plus />} className="mt-6 noscript:hidden" onClick={add}>
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
              <span className="min-w-0 flex-1 text-sm wrap-anywhere">{plate.draft.reason}</span>
              {plate.file && (
                <span className="inline-flex max-w-40 items-center gap-1 truncate text-xs text-muted">
                  <Paperclip aria-hidden="true" className="size-3.5 shrink-0" />
                  {plate.file.name}
                </span>
              )}
              <Badge tone="warn">Not saved</Badge>
              <IconButton
                size="sm"
                label={`Discard ${plate.draft.number}`}
                icon={<X />}
                onClick={() => onPlates(plates.filter((other) => other.key !== plate.key))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Moves the focus to the plate number, whose error is shown there. */
export function focusPlate(fields: HTMLElement | null): void {
  fields?.querySelector<HTMLInputElement>(`[name="${enteredName("number")}"]`)?.focus();
}

/** Clears the fields of the added plate and fires a change event for listeners of the form. */
export function clearEntered(fields: HTMLElement | null): void {
  for (const field of fields?.querySelectorAll<HTMLInputElement>("[name^='plates[0]']") ?? []) {
    const key = /\[(\w+)\]$/.exec(field.name)?.[1];
    const empty = Object.entries(EMPTY_PLATE).find(([name]) => name === key)?.[1] ?? "";
    if (field.type === "checkbox") field.checked = false;
    else field.value = String(empty);
  }
  fields?.querySelector("input")?.dispatchEvent(new Event("change", { bubbles: true }));
}
