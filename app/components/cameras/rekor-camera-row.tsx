import { useRevalidator } from "@remix-run/react";
import { MapPinned, Undo2 } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { ApiError, callApi, wasDeclined } from "#app/components/account/call-api.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { notify } from "#app/components/ui/notify.ts";
import { Select } from "#app/components/ui/select.tsx";
import { type CameraChange, COORDINATE_PROBLEM, type RekorCamera } from "#app/entities/camera.ts";
import type { NamedAgency } from "#app/entities/integration.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { CameraHealth } from "./camera-health.tsx";
import { PinDialog } from "./pin-dialog.tsx";
import { placeOfTexts, textsOfPlace } from "./place-fields.tsx";

/** One camera as it is edited; nothing is saved before Save, which needs an edit. */
export function RekorCameraRow({
  camera,
  agencies,
}: {
  camera: RekorCamera;
  agencies: readonly NamedAgency[];
}) {
  const { revalidate } = useRevalidator();
  const saved = textsOfPlace(camera.corrected_latitude, camera.corrected_longitude);
  const [texts, setTexts] = useState(saved);
  const [agency, setAgency] = useState(camera.agency_id ?? "");
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);
  const [isPlacing, setPlacing] = useState(false);
  const problemId = useId();
  const name = camera.camera_name || camera.camera_id;
  // The agent's id is long and the same for many cameras: the number is what tells them apart.
  const slash = camera.camera_id.lastIndexOf("/");
  const [agent, number] = [camera.camera_id.slice(0, Math.max(0, slash)), camera.camera_id.slice(slash + 1)];
  const isEdited =
    texts.latitude !== saved.latitude ||
    texts.longitude !== saved.longitude ||
    agency !== (camera.agency_id ?? "");

  // What was saved, here or elsewhere, is where the next edit begins.
  useEffect(() => {
    setTexts(textsOfPlace(camera.corrected_latitude, camera.corrected_longitude));
    setAgency(camera.agency_id ?? "");
  }, [camera.corrected_latitude, camera.corrected_longitude, camera.agency_id]);

  async function save(change: CameraChange, done: string) {
    setProblem("");
    setPending(true);
    try {
      await callApi(`/rekor-cameras/${encodeURIComponent(camera.camera_id)}`, {
        method: "PATCH",
        body: change,
      });
      notify.success(done);
      revalidate();
    } catch (error) {
      if (wasDeclined(error)) return;
      if (!(error instanceof ApiError)) return notify.error(MESSAGES.cameraSaveError);
      notify.error(MESSAGES.cameraSaveFailed, { description: error.message });
    } finally {
      setPending(false);
    }
  }

  function saveEdit() {
    const place = placeOfTexts(texts);
    // Whose a camera is can be said before anybody knows where it stands.
    const isNowhere = camera.corrected_latitude === null && !texts.latitude.trim() && !texts.longitude.trim();
    if (!place && !isNowhere) return setProblem(`${COORDINATE_PROBLEM} At most 6 decimals.`);
    const change = {
      corrected_latitude: place?.latitude ?? null,
      corrected_longitude: place?.longitude ?? null,
    };
    return save({ ...change, agency_id: agency || null, is_manual: true }, `${name} was saved`);
  }

  const { vendor_latitude: latitude, vendor_longitude: longitude } = camera;
  const undo = () =>
    latitude !== null &&
    longitude !== null &&
    save(
      {
        corrected_latitude: latitude,
        corrected_longitude: longitude,
        agency_id: camera.agency_id,
        is_manual: false,
      },
      `${name} stands where Rekor says`,
    );

  const coordinate = (which: "latitude" | "longitude") => (
    <Input
      controlSize="sm"
      aria-label={`${which === "latitude" ? "Latitude" : "Longitude"} of ${name}`}
      aria-invalid={problem ? true : undefined}
      aria-describedby={problem ? problemId : undefined}
      value={texts[which]}
      inputMode="decimal"
      autoComplete="off"
      maxLength={12}
      className="min-w-28 font-mono"
      onChange={(event) => setTexts({ ...texts, [which]: event.target.value })}
    />
  );
  return (
    <tr>
      <th scope="row" className="max-w-32 font-mono text-xs font-normal" title={camera.camera_id}>
        <span className="block break-all">{number}</span>
        {agent && <span className="block truncate text-muted">{agent}</span>}
      </th>
      <td className="min-w-32 font-medium">{camera.camera_name || "N/A"}</td>
      <td>{camera.site_name || "N/A"}</td>
      <td>
        {coordinate("latitude")}
        {problem && (
          <span id={problemId} role="alert" className="mt-1 block max-w-56 text-xs text-hit">
            {problem}
          </span>
        )}
      </td>
      <td>{coordinate("longitude")}</td>
      <td>
        <Select
          controlSize="sm"
          aria-label={`Agency of ${name}`}
          value={agency}
          onChange={(event) => setAgency(event.target.value)}
          className="min-w-40"
        >
          <option value="">No agency</option>
          {agencies.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </Select>
      </td>
      <td>
        {camera.is_manual ? <Badge tone="accent">Manual</Badge> : <span className="text-muted">No</span>}
      </td>
      <td>
        <CameraHealth camera={camera} />
      </td>
      <td>
        <span className="flex items-center gap-1">
          <Button
            size="sm"
            variant="primary"
            disabled={!isEdited}
            pending={pending}
            pendingLabel="Saving…"
            onClick={saveEdit}
          >
            Save<span className="sr-only"> {name}</span>
          </Button>
          <IconButton
            size="sm"
            icon={<MapPinned />}
            label={`Place ${name} on the map`}
            onClick={() => setPlacing(true)}
          />
          {camera.is_manual && latitude !== null && (
            <IconButton
              size="sm"
              icon={<Undo2 />}
              label={`Use Rekor's own place of ${name}`}
              onClick={() => void undo()}
            />
          )}
        </span>
        <PinDialog
          open={isPlacing}
          name={name}
          texts={texts}
          onClose={() => setPlacing(false)}
          onUse={(next) => {
            setTexts(next);
            setPlacing(false);
          }}
        />
      </td>
    </tr>
  );
}
