import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { type PlateDraft, PlateFields } from "./plate-fields.tsx";

export type PlateDialogProps = {
  title: string;
  /** The plate, which is not changed here, and the state that is shown with it. */
  plate: string;
  region: string;
  draft: PlateDraft;
  onChange: (changes: Partial<PlateDraft>) => void;
  onSave: () => void;
  onClose: () => void;
  saving: boolean;
  problem: string;
  reasonRequired?: boolean;
  expiryHint: string;
  /** Above the fields of the entry. */
  before?: ReactNode;
};

/** One entry in a dialog: the form that adding and editing share. */
export function PlateDialog(props: PlateDialogProps) {
  const { title, plate, region, draft, onChange, onSave, onClose, saving, problem } = props;
  return (
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
          <Button variant="primary" pending={saving} pendingLabel="Saving..." onClick={onSave}>
            Save
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          onSave();
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
        {props.before}
        <PlateFields
          draft={draft}
          fixedPlate
          reasonRequired={props.reasonRequired}
          onChange={onChange}
          expiryHint={props.expiryHint}
        />
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
