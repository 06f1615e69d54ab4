import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { SelectField } from "#app/components/ui/fields/labeled.tsx";
import type { PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import { LOSS, withLoss } from "#app/entities/form-answer.ts";
import type { GroupCard } from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { PlateCheckNotice, usePlateCheck } from "./check-notice.tsx";
import { PlateDialog } from "./dialog.tsx";
import { EMPTY_PLATE, expiryHint, type PlateDraft, plateDraftOf } from "./fields.tsx";
import { showPastReads } from "./past-reads-slot.tsx";

export type AddPlateProps = { plate: string; state: string };

type AddPlateDialogProps = AddPlateProps & { onClose: () => void };

/** Long enough to reach the message by keyboard. */
const OFFER_MS = 20 * SECOND;

/** Adds the plate of a read to a group. */
export default function AddPlateDialog({ plate, state, onClose }: AddPlateDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  const initial: PlateDraft = { ...EMPTY_PLATE, number: plate, state };
  const values = useFormValues(form);
  const draft = values ? { ...plateDraftOf(values), number: plate } : initial;
  const groupId = values?.group_id?.[0] ?? "";
  const [problem, setProblem] = useState("");
  const groups = useEditableGroups(setProblem);
  const [problems, setProblems] = useState<{ group?: string; reason?: string }>({});
  const [saving, setSaving] = useState(false);
  const key = useRef(crypto.randomUUID());
  const check = usePlateCheck({ plate, draft, groupId });

  async function save() {
    if (saving) return;
    const missing = missingIn(draft, groupId);
    setProblems(missing);
    const [first] = Object.keys(missing);
    if (first) {
      setProblem("");
      form.current?.querySelector<HTMLElement>(`[name=${first === "group" ? "group_id" : first}]`)?.focus();
      return;
    }
    setSaving(true);
    setProblem("");
    const { number, ...details } = draft;
    const answer = await callApi<{ duplicates: string[] }>("/hotlist/add-plate-direct", {
      json: { ...details, plate_number: number, group_id: groupId, idempotency_key: key.current },
    });
    setSaving(false);
    if (!answer.ok) {
      const { status, message, loss } = answer;
      const reason = status === 409 ? message : `${MESSAGES.hotlistFailed} ${message}`.trim();
      return setProblem(withLoss(reason, loss === LOSS.unanswered ? LOSS.keyed : loss));
    }
    const group = groups?.find((group) => group.id === groupId)?.name ?? "Unknown Group";
    announceAdded(draft, { group, others: answer.value.duplicates });
    onClose();
  }

  return (
    <PlateDialog
      title="Add Plate to Hotlist"
      plate={plate}
      region={state}
      initial={initial}
      form={form}
      onSave={save}
      onClose={onClose}
      saving={saving}
      problem={problem}
      problems={problems}
      reasons={check?.common_reasons}
      reasonRequired
      expiryHint={expiryHint(check?.expiry_days)}
      before={
        <>
          <PlateCheckNotice check={check} policy={draft.match_policy} />
          <GroupField groups={groups} isLoading={!groups && !problem} error={problems.group} />
        </>
      }
    />
  );
}

/** Returns the groups that the user may edit, undefined until they are loaded. Calls `onProblem` if they cannot be. */
function useEditableGroups(onProblem: (problem: string) => void): GroupCard[] | undefined {
  const [groups, setGroups] = useState<GroupCard[]>();
  useEffect(() => {
    const leave = new AbortController();
    callApi<GroupCard[]>("/alerts-data", { failed: MESSAGES.groupsFailed, signal: leave.signal }).then(
      (answer) => {
        if (leave.signal.aborted) return;
        if (answer.ok) setGroups(answer.value.filter((group) => group.can_edit));
        else onProblem(MESSAGES.groupsFailed);
      },
    );
    return () => leave.abort();
  }, [onProblem]);
  return groups;
}

/** Returns what must be entered first, by field. */
function missingIn(draft: PlateDraft, groupId: string): { group?: string; reason?: string } {
  return {
    ...(groupId === "" && { group: MESSAGES.hotlistRequired }),
    ...(draft.reason.trim() === "" && {
      reason: groupId === "" ? "Enter a reason." : MESSAGES.hotlistRequired,
    }),
  };
}

/**
 * Shows that the plate was added, and offers to look for its past reads. `others` are the other groups that have it.
 */
function announceAdded(draft: PlateDraft, { group, others }: { group: string; others: string[] }): void {
  const question: PastReadsQuestion = {
    plate_number: draft.number,
    state: draft.state,
    match_policy: draft.match_policy === "lookalike" ? "lookalike" : "exact",
    state_required: draft.state_required,
    case_number: draft.case_number,
  };
  notify.success(`Successfully added '${draft.number}' to '${group}'`, {
    ...(others.length > 0 && { description: `Also watched in ${others.join(", ")}.` }),
    action: { label: "Look for past reads", onSelect: () => showPastReads(question) },
    duration: OFFER_MS,
  });
}

type GroupFieldProps = { groups: GroupCard[] | undefined; isLoading: boolean; error: string | undefined };

function GroupField({ groups, isLoading, error }: GroupFieldProps) {
  return (
    <SelectField
      label="Group"
      required
      error={error}
      hint={groups?.length === 0 ? "Your agency has no group yet. Create one under Alerts." : undefined}
      name="group_id"
      defaultValue=""
    >
      <option value="">{isLoading ? "Loading groups…" : "Select a group"}</option>
      {groups?.map((group) => (
        <option key={group.id} value={group.id}>
          {group.name}
        </option>
      ))}
    </SelectField>
  );
}
