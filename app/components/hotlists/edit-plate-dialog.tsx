import { useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import type { HotlistPlate } from "#app/entities/hotlist.ts";
import { call } from "./call.ts";
import { type PlateDraft, PlateFields } from "./plate-fields.tsx";

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
  return call<{ plate: HotlistPlate }>(`/groups/${encodeURIComponent(groupId)}/plates/${plate.id}`, {
    method: "PATCH",
    json: { ...details, revision: plate.revision, renew },
    failed: "The plate could not be saved.",
  });
}

export function EditPlateDialog({ groupId, plate, onSaved, onClose }: EditPlateProps) {
  const [draft, setDraft] = useState(() => draftOf(plate));
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState("");
  async function save() {
    if (saving) return;
    setSaving(true);
    setProblem("");
    const answer = await savePlate(groupId, plate, draft, false);
    setSaving(false);
    if (!answer.ok) return setProblem(answer.message);
    onSaved(answer.value.plate);
    onClose();
  }
  return (
    <Dialog
      open
      onClose={onClose}
      locked={saving}
      size="lg"
      title={
        <span className="flex flex-wrap items-center gap-3">
          Edit plate
          <PlateChip text={plate.plate_number} region={plate.state || undefined} size="sm" />
        </span>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" pending={saving} pendingLabel="Saving..." onClick={save}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <div role="alert" className="empty:hidden">
          {problem && <p className="rounded-md bg-hit-soft px-3 py-2 font-medium text-hit">{problem}</p>}
        </div>
        <PlateFields
          draft={draft}
          fixedPlate
          onChange={(changes) => setDraft((before) => ({ ...before, ...changes }))}
          expiryHint={
            plate.expires_at ? `Empty: stays ${plate.expires_at.slice(0, 10)}` : "Empty: stays without an end"
          }
        />
      </div>
    </Dialog>
  );
}
