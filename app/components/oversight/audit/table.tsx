import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { SearchPlate } from "#app/components/search/sighting/plate-actions.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { LocalTime, useViewerZone } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import type { AuditRow } from "#app/entities/oversight/audit-filter.ts";
import { auditReason, auditSentence } from "#app/entities/oversight/audit-sentence.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";

/** Rows of the audit log as sentences, each with its record. The row number is the one that Verify reports. */
export function AuditTable({ rows, busy }: { rows: readonly AuditRow[]; busy: boolean }) {
  return (
    <DataTable
      label="Audit log"
      caption="Audit log, newest first"
      aria-busy={busy}
      className="card-rows"
      columns={["Investigator", "Agency", "Plate", "Query Parameters", "Timestamp", "Programs Queried"]}
    >
      {rows.map((row) => (
        <Row key={row.id} row={row} />
      ))}
    </DataTable>
  );
}

const OUTCOMES = { refused: "Refused", failed: "Failed" };

function Row({ row }: { row: AuditRow }) {
  const zone = useViewerZone();
  const reason = auditReason(row);
  const programs = SOURCE_PROGRAMS.filter((program) => row.programs_queried.split(",").includes(program));
  return (
    <tr className="align-top max-sm:grid-cols-[1fr_auto]">
      <th scope="row" className="wrap-anywhere !align-top font-medium sm:max-w-48">
        {row.user_name || row.user || "Not signed in"}
        {row.user_name && <span className="block text-xs font-normal text-muted">{row.user}</span>}
      </th>
      <td className="wrap-anywhere !align-top sm:max-w-48 max-sm:col-span-2 max-sm:row-start-2 max-sm:text-muted">
        {row.user_agency}
      </td>
      <td className="!align-top max-sm:empty:hidden">
        {row.plate && (
          <span className="flex items-center gap-1">
            <PlateChip text={row.plate} size="sm" className="max-w-40" />
            <SearchPlate plate={row.plate} compact />
          </span>
        )}
      </td>
      <td className="min-w-60 wrap-anywhere !align-top max-sm:col-span-2">
        {row.outcome !== "ok" && (
          <Badge tone={row.outcome === "refused" ? "warn" : "hit"} className="me-1.5">
            {OUTCOMES[row.outcome]}
          </Badge>
        )}
        {auditSentence(row, zone)}
        {reason && <p className="text-muted">{reason}</p>}
        <RowDetails row={row} />
      </td>
      <td className="!align-top max-sm:col-span-2">
        <LocalTime at={row.timestamp} />
      </td>
      <td className="!align-top max-sm:col-span-2 max-sm:empty:hidden">
        {programs.length > 0 && (
          <span className="flex gap-1.5">
            {programs.map((program) => (
              <ProgramMark key={program} program={program} />
            ))}
          </span>
        )}
      </td>
    </tr>
  );
}

/** The record as it is stored, as JSON. */
function RowDetails({ row }: { row: AuditRow }) {
  const { detail, id, ...columns } = row;
  return (
    <details className="text-xs">
      <summary className="inline-flex min-h-target cursor-pointer items-center rounded-sm text-muted underline decoration-line-strong underline-offset-2 hover:text-text">
        Details<span className="sr-only"> of row {id}</span>
      </summary>
      <pre className="max-h-80 overflow-auto rounded-sm bg-sunken p-2 font-mono wrap-anywhere whitespace-pre-wrap">
        {JSON.stringify({ row: id, ...columns, detail: parsed(detail) }, null, 2)}
      </pre>
    </details>
  );
}

function parsed(detail: string): unknown {
  try {
    return JSON.parse(detail);
  } catch {
    return detail;
  }
}
