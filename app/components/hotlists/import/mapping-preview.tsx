import { useMemo } from "react";
import { DataTable } from "#app/components/ui/table.tsx";
import type { HotlistLayout } from "#app/entities/hotlists/layout.ts";
import { isSkipped, readRow } from "#app/entities/hotlists/layout-read.ts";
import type { FileStart } from "#app/entities/hotlists/sample.ts";
import { localTime } from "#app/lib/time/dates.ts";

const SHOWN = 8;

/** The entries read from the first lines, or why a line cannot be read. */
export function MappingPreview({
  layout,
  start,
  zone,
  now,
}: {
  layout: HotlistLayout;
  start: FileStart;
  zone: string;
  now: number;
}) {
  const rows = useMemo(
    () =>
      start
        .sample(layout.delimiter)
        .slice(layout.header)
        .filter((fields) => !isSkipped(layout, fields))
        .map((fields) => readRow(layout, fields, { now, zone })),
    [layout, start, zone, now],
  );
  const good = rows.filter(({ row }) => row).length;
  return (
    <section aria-label="Preview" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-lg font-semibold">Preview</h2>
        <p aria-live="polite" className="text-sm text-muted">
          {good} of the first {rows.length} {rows.length === 1 ? "line" : "lines"} can be read.
        </p>
      </div>
      <DataTable
        label="Preview of entries"
        caption="Preview of entries"
        density="compact"
        columns={["Plate", "State", "Reason", "Vehicle", "Case Number", "Expires", "Notes"]}
      >
        {rows.slice(0, SHOWN).map((read, n) =>
          read.row ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its line
            <tr key={n}>
              <td className="plate-text whitespace-nowrap">{read.row.entry.plate}</td>
              <td>{read.row.entry.state}</td>
              <td className="max-w-64 truncate">{read.row.entry.reason}</td>
              <td className="whitespace-nowrap">
                {[read.row.entry.color, read.row.entry.make, read.row.entry.bodyType]
                  .filter(Boolean)
                  .join(" ")}
              </td>
              <td className="whitespace-nowrap">{read.row.entry.caseNumber}</td>
              <td className="whitespace-nowrap">
                {read.row.expires && localTime(Date.parse(read.row.expires), zone)}
              </td>
              <td className="max-w-80 truncate">{read.row.entry.notes}</td>
            </tr>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its line
            <tr key={n}>
              <td className="plate-text whitespace-nowrap">{read.plate}</td>
              <td colSpan={6} className="font-medium text-hit">
                {read.problem}
              </td>
            </tr>
          ),
        )}
      </DataTable>
    </section>
  );
}
