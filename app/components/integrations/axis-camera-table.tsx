import { Ban, Cctv, KeyRound, Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { CameraHealth } from "#app/components/ingest/camera-health.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import { coordinateText } from "#app/entities/ingest/camera.ts";
import type { AxisCameraRow } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AxisCameraDialog } from "./axis-camera-dialog.tsx";
import { type Shown, ShownAddressDialog } from "./shown-address.tsx";
import { Seen } from "./webhook-panel.tsx";

const ADVICE =
  "Enter it in AXIS License Plate Verifier under Integration, Push events, as the address of an HTTP POST.";

/** An agency's own Axis cameras: add, rename, place, give another secret, revoke. */
export function AxisCameraTable({ cameras }: { cameras: readonly AxisCameraRow[] }) {
  const { mutate } = useMutation();
  const { ask, dialog } = useConfirm();
  const [edited, setEdited] = useState<AxisCameraRow | "new">();
  const [shown, setShown] = useState<Shown>();
  const show = ({ name, address }: { name: string; address: string }) =>
    setShown({ title: `Address of ${name}`, address, advice: ADVICE });
  const path = ({ id }: AxisCameraRow) => `/axis-cameras/${encodeURIComponent(id)}`;

  const renew = (camera: AxisCameraRow) =>
    ask({
      title: `Give ${camera.name} a new secret?`,
      body: "Its present address is refused at once. The camera sends nothing until the new address is entered in it.",
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
      body: "What it sends is refused from now on. Its reads can still be found until their time is over. It cannot be brought back, only added anew.",
      confirm: "Revoke",
      danger: true,
      run: () => mutate(callApi(path(camera), { method: "DELETE", failed: MESSAGES.unknownError })),
    });

  return (
    <>
      <Button variant="primary" icon={<Plus />} className="self-start" onClick={() => setEdited("new")}>
        Add camera
      </Button>
      {cameras.length === 0 ? (
        <EmptyState icon={<Cctv />} title="No Axis cameras yet.">
          Add one, and enter the address that is shown in the camera.
        </EmptyState>
      ) : (
        <TableBox label="Axis cameras">
          <Table caption="Axis cameras, sorted by name" density="compact">
            <thead>
              <tr>
                <ColumnHeader>Camera</ColumnHeader>
                <ColumnHeader>Place</ColumnHeader>
                <ColumnHeader>Health</ColumnHeader>
                <ColumnHeader>Last refused</ColumnHeader>
                <ColumnHeader>Actions</ColumnHeader>
              </tr>
            </thead>
            <tbody>
              {cameras.map((camera) => (
                <tr key={camera.id}>
                  <th scope="row" className="min-w-32 font-medium">
                    {camera.name}
                  </th>
                  <td className="font-mono text-sm whitespace-nowrap">
                    {camera.latitude === null ? (
                      <span className="font-sans text-muted">Not placed</span>
                    ) : (
                      `${coordinateText(camera.latitude)}, ${coordinateText(camera.longitude)}`
                    )}
                  </td>
                  <td>
                    <CameraHealth camera={camera} />
                  </td>
                  <td>
                    <Seen at={camera.last_refused_at} />
                    {camera.last_refusal && (
                      <span className="block text-xs text-muted">{camera.last_refusal}</span>
                    )}
                  </td>
                  <td>
                    {camera.revoked_at === null && (
                      <span className="flex items-center">
                        <IconButton
                          size="sm"
                          icon={<Pencil />}
                          label={`Change ${camera.name}`}
                          onClick={() => setEdited(camera)}
                        />
                        <IconButton
                          size="sm"
                          icon={<KeyRound />}
                          label={`New secret for ${camera.name}`}
                          onClick={() => renew(camera)}
                        />
                        <IconButton
                          size="sm"
                          icon={<Ban />}
                          label={`Revoke ${camera.name}`}
                          onClick={() => revoke(camera)}
                        />
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        </TableBox>
      )}
      <AxisCameraDialog camera={edited} onClose={() => setEdited(undefined)} onAdded={show} />
      <ShownAddressDialog shown={shown} onClose={() => setShown(undefined)} />
      {dialog}
    </>
  );
}
