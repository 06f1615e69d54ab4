import { CircleAlert, ListPlus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { notify } from "#app/components/ui/notify.ts";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { Select } from "#app/components/ui/select.tsx";
import type { GroupCard } from "#app/entities/alert-group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { call, saveKey } from "./call.ts";
import { PlateCheckNotice } from "./plate-check-notice.tsx";
import { EMPTY_PLATE, type PlateDraft, PlateFields } from "./plate-fields.tsx";
import { usePlateCheck } from "./use-plate-check.ts";

export type AddPlateProps = {
  plate: string;
  state: string;
  make?: string;
  color?: string;
  bodyType?: string;
};

/** The button of a sighting, with its dialog: hotlist admins only. */
export function AddPlateButton(props: AddPlateProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" icon={<ListPlus />} onClick={() => setOpen(true)}>
        Add Plate to Hotlist
      </Button>
      {open && <AddPlateDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function AddPlateDialog({ plate, state, onClose }: AddPlateProps & { onClose: () => void }) {
  const [groups, setGroups] = useState<GroupCard[]>();
  const [groupId, setGroupId] = useState("");
  const [draft, setDraft] = useState<PlateDraft>({ ...EMPTY_PLATE, number: plate, state });
  const [problem, setProblem] = useState("");
  const [saving, setSaving] = useState(false);
  const key = useRef(saveKey());
  const check = usePlateCheck({ plate, state: draft.state, groupId });

  useEffect(() => {
    const leave = new AbortController();
    call<GroupCard[]>("/alerts-data", { failed: MESSAGES.groupsFailed, signal: leave.signal }).then(
      (answer) => {
        if (leave.signal.aborted) return;
        if (answer.ok) setGroups(answer.value.filter((group) => group.can_edit));
        else setProblem(MESSAGES.groupsFailed);
      },
    );
    return () => leave.abort();
  }, []);

  async function save() {
    if (saving) return;
    if (groupId === "" || draft.reason.trim() === "") return setProblem(MESSAGES.hotlistRequired);
    setSaving(true);
    setProblem("");
    const { number, ...details } = draft;
    const answer = await call<{ duplicates: string[] }>("/hotlist/add-plate-direct", {
      json: { ...details, plate_number: number, group_id: groupId, idempotency_key: key.current },
      failed: MESSAGES.hotlistFailed,
    });
    setSaving(false);
    if (!answer.ok) {
      key.current = saveKey();
      return setProblem(
        answer.status === 409
          ? answer.message
          : `${MESSAGES.hotlistFailed} ${answer.status === 400 ? answer.message : ""}`.trim(),
      );
    }
    const name = groups?.find((group) => group.id === groupId)?.name ?? "Unknown Group";
    const others = answer.value.duplicates;
    notify.success(
      `Successfully added '${plate}' to '${name}'`,
      others.length > 0 ? { description: `Also watched in ${others.join(", ")}.` } : {},
    );
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
          Add Plate to Hotlist
          <PlateChip text={plate} region={state || undefined} size="sm" />
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
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <div role="alert" className="empty:hidden">
          {problem && (
            <p className="flex items-start gap-2 rounded-md bg-hit-soft px-3 py-2 font-medium text-hit">
              <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
              {problem}
            </p>
          )}
        </div>
        <Field
          label="Group"
          required
          hint={groups?.length === 0 ? "Your agency has no group yet. Create one under Alerts." : undefined}
        >
          {(control) => (
            <Select {...control} value={groupId} onChange={(event) => setGroupId(event.currentTarget.value)}>
              <option value="">{groups ? "Select a group" : "Loading groups…"}</option>
              {groups?.map((group) => (
                <option key={group.id} value={group.id}>
                  {group.name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <PlateFields
          draft={draft}
          fixedPlate
          reasonRequired
          onChange={(changes) => setDraft((before) => ({ ...before, ...changes }))}
          expiryHint="Empty: as your agency's policy says, usually 30 days"
        />
        <PlateCheckNotice check={check} />
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
