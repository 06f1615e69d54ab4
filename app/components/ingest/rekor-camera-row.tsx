import { MapPinned, Undo2 } from "lucide-react";
import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { typeInto, useFormValues } from "#app/components/forms/use-form-values.ts";
import { type ScreenFormState, useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Select, type SelectProps } from "#app/components/ui/fields/select.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import type { RekorCamera } from "#app/entities/ingest/camera.ts";
import type { NamedAgency } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { CameraHealth } from "./camera-health.tsx";
import { PlaceFields, type PlaceTexts, placeOfTexts, textsOfPlace } from "./place-fields.tsx";

/** One editable camera. Save is enabled after an edit. */
export function RekorCameraRow({
  camera,
  agencies,
  hidden,
  isShort = false,
}: {
  camera: RekorCamera;
  agencies: readonly NamedAgency[];
  hidden: boolean;
  /** Whether to list all agencies only once the field is used: in every row, hundreds make a long page. */
  isShort?: boolean;
}) {
  const formId = useId();
  const problemId = useId();
  const [isPlacing, setPlacing] = useState(false);
  const name = camera.camera_name || camera.camera_id;
  const saved = savedTexts(camera);
  const { form, typed, isEdited, write } = useCorrection(camera, saved);
  const problem = form.problem("place");
  const coordinate = (which: "latitude" | "longitude") => (
    <Input
      controlSize="sm"
      aria-label={`${which === "latitude" ? "Latitude" : "Longitude"} of ${name}`}
      aria-invalid={problem ? true : undefined}
      aria-describedby={problem ? problemId : undefined}
      form={formId}
      name={which}
      defaultValue={form.value(which, saved[which])}
      inputMode="decimal"
      autoComplete="off"
      maxLength={24}
      className="min-w-28 font-mono"
    />
  );
  return (
    <tr hidden={hidden} className="card:grid-cols-2">
      <CameraId id={camera.camera_id} />
      <td className="min-w-32 font-medium card:order-first card:col-span-2">{camera.camera_name || "N/A"}</td>
      <td data-label="Site" className="card:col-span-2">
        {camera.site_name || "N/A"}
      </td>
      <td data-label="Latitude">
        {coordinate("latitude")}
        {problem && (
          <span id={problemId} role="alert" className="mt-1 block max-w-56 text-xs text-hit">
            {problem}
          </span>
        )}
      </td>
      <td data-label="Longitude">{coordinate("longitude")}</td>
      <td data-label="Agency" className="card:col-span-2">
        <AgencySelect
          aria-label={`Agency of ${name}`}
          form={formId}
          name="agency_id"
          defaultValue={form.value("agency_id", saved.agency_id)}
          agencies={agencies}
          selected={camera.agency_id}
          isShort={isShort}
        />
      </td>
      <td data-label={camera.is_manual ? undefined : "Manual"} className="card:col-span-2">
        {camera.is_manual ? <Badge tone="accent">Manual</Badge> : <span className="text-muted">No</span>}
      </td>
      <td className="card:col-span-2">
        <CameraHealth camera={camera} />
      </td>
      <td className="card:col-span-2">
        <span className="flex items-center gap-1">
          <SaveForm form={form} id={formId} camera={camera} name={name} isEdited={isEdited} />
          <IconButton
            size="sm"
            icon={<MapPinned />}
            label={`Place ${name} on the map`}
            className="noscript:hidden"
            onClick={() => setPlacing(true)}
          />
          <UndoPlace camera={camera} name={name} />
        </span>
        <PinDialog
          open={isPlacing}
          name={name}
          texts={typed}
          onClose={() => setPlacing(false)}
          onUse={(next) => {
            write(next);
            setPlacing(false);
          }}
        />
      </td>
    </tr>
  );
}

type SaveFormProps = {
  form: ScreenFormState;
  id: string;
  camera: RekorCamera;
  name: string;
  isEdited: boolean;
};

/** The form of the row's fields, with its button. */
function SaveForm({ form, id, camera, name, isEdited }: SaveFormProps) {
  return (
    <ScreenForm state={form} id={id}>
      <input type="hidden" name="camera_id" value={camera.camera_id} />
      <input type="hidden" name="corrected_at" value={camera.corrected_at ?? ""} />
      <Button
        type="submit"
        size="sm"
        variant="primary"
        disabled={!isEdited}
        pending={form.pending}
        pendingLabel="Saving…"
      >
        Save<span className="sr-only"> {name}</span>
      </Button>
    </ScreenForm>
  );
}

