import { Ban, Cctv, KeyRound, Pencil, Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { FindInPages, type ListQuery, pageAddress, without } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useSaveKey } from "#app/components/forms/use-save-key.ts";
import { CameraHealth } from "#app/components/ingest/camera-health.tsx";
import {
  PlaceFields,
  type PlaceTexts,
  placeOfTexts,
  textsOfPlace,
} from "#app/components/ingest/place-fields.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import { coordinateText } from "#app/entities/ingest/camera.ts";
import { AxisCameraFields, type AxisCameraRow } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { NumberedPage } from "#app/lib/pages.ts";
import { Seen, type Shown, ShownAddressDialog } from "./webhook-panel.tsx";

const ADVICE =
  "Enter it in AXIS License Plate Verifier under Integration, Push events, as the address of an HTTP POST.";

type AxisCameraTableProps = {
  find: string;
  list: NumberedPage<AxisCameraRow>;
  /** The query of the screen, with its other list. */
  query: ListQuery;
};

/** An agency's own Axis cameras: add, rename, place, renew the secret, revoke. */
export function AxisCameraTable({ find, list, query }: AxisCameraTableProps) {
  const cameras = list.rows;
  const [edited, setEdited] = useState<AxisCameraRow | "new">();
  const [shown, setShown] = useState<Shown>();
  const show = ({ name, address }: AddedCamera) =>
    setShown({ title: `Address of ${name}`, address, advice: ADVICE });
  const { renew, revoke, dialog } = useCameraSecret(show);

  return (
    <>
      <Button
        variant="primary"
        icon={<Plus />}
        className="self-start noscript:hidden"
        onClick={() => setEdited("new")}
      >
        Add camera
      </Button>
      <FindInPages
        label="Find a camera"
        placeholder="Name"
        noun="camera"
        find={find}
        list={list}
        kept={without(query, ["find", "page"])}
      />
      {cameras.length === 0 && find === "" && (
        <EmptyState icon={<Cctv />} title="No Axis cameras yet.">
          Add one, then enter the displayed address in the camera.
        </EmptyState>
      )}
      {cameras.length > 0 && (
        <DataTable
          label="Axis cameras"
          caption="Axis cameras, sorted by name"
          density="compact"
          cardsBelow="medium"
          columns={["Camera", "Location", "Health", "Last problem", "Actions"]}
        >
          {cameras.map((camera) => (
            <CameraRow
              key={camera.id}
              camera={camera}
              onEdit={() => setEdited(camera)}
              onRenew={() => renew(camera)}
              onRevoke={() => revoke(camera)}
            />
          ))}
        </DataTable>
      )}
      <PageLinks page={list.page} pages={list.pages} to={(to) => pageAddress(to, query)} />
      <AxisCameraDialog camera={edited} onClose={() => setEdited(undefined)} onAdded={show} />
      <ShownAddressDialog shown={shown} onClose={() => setShown(undefined)} />
      {dialog}
    </>
  );
}

type AddedCamera = { name: string; address: string };

/** Returns functions that renew a camera's secret and revoke the camera, each after a confirmation in `dialog`. */
function useCameraSecret(show: (renewed: AddedCamera) => void) {
  const { mutate } = useMutation();
  const { ask, dialog } = useConfirm();
  const path = ({ id }: AxisCameraRow) => `/axis-cameras/${encodeURIComponent(id)}`;

  const renew = (camera: AxisCameraRow) =>
    ask({
      title: `Give ${camera.name} a new secret?`,
      body: "Its current address is refused immediately. The camera cannot send reads until you enter the new address in it.",
      confirm: "New secret",
      danger: true,
      run: () =>
        mutate(
          callApi<{ address: string }>(`${path(camera)}/secret`, {
            method: "POST",
            failed: MESSAGES.unknownError,
          }),
          { done: ({ address }) => show({ name: camera.name, address }) },
        ),
    });

  const revoke = (camera: AxisCameraRow) =>
    ask({
      title: `Revoke ${camera.name}?`,
      body: "Its events are refused from now on. Its reads can be searched until their retention period ends. This cannot be undone, but you can add the camera again.",
      confirm: "Revoke",
      danger: true,
      run: () => mutate(callApi(path(camera), { method: "DELETE", failed: MESSAGES.unknownError })),
    });

  return { renew, revoke, dialog };
}

type CameraRowProps = {
  camera: AxisCameraRow;
  onEdit: () => void;
  onRenew: () => void;
  onRevoke: () => void;
};

function CameraRow({ camera, onEdit, onRenew, onRevoke }: CameraRowProps) {
  return (
    <tr>
      <th scope="row" className="min-w-32 font-medium wrap-anywhere">
        {camera.name}
      </th>
      <td className="font-mono text-sm row:whitespace-nowrap">
        {camera.latitude === null ? (
          <span className="font-sans text-muted">No location</span>
        ) : (
          `${coordinateText(camera.latitude)}, ${coordinateText(camera.longitude)}`
        )}
      </td>
      <td>
        <CameraHealth camera={camera} />
      </td>
      <td data-label="Last problem">
        <Seen at={camera.last_refused_at} />
        {camera.last_refusal && <span className="block text-xs text-muted">{camera.last_refusal}</span>}
      </td>
      <td>
        {camera.revoked_at === null && (
          <span className="flex items-center noscript:hidden">
            <IconButton size="sm" icon={<Pencil />} label={`Change ${camera.name}`} onClick={onEdit} />
            <IconButton
              size="sm"
              icon={<KeyRound />}
              label={`New secret for ${camera.name}`}
              onClick={onRenew}
            />
            <IconButton size="sm" icon={<Ban />} label={`Revoke ${camera.name}`} onClick={onRevoke} />
          </span>
        )}
      </td>
    </tr>
  );
}

type AxisCameraDialogProps = {
  /** The edited camera, "new" to add one, undefined while the dialog is closed. */
  camera: AxisCameraRow | "new" | undefined;
  onClose: () => void;
  onAdded: (added: AddedCamera) => void;
};

/** Edits the name and place of one of the agency's cameras. */
function AxisCameraDialog({ camera, onClose, onAdded }: AxisCameraDialogProps) {
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
  // Refreshes after a refusal too, so that the dialog shows someone else's change when it is opened again.
  const { mutate, pending } = useMutation({ refresh: "always" });
  const saveKey = useSaveKey();
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
        !place && { place: "Enter latitude and longitude in decimal degrees, or leave both empty." }),
    };
    setProblems(found);
    if (!parsed.success || Object.keys(found).length > 0) return;
    const path = known ? `/axis-cameras/${encodeURIComponent(known.id)}` : "/axis-cameras";
    const saved = callApi<{ address?: string }>(path, {
      method: known ? "PATCH" : "POST",
      // The values from when the dialog was opened: someone else's later change must not be undone.
      json: known
        ? {
            ...parsed.data,
            known: { name: known.name, latitude: known.latitude, longitude: known.longitude },
          }
        : { ...parsed.data, idempotency_key: saveKey.of(JSON.stringify(parsed.data)) },
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
      <InputField
        label="Name"
        error={problems.name}
        required
        value={name}
        maxLength={120}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      <PlaceFields texts={texts} onChange={setTexts} program="Axis" problem={problems.place} />
      <p className="text-sm text-muted">
        The location applies to new reads. Earlier reads keep the location where they were made.
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
