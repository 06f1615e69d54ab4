import { useRef } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import type { HotlistPlate } from "#app/entities/hotlists/entry.ts";
import { wallClock } from "#app/lib/time/wall-clock.ts";
import { PlateDialog } from "./dialog.tsx";
import { type PlateDraft, plateDraftOf } from "./fields.tsx";

export type EditPlateProps = {
  groupId: string;
  plate: HotlistPlate;
  onSaved: (plate: HotlistPlate) => void;
  onClose: () => void;
};

/** The fields of an entry as a call takes them. */
export function draftOf(plate: HotlistPlate): PlateDraft {
  return {
    number: plate.plate_number,
    state: plate.state,
    reason: plate.reason,
    notes: plate.notes,
    case_number: plate.case_number,
    expires: "",
    match_policy: plate.match_policy,
    state_required: plate.state_required,
    make: plate.make,
    color: plate.color,
    body_type: plate.body_type,
    priority: plate.priority,
  };
}

export function savePlate(groupId: string, plate: HotlistPlate, draft: PlateDraft, renew: boolean) {
  const { number: _, ...details } = draft;
  return callApi<{ plate: HotlistPlate }>(`/groups/${encodeURIComponent(groupId)}/plates/${plate.id}`, {
    method: "PATCH",
    json: { ...details, revision: plate.revision, renew },
    failed: "The plate could not be saved.",
  });
}

export function EditPlateDialog({ groupId, plate, onSaved, onClose }: EditPlateProps) {
  const form = useRef<HTMLFormElement>(null);
  const initial = draftOf(plate);
  const values = useFormValues(form);
  const draft = values ? plateDraftOf(values) : initial;
  const { mutate, pending, problem } = useMutation({ inline: true, refresh: "never" });
  const saving = pending !== undefined;
  async function save() {
    if (saving) return;
    await mutate(savePlate(groupId, plate, draft, false), {
      done: (saved) => {
        onSaved(saved.plate);
        onClose();
      },
    });
  }
  return (
    <PlateDialog
      title="Edit plate"
      plate={plate.plate_number}
      region={plate.state}
      initial={initial}
      form={form}
      onSave={save}
      onClose={onClose}
      saving={saving}
      problem={problem}
      reasonRequired={plate.reason !== ""}
      expiryHint={
        plate.expires_at
          ? `Empty: stays ${wallClock(Date.parse(plate.expires_at)).slice(0, 10)}`
          : "Empty: stays without an end"
      }
    />
  );
}
