import type { FormValues } from "#app/components/forms/use-form-values.ts";
import { type NameOf, type PlateDraft, plateDraftOf } from "#app/components/hotlists/plates/fields.tsx";
import { parseEntryPlate } from "#app/entities/hotlists/entry.ts";
import type { GroupDetails } from "#app/entities/hotlists/group.ts";
import { MEMBER } from "./member-boxes.tsx";

/** A plate that was added in the form but is not saved yet. */
export type UnsavedPlate = { key: number; draft: PlateDraft; file: File | null };

/** The contents of the Add Plate form that have not been added to the unsaved plates yet. */
export type EnteredPlate = Omit<UnsavedPlate, "key">;

/** Returns the form field name of the plate being entered, as POST /groups/{id}/edit-mobile expects it. */
export const enteredName: NameOf = (field) => `plates[0][${field}]`;
export const ENTERED_FILE = "plates[0][file]";

/** The contents of the edit form. */
export type GroupDraft = {
  name: string;
  description: string;
  members: readonly string[];
  hasImage: boolean;
  plates: readonly UnsavedPlate[];
  entered: EnteredPlate;
};

/** Returns the edit form's contents. Until scripts have read the form, these are the saved group's values. */
export function draftOfForm(
  group: GroupDetails,
  input: {
    values: FormValues | undefined;
    plates: readonly UnsavedPlate[];
    file: File | null;
    hasImage: boolean;
  },
): GroupDraft {
  const { values, plates, file, hasImage } = input;
  return {
    name: values?.group_name?.[0] ?? group.name,
    description: values?.group_description?.[0] ?? group.description,
    members: values ? (values[MEMBER] ?? []) : group.member_ids,
    hasImage,
    plates,
    entered: { draft: plateDraftOf(values, enteredName), file },
  };
}

/** Returns whether the user has entered anything in the Add Plate form. */
export function isEntered({ draft, file }: EnteredPlate): boolean {
  return file !== null || [draft.number, draft.reason, draft.notes, draft.case_number].some(Boolean);
}

/** Returns the unsaved plates plus the entered one, or the reason why it cannot be added. */
export function addEntered(
  plates: readonly UnsavedPlate[],
  { draft, file }: EnteredPlate,
): { plates: UnsavedPlate[]; problem?: undefined } | { problem: string } {
  const parsed = parseEntryPlate(draft.number, { wildcards: true });
  if (parsed.problem !== undefined) return { problem: parsed.problem };
  if (plates.some((other) => other.draft.number === parsed.plate && other.draft.state === draft.state))
    return { problem: `${parsed.plate} is already in the list of unsaved plates.` };
  return { plates: [...plates, { key: Date.now(), draft: { ...draft, number: parsed.plate }, file }] };
}

/** Returns whether two plates have the same details and the same attachment. */
export function isSamePlate(a: EnteredPlate, b: EnteredPlate): boolean {
  return a.file === b.file && JSON.stringify(a.draft) === JSON.stringify(b.draft);
}

/** Returns the unsaved plates that are not among those that a save sent: they were added while it ran. */
export function withoutSent(
  plates: readonly UnsavedPlate[],
  sent: readonly EnteredPlate[],
): readonly UnsavedPlate[] {
  return plates.filter((plate) => !sent.some((saved) => isSamePlate(saved, plate)));
}

/** Returns whether the form has unsaved changes. Line breaks in a text area count as one character each. */
export function isDirty(draft: GroupDraft, group: GroupDetails): boolean {
  const members = new Set(draft.members);
  return (
    draft.name !== group.name ||
    draft.description.replaceAll("\r\n", "\n") !== group.description.replaceAll("\r\n", "\n") ||
    draft.hasImage ||
    draft.plates.length > 0 ||
    isEntered(draft.entered) ||
    members.size !== group.member_ids.length ||
    group.member_ids.some((id) => !members.has(id))
  );
}

/** Replaces the entered plate in the form data with all unsaved plates, as POST /groups/{id}/edit-mobile expects. */
export function putPlates(data: FormData, plates: readonly UnsavedPlate[]): void {
  for (const name of [...data.keys()]) if (name.startsWith("plates[")) data.delete(name);
  plates.forEach(({ draft, file }, index) => {
    for (const [name, value] of Object.entries(draft)) data.set(`plates[${index}][${name}]`, String(value));
    if (file) data.set(`plates[${index}][file]`, file);
  });
}
