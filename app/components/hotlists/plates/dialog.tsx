import type { ReactNode, RefObject } from "react";
import { createPortal } from "react-dom";
import { hasIncompleteTime } from "#app/components/forms/incomplete-time.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { type PlateDraft, PlateFields, type PlateProblems } from "./fields.tsx";

export type PlateDialogProps = {
  title: string;
  /** The plate, which cannot be changed here, and the state shown with it. */
  plate: string;
  region: string;
  initial: PlateDraft;
  /** The form element, so that the caller can watch what is typed. */
  form: RefObject<HTMLFormElement>;
  onSave: () => void;
  onClose: () => void;
  saving: boolean;
  problem: string;
  /** The problems, by field. */
  problems?: PlateProblems;
  /** Reasons to suggest. */
  reasons?: readonly string[];
  reasonRequired?: boolean;
  expiryHint: string;
  /** Above the fields of the entry. */
  before?: ReactNode;
};

/**
 * The dialog that adding and editing a plate share. It is not placed within a form of the page: with a nested form,
 * React gets no submit event, and browsers would send the form as a URL.
 */
export function PlateDialog(props: PlateDialogProps) {
  const { title, plate, region, form, onClose, saving, problem } = props;
  function save() {
    if (!hasIncompleteTime(form.current)) props.onSave();
  }
  return createPortal(
    <Dialog
      open
      onClose={onClose}
      locked={saving}
      size="lg"
      title={
        <span className="flex flex-wrap items-center gap-3">
          {title}
          <PlateChip text={plate} region={region || undefined} size="sm" />
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
        ref={form}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <ErrorBox message={problem} />
        {props.before}
        <PlateFields
          initial={props.initial}
          fixedPlate
          reasonRequired={props.reasonRequired}
          reasons={props.reasons}
          problems={props.problems}
          expiryHint={props.expiryHint}
        />
        <button type="submit" hidden />
      </form>
    </Dialog>,
    document.body,
  );
}
