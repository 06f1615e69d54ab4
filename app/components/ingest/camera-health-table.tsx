import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { CameraHealth as Health } from "#app/entities/ingest/camera.ts";
import { CameraHealth } from "./camera-health.tsx";

const time = (text: string | null) => (text === null ? null : Date.parse(text));

/** An agency's cameras and when each last sent data. */
export function CameraHealthTable({ cameras }: { cameras: readonly Health[] }) {
  return (
    <TableBox label="Camera health" className="max-h-96">
      <Table caption="Cameras, silent ones first" density="compact">
        <thead>
          <tr>
            <ColumnHeader>Camera</ColumnHeader>
            <ColumnHeader>Health</ColumnHeader>
          </tr>
        </thead>
        <tbody>
          {cameras.map((camera) => (
            <tr key={camera.camera_id}>
              <th scope="row" className="font-medium">
                {camera.camera_name || camera.camera_id}
              </th>
              <td>
                <CameraHealth
                  camera={{
                    silent: camera.silent,
                    last_read_at: time(camera.last_read_at),
                    last_heartbeat_at: time(camera.last_heartbeat_at),
                  }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </TableBox>
  );
}