type RowTexts = PlaceTexts & { agency_id: string };

function savedTexts({ corrected_latitude, corrected_longitude, agency_id }: RekorCamera): RowTexts {
  return { ...textsOfPlace(corrected_latitude, corrected_longitude), agency_id: agency_id ?? "" };
}

/** The form that corrects a camera, its typed input, and a function that writes into its fields. */
function useCorrection(camera: RekorCamera, saved: RowTexts) {
  const form = useScreenForm({
    intent: "correct",
    of: { field: "camera_id", value: camera.camera_id },
    failed: MESSAGES.cameraSaveError,
    bug: MESSAGES.cameraSaveFailed,
    explain: (message) => `${MESSAGES.cameraSaveFailed} ${message}`,
    keep: true,
  });
  const values = useFormValues(form.form);
  const textOf = (field: keyof RowTexts) => values?.[field]?.[0] ?? "";
  const typed = { latitude: textOf("latitude"), longitude: textOf("longitude") };
  // Before scripts load, Save is enabled and the server validates.
  const isEdited =
    !values ||
    typed.latitude !== saved.latitude ||
    typed.longitude !== saved.longitude ||
    values.agency_id?.[0] !== saved.agency_id;
  return { form, typed, isEdited, write: useFormWriter(form.form, saved) };
}

/** The agent's ID is long and shared by many cameras; the number after it identifies the camera. */
function CameraId({ id }: { id: string }) {
  const slash = id.lastIndexOf("/");
  const agent = id.slice(0, Math.max(0, slash));
  return (
    <th scope="row" className="max-w-32 font-mono text-xs font-normal card:col-span-2" title={id}>
      <span className="block break-all">{id.slice(slash + 1)}</span>
      {agent && <span className="block break-all text-muted">{agent}</span>}
    </th>
  );
}

type AgencySelectProps = SelectProps & {
  agencies: readonly NamedAgency[];
  selected: string | null;
  isShort: boolean;
};

function AgencySelect({ agencies, selected, isShort, ...field }: AgencySelectProps) {
  const [isFilled, setFilled] = useState(!isShort);
  const fill = () => setFilled(true);
  const listed = isFilled ? agencies : agencies.filter(({ id }) => id === selected);
  return (
    <Select {...field} controlSize="sm" className="min-w-40" onFocus={fill} onPointerEnter={fill}>
      <option value="">No agency</option>
      {listed.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

/** Restores Rekor's own place, if another was set by hand. */
function UndoPlace({ camera, name }: { camera: RekorCamera; name: string }) {
  const undo = useScreenForm({
    intent: "undo",
    of: { field: "camera_id", value: camera.camera_id },
    failed: MESSAGES.cameraSaveError,
    bug: MESSAGES.cameraSaveFailed,
  });
  if (!camera.is_manual || camera.vendor_latitude === null) return null;
  return (
    <ScreenForm state={undo}>
      <input type="hidden" name="camera_id" value={camera.camera_id} />
      <IconButton
        type="submit"
        size="sm"
        icon={<Undo2 />}
        pending={undo.pending}
        label={`Restore Rekor's location of ${name}`}
      />
    </ScreenForm>
  );
}

/** Returns a function that writes into fields. When the saved values change, here or elsewhere, it writes those. */
function useFormWriter(form: RefObject<HTMLFormElement>, saved: RowTexts) {
  const write = (texts: Partial<RowTexts>) => {
    for (const [field, value] of Object.entries(texts)) typeInto(fieldOf(form.current, field), value);
  };
  const savedText = Object.values(saved).join(" ");
  const written = useRef(savedText);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `savedText` stands for the saved values
  useEffect(() => {
    if (written.current === savedText) return;
    written.current = savedText;
    write(saved);
  }, [savedText]);
  return write;
}

function fieldOf(form: HTMLFormElement | null, name: string) {
  const field = form?.elements.namedItem(name);
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field : null;
}

type PinDialogProps = {
  open: boolean;
  name: string;
  texts: PlaceTexts;
  onClose: () => void;
  /** Puts the place into the row; Save in the row stores it. */
  onUse: (texts: PlaceTexts) => void;
};

/** Sets a camera's place with a pin on a map. */
function PinDialog({ open, name, texts, onClose, onUse }: PinDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Place ${name}`}
      description="Drag the pin, click the map, or type coordinates. Save in the table stores the place."
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
