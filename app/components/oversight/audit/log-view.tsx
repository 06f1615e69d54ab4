import { Link } from "@remix-run/react";
import { ChevronLeft, ChevronRight, Download, ScrollText } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import { Page } from "#app/components/ui/page.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { AuditFilter, AuditLogRow } from "#app/entities/oversight/audit-filter.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { AuditFilterForm, type Named } from "./filter-form.tsx";
import { type AuditLog, type ShownPage, useAuditLog } from "./use-log.ts";
import { VerifyPanel } from "./verify-panel.tsx";
import { auditParts, isSearch } from "./words.ts";

/**
 * The audit log: filter, table, pages, verification and export. A row is sealed when a job that runs every minute has
 * added its hash to the agency's hash chain; Verify checks sealed rows.
 */
export function AuditLogView({
  agency,
  agencies,
  zone,
}: {
  agency: Named;
  agencies: readonly Named[];
  zone: string;
}) {
  const form = useScreenForm<ShownPage>({ intent: "filter", failed: "The audit log could not be loaded." });
  const log = useAuditLog(form.posted?.result);
  return (
    <Page width="full">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="text-xl font-semibold tracking-tight">Audit Log</h1>
          <p className="mt-0.5 text-sm text-muted">
            Every action is recorded here and cannot be changed. Viewing the log is recorded too.
          </p>
        </div>
        <Link to="/review" className={buttonClass("ghost")}>
          Review
        </Link>
        <Link to="/legal-holds" className={buttonClass("ghost")}>
          Legal holds
        </Link>
        <Link to="/public-figures" className={buttonClass("ghost")}>
          Transparency page
        </Link>
        <VerifyPanel key={log.filter.agency} agency={log.filter.agency} />
        <AuditExport filter={log.filter} />
      </div>
      <AuditFilterForm
        state={form}
        agency={agency}
        agencies={agencies}
        zone={zone}
        pending={log.loading && log.rows !== undefined}
        onSearch={log.search}
      />
      <Rows log={log} />
      <nav aria-label="Pages" className="flex items-center gap-3 noscript:hidden">
        <Button icon={<ChevronLeft />} disabled={log.page === 1 || log.loading} onClick={log.previous}>
          Previous
        </Button>
        <span role="status" className="text-sm text-muted">
          {log.rows && !log.loading && `Page ${log.page}, ${log.rows.length} rows`}
        </span>
        <Button icon={<ChevronRight />} disabled={!log.hasNext || log.loading} onClick={log.next}>
          Next
        </Button>
      </nav>
    </Page>
  );
}

function Rows({ log }: { log: AuditLog }) {
  if (log.problem) {
    return (
      <EmptyState
        icon={<ScrollText />}
        title={log.problem}
        actions={<Button onClick={log.again}>Try again</Button>}
      >
        No rows were loaded.
      </EmptyState>
    );
  }
  if (!log.rows) {
    return (
      <>
        <Skeleton className="h-96 w-full noscript:hidden" />
        <p className="hidden text-muted noscript:block">Choose Search to see the rows.</p>
      </>
    );
  }
  if (log.rows.length === 0) {
    return (
      <EmptyState icon={<ScrollText />} title="No rows match">
        Widen the time range, or choose another action.
      </EmptyState>
    );
  }
  return <AuditTable rows={log.rows} busy={log.loading} />;
}

/** Exports the filtered rows as CSV: complete, or with plates redacted for public records requests. */
function AuditExport({ filter }: { filter: AuditFilter }) {
  const { mutate, pending } = useMutation({ refresh: "never" });
  const save = (redacted: boolean) => {
    const file = callApi("/audit-log/export", {
      json: { filter, redacted },
      failed: "The audit log could not be exported.",
      read: (response) => response.blob(),
    });
    void mutate(file, { done: (rows) => saveFile(rows, redacted) });
  };

  return (
    <Menu
      label="Export the audit log"
      align="end"
      trigger={
        <Button icon={<Download />} pending={pending !== undefined} pendingLabel="Exporting…">
          Export CSV
        </Button>
      }
    >
      <MenuItem onSelect={() => save(false)}>With plates</MenuItem>
      <MenuItem onSelect={() => save(true)}>Redacted, for public records</MenuItem>
    </Menu>
  );
}

function saveFile(file: Blob, redacted: boolean): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = `odin-audit-log${redacted ? "-redacted" : ""}-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}

/** Rows of the audit log with readable parameters. The row number is the one that Verify reports. */
function AuditTable({ rows, busy }: { rows: readonly AuditLogRow[]; busy: boolean }) {
  return (
    <TableBox label="Audit log">
      <Table caption="Audit log, newest first" density="compact" aria-busy={busy}>
        <thead>
          <tr>
            <ColumnHeader>Investigator</ColumnHeader>
            <ColumnHeader>Agency</ColumnHeader>
            <ColumnHeader>Action</ColumnHeader>
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
                {row.user_name || row.user || "Not signed in"}
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
