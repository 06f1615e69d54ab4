import { FindInPages, type ListQuery, pageAddress, without } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { StatusDot } from "#app/components/ui/status-dot.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import type { CameraHealth as Health } from "#app/entities/ingest/camera.ts";
import type { NumberedPage } from "#app/lib/pages.ts";

const time = (text: string | null) => (text === null ? null : Date.parse(text));

type CameraHealthProps = {
  camera: {
    last_read_at: number | null;
    last_heartbeat_at: number | null;
    silent: boolean;
    revoked_at?: number | null;
  };
};

/** Shows whether a camera reports as usual, and when it last did. */
export function CameraHealth({ camera }: CameraHealthProps) {
  const { last_read_at: read, last_heartbeat_at: beat, silent, revoked_at: revoked = null } = camera;
  const hasReported = read !== null || beat !== null;
  return (
    <div className="flex flex-col text-sm whitespace-nowrap">
      {revoked !== null ? (
        <StatusDot tone="neutral" shape="cross" label="Revoked" />
      ) : silent ? (
        <StatusDot tone="warn" shape="half" label="Silent longer than usual" />
      ) : hasReported ? (
        <StatusDot tone="ok" label="Online" />
      ) : (
        <StatusDot tone="neutral" shape="ring" label="No data yet" />
      )}
      {read !== null && (
        <span className="text-xs text-muted">
          Last read <LocalTime at={read} short />
        </span>
      )}
      {beat !== null && (
        <span className="text-xs text-muted">
          Last heartbeat <LocalTime at={beat} short />
        </span>
      )}
    </div>
  );
}

type CameraHealthListProps = {
  find: string;
  cameras: NumberedPage<Health>;
  /** The query of the screen, with its other lists. */
  query: ListQuery;
};

/** An agency's cameras and when each last sent data, in pages. */
export function CameraHealthList({ find, cameras, query }: CameraHealthListProps) {
  const { rows, page, pages } = cameras;
  return (
    <>
      <FindInPages
        label="Find a camera"
        placeholder="Id or name"
        noun="camera"
        find={find}
        list={cameras}
        kept={without(query, ["find", "page"])}
      />
      {rows.length > 0 && <CameraHealthTable cameras={rows} />}
      <PageLinks
        page={page}
        pages={pages}
        label="Pages of cameras"
        to={(to) => pageAddress(to, query)}
        preventScrollReset
      />
    </>
  );
}

function CameraHealthTable({ cameras }: { cameras: readonly Health[] }) {
  return (
    <DataTable
      label="Camera health"
      boxClass="max-h-96"
      caption="Cameras, silent ones first"
      density="compact"
      cardsBelow="narrow"
      columns={["Camera", "Health"]}
    >
      {cameras.map((camera) => (
        <tr key={camera.camera_id}>
          <th scope="row" className="font-medium wrap-anywhere">
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
    </DataTable>
  );
}
