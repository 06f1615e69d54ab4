import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { AuditLogRow } from "#app/entities/oversight/audit-filter.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { auditParts, isSearch } from "./words.ts";

/** Rows of the audit log. What was asked is spelled out; the row's number is the one that Verify names. */
export function AuditTable({ rows, busy }: { rows: readonly AuditLogRow[]; busy: boolean }) {
  return (
    <TableBox label="Audit log">
      <Table caption="Audit log, newest first" density="compact" aria-busy={busy}>
        <thead>
          <tr>
            <ColumnHeader>Investigator</ColumnHeader>
            <ColumnHeader>Agency</ColumnHeader>
            <ColumnHeader>Act</ColumnHeader>
            <ColumnHeader>Query Parameters</ColumnHeader>
            <ColumnHeader>Timestamp</ColumnHeader>
            <ColumnHeader>Programs Queried</ColumnHeader>
            <ColumnHeader numeric>Row</ColumnHeader>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th
                scope="row"
                className="max-w-56 truncate align-top font-medium"
                title={row.user_name || row.user}
              >
                {row.user_name || row.user || "Nobody"}
                {row.user_name && (
                  <span className="block truncate text-xs font-normal text-muted">{row.user}</span>
                )}
              </th>
              <td className="max-w-56 truncate align-top" title={row.user_agency}>
                {row.user_agency}
              </td>
              <td className="whitespace-nowrap align-top">
                {isSearch(row) ? "search" : row.action}
                {row.outcome !== "ok" && (
                  <Badge tone={row.outcome === "refused" ? "warn" : "hit"} className="ms-1.5">
                    {row.outcome}
                  </Badge>
                )}
              </td>
              <td className="min-w-72 max-w-[40rem] align-top">
                <Parts row={row} />
              </td>
              <td className="align-top">
                <LocalTime at={Date.parse(row.timestamp)} />
              </td>
              <td className="align-top">
                <span className="flex gap-1.5">
                  {SOURCE_PROGRAMS.filter((program) => row.programs_queried.split(",").includes(program)).map(
                    (program) => (
                      <ProgramMark key={program} program={program} />
                    ),
                  )}
                </span>
              </td>
              <td className="num align-top text-muted">{row.id}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </TableBox>
  );
}

function Parts({ row }: { row: AuditLogRow }) {
  const parts = auditParts(row);
  if (parts.length === 0) return <span className="text-muted">none</span>;
  return (
    <dl className="flex flex-wrap gap-x-3 gap-y-0.5">
      {parts.map(({ name, value, isPlate }) => (
        <div key={name} className="flex min-w-0 max-w-full gap-1">
          <dt className="shrink-0 text-muted">{name}</dt>
          <dd className={isPlate ? "plate-text" : "min-w-0 break-words"}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
