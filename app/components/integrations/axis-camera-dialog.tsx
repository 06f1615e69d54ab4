import { type FormEvent, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import {
  PlaceFields,
  type PlaceTexts,
  placeOfTexts,
  textsOfPlace,
} from "#app/components/ingest/place-fields.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { AxisCameraFields, type AxisCameraRow } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";

export type AxisCameraDialogProps = {
  /** The camera that is changed, "new" for another one, undefined while the dialog is closed. */
  camera: AxisCameraRow | "new" | undefined;
  onClose: () => void;
  onAdded: (added: { name: string; address: string }) => void;
};

/** Name and place of a camera of one's own. */
export function AxisCameraDialog({ camera, onClose, onAdded }: AxisCameraDialogProps) {
  return (
    <Dialog
      open={camera !== undefined}
      onClose={onClose}
      title={camera === "new" ? "Add an Axis camera" : `Change ${camera?.name}`}
      size="lg"
    >
      {camera && <CameraForm camera={camera} onClose={onClose} onAdded={onAdded} />}
    </Dialog>
  );
}

function CameraForm({ camera, onClose, onAdded }: AxisCameraDialogProps & { camera: AxisCameraRow | "new" }) {
  const { mutate, pending } = useMutation();
  const known = camera === "new" ? undefined : camera;
  const [name, setName] = useState(known?.name ?? "");
  const [texts, setTexts] = useState<PlaceTexts>(
    textsOfPlace(known?.latitude ?? null, known?.longitude ?? null),
  );
  const [problems, setProblems] = useState<{ name?: string; place?: string }>({});

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const isEmpty = texts.latitude.trim() === "" && texts.longitude.trim() === "";
    const place = placeOfTexts(texts);
    const parsed = AxisCameraFields.safeParse({
      name,
      latitude: place?.latitude ?? null,
      longitude: place?.longitude ?? null,
    });
    const found = {
      ...(!parsed.success && { name: parsed.error.issues[0]?.message ?? "" }),
      ...(!isEmpty &&
        !place && { place: "Latitude and longitude, both with at most 6 decimals, or neither." }),
    };
    setProblems(found);
    if (!parsed.success || Object.keys(found).length > 0) return;
    const path = known ? `/axis-cameras/${encodeURIComponent(known.id)}` : "/axis-cameras";
    const saved = callApi<{ address?: string }>(path, {
      method: known ? "PATCH" : "POST",
      json: parsed.data,
      failed: MESSAGES.cameraSaveFailed,
    });
    const worked = await mutate(saved, {
      ...(!known && {
        done: ({ address }) => onAdded({ name: parsed.data.name, address: address ?? "" }),
      }),
    });
    if (worked) onClose();
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      <Field label="Name" error={problems.name} required>
        {(control) => (
          <Input
            {...control}
            value={name}
            maxLength={120}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <PlaceFields texts={texts} onChange={setTexts} program="Axis" problem={problems.place} />
      <p className="text-sm text-muted">
        The place holds for reads that come from now on: a read keeps the place at which it was made.
      </p>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" pending={pending !== undefined} pendingLabel="Saving…">
          Save
        </Button>
      </div>
    </form>
  );
}
