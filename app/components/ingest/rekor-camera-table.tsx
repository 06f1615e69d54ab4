import { Cctv } from "lucide-react";
import { useState } from "react";
import { useTypedBefore, useWantedText } from "#app/components/forms/use-typed-before.ts";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { RekorCamera } from "#app/entities/ingest/camera.ts";
import type { NamedAgency } from "#app/entities/integrations/settings.ts";
import { RekorCameraRow } from "./rekor-camera-row.tsx";

/** Rows shown at a time, because each row has several inputs. */
const PAGE = 100;

const SHOWS = {
  all: "All cameras",
  manual: "Corrected",
  unplaced: "Without a location",
  silent: "Silent",
} as const;
type Show = keyof typeof SHOWS;

function isShow(value: string): value is Show {
  return Object.hasOwn(SHOWS, value);
}

const FILTERS: Record<Show, (camera: RekorCamera) => boolean> = {
  all: () => true,
  manual: ({ is_manual }) => is_manual,
  unplaced: ({ corrected_latitude }) => corrected_latitude === null,
  silent: ({ silent }) => silent,
};

export type RekorCameraTableProps = { cameras: readonly RekorCamera[]; agencies: readonly NamedAgency[] };

/** All Rekor cameras with location, agency and whether they were corrected by hand. */
export function RekorCameraTable({ cameras, agencies }: RekorCameraTableProps) {
  const [text, setText] = useState("");
  const [show, setShow] = useState<Show>("all");
  const field = useTypedBefore<HTMLInputElement>(setText, useWantedText());
  const choose = (value: string) => {
    if (isShow(value)) setShow(value);
  };
  const choice = useTypedBefore<HTMLSelectElement>(choose);
  const [most, setMost] = useState(PAGE);
  if (cameras.length === 0) {
    return (
      <EmptyState icon={<Cctv />} title="No Rekor cameras yet.">
        They appear when an API key is added or tested, and with reads from searches and webhooks.
      </EmptyState>
    );
  }
  const wanted = text.trim().toLowerCase();
  const found = cameras.filter(
    (camera) =>
      FILTERS[show](camera) &&
      [camera.camera_id, camera.camera_name, camera.site_name].some((word) =>
        word.toLowerCase().includes(wanted),
      ),
  );
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Input
          ref={field}
          type="search"
          aria-label="Filter cameras by id, name or site"
          placeholder="Filter by id, name or site"
          onChange={(event) => setText(event.target.value)}
          className="max-w-xs"
        />
        <Select
          ref={choice}
          aria-label="Which cameras"
          defaultValue="all"
          onChange={(event) => choose(event.target.value)}
          className="!w-auto"
        >
          {Object.entries(SHOWS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        <p role="status" className="text-sm text-muted">
          {found.length} of {cameras.length} {cameras.length === 1 ? "camera" : "cameras"}
        </p>
      </div>
      <TableBox label="Rekor cameras">
        <Table caption="Rekor cameras, sorted by name" density="compact">
          <thead>
            <tr>
              <ColumnHeader>Camera ID</ColumnHeader>
              <ColumnHeader>Camera Name</ColumnHeader>
              <ColumnHeader>Site Name</ColumnHeader>
              <ColumnHeader>Latitude</ColumnHeader>
              <ColumnHeader>Longitude</ColumnHeader>
              <ColumnHeader>Agency</ColumnHeader>
              <ColumnHeader>Manual</ColumnHeader>
              <ColumnHeader>Health</ColumnHeader>
              <ColumnHeader>Actions</ColumnHeader>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, most).map((camera) => (
              <RekorCameraRow key={camera.camera_id} camera={camera} agencies={agencies} />
            ))}
          </tbody>
        </Table>
      </TableBox>
      {found.length > most && (
        <Button className="self-center" onClick={() => setMost(most + PAGE)}>
          Show {Math.min(PAGE, found.length - most)} more
        </Button>
      )}
    </div>
  );
}
