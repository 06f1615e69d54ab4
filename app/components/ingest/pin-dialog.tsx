import { useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { PlaceFields, type PlaceTexts, placeOfTexts } from "./place-fields.tsx";

export type PinDialogProps = {
  open: boolean;
  name: string;
  texts: PlaceTexts;
  onClose: () => void;
  /** The place is taken into the row; Save there writes it. */
  onUse: (texts: PlaceTexts) => void;
};

/** Finds a camera's place with a pin. */
export function PinDialog({ open, name, texts, onClose, onUse }: PinDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Place ${name}`}
      description="Drag the pin, click the map, or type. Nothing is saved before Save in the table."
      size="lg"
    >
      <PinForm texts={texts} onClose={onClose} onUse={onUse} />
    </Dialog>
  );
}

function PinForm({ texts: first, onClose, onUse }: Pick<PinDialogProps, "texts" | "onClose" | "onUse">) {
  const [texts, setTexts] = useState(first);
  return (
    <div className="flex flex-col gap-3">
      <PlaceFields texts={texts} onChange={setTexts} program="Rekor" />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" disabled={!placeOfTexts(texts)} onClick={() => onUse(texts)}>
          Use this place
        </Button>
      </div>
    </div>
  );
}
