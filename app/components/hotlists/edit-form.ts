import type { GroupDetails } from "#app/entities/alert-group.ts";
import { parseEntryPlate, REASON_NEEDED } from "#app/entities/hotlist.ts";
import { visibleText } from "#app/lib/text.ts";
import { EMPTY_PLATE, type PlateDraft } from "./plate-fields.tsx";

/** A plate that is in the form only. */
export type UnsavedPlate = { key: number; draft: PlateDraft; file: File | null };

/** What stands in the Add Plate form, not added to the others yet. */
export type EnteredPlate = Omit<UnsavedPlate, "key">;

export const NOTHING_ENTERED: EnteredPlate = { draft: EMPTY_PLATE, file: null };

export type GroupDraft = {
  name: string;
  description: string;
  members: Set<string>;
  image: File | null;
  plates: UnsavedPlate[];
  entered: EnteredPlate;
};

export function draftOfGroup(group: GroupDetails): GroupDraft {
  return {
    name: group.name,
    description: group.description,
    members: new Set(group.member_ids),
    image: null,
    plates: [],
    entered: NOTHING_ENTERED,
  };
}

/** Whether somebody has written into the Add Plate form. */
export function isEntered({ draft, file }: EnteredPlate): boolean {
  return file !== null || [draft.number, draft.reason, draft.notes, draft.case_number].some(Boolean);
}

/** The plates that wait with the one that was entered among them, or why it cannot be. */
export function plusEntered(
  plates: readonly UnsavedPlate[],
  { draft, file }: EnteredPlate,
): { plates: UnsavedPlate[]; problem?: undefined } | { problem: string } {
  const parsed = parseEntryPlate(draft.number, { wildcards: true });
  if (parsed.problem !== undefined) return { problem: parsed.problem };
  if (plates.some((other) => other.draft.number === parsed.plate && other.draft.state === draft.state))
    return { problem: `${parsed.plate} waits to be saved already.` };
  if (visibleText(draft.reason) === "") return { problem: REASON_NEEDED };
  return { plates: [...plates, { key: Date.now(), draft: { ...draft, number: parsed.plate }, file }] };
}

/** Whether leaving would lose something. */
export function isDirty(draft: GroupDraft, group: GroupDetails): boolean {
  return (
    draft.name !== group.name ||
    draft.description !== group.description ||
    draft.image !== null ||
    draft.plates.length > 0 ||
    isEntered(draft.entered) ||
    draft.members.size !== group.member_ids.length ||
    group.member_ids.some((id) => !draft.members.has(id))
  );
}

/** The form as POST /groups/{id}/edit-mobile takes it. */
export function formDataOf(draft: GroupDraft, save: { version: number; key: string }): FormData {
  const body = new FormData();
  body.set("group_name", draft.name);
  body.set("group_description", draft.description);
  body.set("group_members", [...draft.members].join(","));
  body.set("version", String(save.version));
  body.set("idempotency_key", save.key);
  if (draft.image) body.set("group_image_file", draft.image);
  draft.plates.forEach(({ draft: plate, file }, index) => {
    for (const [name, value] of Object.entries(plate)) body.set(`plates[${index}][${name}]`, String(value));
    if (file) body.set(`plates[${index}][file]`, file);
  });
  return body;
}
