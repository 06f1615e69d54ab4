import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { callApi, notifyFailure } from "#app/components/forms/api.ts";
import { hasIncompleteTime } from "#app/components/forms/incomplete-time.ts";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { clearEntered, focusPlate } from "#app/components/hotlists/plates/unsaved.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import type { FormAnswer } from "#app/entities/form-answer.ts";
import type { GroupDetails, PendingMember } from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import {
  addEntered,
  draftOfForm,
  ENTERED_FILE,
  type EnteredPlate,
  isDirty,
  isEntered,
  isSamePlate,
  putPlates,
  type UnsavedPlate,
  withoutSent,
} from "./edit-form.ts";

const failedUpdate = (why: string) => `Update failed: ${why}`;

/** The field with a new image of the group. */
const IMAGE = "group_image_file";

export type GroupDraftState = ReturnType<typeof useGroupDraft>;

/** The edit form of a group: the unsaved input, and how it is saved. */
export function useGroupDraft(input: { group: GroupDetails; pending: PendingMember[] }) {
  const { group, pending } = input;
  const [plates, setPlates] = useState<readonly UnsavedPlate[]>([]);
  const [version, setVersion] = useState(group.version);
  const [plateProblem, setPlateProblem] = useState("");
  /** Why Save Changes sent nothing. */
  const [unsaved, setUnsaved] = useState("");
  /** What the latest save sent. */
  const sent = useRef<{ plates: readonly UnsavedPlate[]; entered: EnteredPlate; image: File | null }>();
  const form = useScreenForm<{ version: number }>({
    intent: "save",
    keep: true,
    keyed: true,
    failed: "Update failed: The group could not be saved.",
    explain: failedUpdate,
    prepare,
    onDone({ message, result }) {
      notify.success(message);
      if (result) setVersion(result.version);
      // Input that was entered while the save ran is not saved yet.
      const saved = sent.current;
      if (!saved) return;
      setPlates((now) => withoutSent(now, saved.plates));
      if (isSamePlate(entered, saved.entered)) clearEntered(form.form.current);
      if (fileIn(form.form.current, IMAGE) === saved.image) clearFile(form.form.current, IMAGE);
    },
  });
  const values = useFormValues(form.form);
  const draft = draftOfForm(group, {
    values,
    plates,
    file: fileIn(form.form.current, ENTERED_FILE),
    hasImage: fileIn(form.form.current, IMAGE) !== null,
  });
  const { entered } = draft;

  // Pending members leave the form, so its values must be read again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the pending members change
  useEffect(() => {
    form.form.current?.dispatchEvent(new Event("change", { bubbles: true }));
  }, [pending, form.form]);

  /** Also saves a plate that was typed but not added. */
  function prepare(data: FormData): boolean {
    if (hasIncompleteTime(form.form.current)) return false;
    const wanted = isEntered(entered) ? addEntered(plates, entered) : { plates: [...plates] };
    if (wanted.problem !== undefined) {
      setPlateProblem(wanted.problem);
      setUnsaved(failedUpdate(wanted.problem));
      focusPlate(form.form.current);
      return false;
    }
    setUnsaved("");
    sent.current = { plates: wanted.plates, entered, image: fileIn(form.form.current, IMAGE) };
    putPlates(data, wanted.plates);
    return true;
  }

  /** Adopts the group's current version and saves this form over it. */
  async function overwrite() {
    const answer = await callApi<{ group: GroupDetails }>(
      `/alerts/group/${encodeURIComponent(group.id)}/details-data?limit=1`,
      { failed: MESSAGES.groupNotFound },
    );
    if (!answer.ok) return notifyFailure(answer);
    flushSync(() => setVersion(answer.value.group.version));
    form.form.current?.requestSubmit();
  }

  return {
    form,
    values,
    version,
    setVersion,
    plates,
    setPlates,
    entered,
    plateProblem,
    setPlateProblem,
    dirty: isDirty(draft, group),
    saveProblem: unsaved || form.message || form.problem("version") || plateRefused(form.answer),
    /** Another save of the group came first. */
    conflict: form.answer?.problems.version !== undefined,
    overwrite,
  };
}

/**
 * Returns the problem with a plate that was sent: it may be in the list of unsaved plates, which has no field for it.
 */
function plateRefused(answer: FormAnswer | undefined): string {
  const [, problem] =
    Object.entries(answer?.problems ?? {}).find(([name]) => name.startsWith("plates[")) ?? [];
  return problem === undefined ? "" : failedUpdate(problem);
}

function clearFile(form: HTMLFormElement | null, name: string): void {
  const field = form?.elements.namedItem(name);
  if (!(field instanceof HTMLInputElement) || field.value === "") return;
  field.value = "";
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

function fileIn(form: HTMLFormElement | null, name: string): File | null {
  if (!form) return null;
  const field = form.elements.namedItem(name);
  return (field instanceof HTMLInputElement && field.files?.[0]) || null;
}
