import type { GroupDetails } from "#app/entities/alert-group.ts";
import type { PlateDraft } from "./plate-fields.tsx";

/** A plate that is in the form only. */
export type UnsavedPlate = { key: number; draft: PlateDraft; file: File | null };

export type GroupDraft = {
  name: string;
  description: string;
  members: Set<string>;
  image: File | null;
  plates: UnsavedPlate[];
};

export function draftOfGroup(group: GroupDetails): GroupDraft {
  return {
    name: group.name,
    description: group.description,
    members: new Set(group.member_ids),
    image: null,
    plates: [],
  };
}

/** Whether leaving would lose something. */
export function isDirty(draft: GroupDraft, group: GroupDetails): boolean {
  return (
    draft.name !== group.name ||
    draft.description !== group.description ||
    draft.image !== null ||
    draft.plates.length > 0 ||
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
