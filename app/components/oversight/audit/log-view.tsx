import { Link } from "@remix-run/react";
import { Download, ScrollText, ShieldAlert, ShieldCheck } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useLongTask } from "#app/components/forms/long-task.ts";
import { saveFile } from "#app/components/forms/save-file.ts";
import { serverTime } from "#app/components/forms/server-time.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import {
  type FilteredPages,
  NotLoaded,
  PageButtons,
  useFilteredPages,
} from "#app/components/oversight/filtered-pages.tsx";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { SearchPlate } from "#app/components/search/sighting/plate-actions.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime, useViewerZone } from "#app/components/ui/local-time.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import type { ChainReport } from "#app/entities/oversight/audit-chain.ts";
import {
  type AuditCursor,
  type AuditFilter,
  type AuditPage,
  type AuditRow,
  NO_AUDIT_FILTER,
} from "#app/entities/oversight/audit-filter.ts";
import { auditReason, auditSentence } from "#app/entities/oversight/audit-sentence.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { localTime } from "#app/lib/time/dates.ts";
import { AuditFilterForm, type Named } from "./filter-form.tsx";

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
  const [form, log] = useFilteredPages<AuditFilter, AuditCursor, AuditPage>({
    url: "/audit-log/rows",
    failed: "The audit log could not be loaded.",
    noFilter: NO_AUDIT_FILTER,
  });
  const searchedTo = log.problem === "" && log.found?.searched_to;
  return (
    <Page width="full">
      <PageHead
        title="Audit Log"
        lead="Every action is recorded here and cannot be changed. Viewing the log is recorded too."
      >
        <Link to="/review" className={cx(buttonClass("ghost"), "max-sm:hidden")}>
          Review
        </Link>
        <Link to="/legal-holds" className={cx(buttonClass("ghost"), "max-sm:hidden")}>
          Legal Holds
        </Link>
        <Link to="/public-figures" className={cx(buttonClass("ghost"), "max-sm:hidden")}>
          Transparency Page
        </Link>
        <VerifyPanel key={log.filter.agency} agency={log.filter.agency} />
        <AuditExport filter={log.filter} />
      </PageHead>
      <AuditFilterForm
        state={form}
        agency={agency}
        agencies={agencies}
        zone={zone}
        shown={form.posted?.result?.filter}
        pending={log.loading && log.found !== undefined}
        onSearch={log.search}
      />
      <Rows log={log} />
      {searchedTo && (
        <p className="text-sm text-muted">
          Searched back to <LocalTime at={searchedTo} />. Choose Next to search older entries, or narrow the
          time range.
        </p>
      )}
      <PageButtons pages={log} noun="entry" nouns="entries" />
    </Page>
  );
}

function Rows({ log }: { log: AuditLog }) {
  if (log.problem || !log.found) {
    return <NotLoaded pages={log} nouns="entries" button="Search" icon={<ScrollText />} />;
  }
  if (log.found.rows.length === 0) {
    return (
      <EmptyState icon={<ScrollText />} title="No entries match">
        {log.found.searched_to
          ? "No plate in these entries contains these characters. Choose Next to search older entries."
          : "Widen the time range, or choose another action."}
      </EmptyState>
    );
  }
  return <AuditTable rows={log.found.rows} busy={log.loading} />;
}

/** Exports the filtered rows as CSV: complete, or with plates redacted for public records requests. */
function AuditExport({ filter }: { filter: AuditFilter }) {
  const { mutate, pending } = useMutation({ refresh: "never" });
  const save = (redacted: boolean) => {
    const file = callApi("/audit-log/export", {
      json: { filter, redacted },
      failed: "The audit log could not be exported.",
      reads: true,
      read: (response) => response.blob(),
    });
    const day = localTime(serverTime())?.slice(0, 10);
    const name = `odin-audit-log${redacted ? "-redacted" : ""}-${day}.csv`;
    void mutate(file, { done: (rows) => saveFile(name, rows) });
  };

  return (
    <Menu
      label="Export the audit log"
      trigger={
        <Button
          icon={<Download />}
          className="noscript:hidden"
          pending={pending !== undefined}
          pendingLabel="Exporting…"
        >
          Export CSV
        </Button>
      }
    >
      <MenuItem onSelect={() => save(false)}>With plates</MenuItem>
      <MenuItem onSelect={() => save(true)}>Redacted, for public records</MenuItem>
    </Menu>
  );
}

type AuditLog = FilteredPages<AuditFilter, AuditPage>;

/** Entries of the audit log as sentences, each with its record. Its number is the one that Verify reports. */
function AuditTable({ rows, busy }: { rows: readonly AuditRow[]; busy: boolean }) {
  return (
    <DataTable
      label="Audit log"
      caption="Audit log, newest first"
      aria-busy={busy}
      cardsBelow="wide"
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
    <tr className="align-top card:grid-cols-[1fr_auto]">
      <th scope="row" className="wrap-anywhere !align-top font-medium row:max-w-48">
        {row.user_name || row.user || "Not signed in"}
        {row.user_name && <span className="block text-xs font-normal text-muted">{row.user}</span>}
      </th>
      <td className="wrap-anywhere !align-top row:max-w-48 card:col-span-2 card:row-start-2 card:text-muted">
        {row.user_agency}
      </td>
      <td className="!align-top card:empty:hidden">
        {row.plate && (
          <span className="flex items-center gap-1">
            <PlateChip text={row.plate} size="sm" className="max-w-40" />
            <SearchPlate plate={row.plate} compact />
          </span>
        )}
      </td>
      <td className="min-w-60 wrap-anywhere !align-top card:col-span-2">
        {row.outcome !== "ok" && (
          <Badge tone={row.outcome === "refused" ? "warn" : "hit"} className="me-1.5">
            {OUTCOMES[row.outcome]}
          </Badge>
        )}
        {auditSentence(row, zone)}
        {reason && <p className="text-muted">{reason}</p>}
        <RowDetails row={row} />
      </td>
      <td className="!align-top card:col-span-2">
        <LocalTime at={row.timestamp} />
      </td>
      <td className="!align-top card:col-span-2 card:empty:hidden">
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
        Details<span className="sr-only"> of entry {id}</span>
      </summary>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-sm bg-sunken p-2 font-mono wrap-anywhere whitespace-pre-wrap"
      >
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

/**
 * Verifies the agency's hash chain part by part and reports changed or missing rows. The result takes a line of its own
 * below the toolbar.
 */
function VerifyPanel({ agency }: { agency: string }) {
  const { last: report, running, start, stop } = useLongTask<ChainReport>();
  const verify = () =>
    start((before, signal) =>
      callApi("/audit-log/verify", {
        json: { agency, after: before?.next ?? 0 },
        failed: "The log could not be verified.",
        signal,
      }),
    );
  return (
    <>
      {running ? (
        <Button onClick={stop}>Stop</Button>
      ) : (
        <Button icon={<ShieldCheck />} className="noscript:hidden" onClick={verify}>
          Verify
        </Button>
      )}
      {running && (
        <Progress
          label="Entries verified"
          value={report?.checked ?? 0}
          max={Math.max(1, report?.total ?? 1)}
        />
      )}
      <div role="status" className="order-last basis-full empty:-mt-2">
        {report && !running && <Verdict report={report} />}
      </div>
    </>
  );
}

function Verdict({ report }: { report: ChainReport }) {
  const { problem, checked, total, next, waiting, head } = report;
  if (problem) {
    return (
      <span className="flex items-start gap-1.5 text-sm font-medium text-hit">
        <ShieldAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        Entry {problem.seq} failed verification. {problem.problem}
      </span>
    );
  }
  if (next !== null) {
    return (
      <span className="text-sm text-muted">
        Stopped after {numberText(checked)} of {counted(total, "entry", "entries")}; none of those verified is
        missing or altered.
      </span>
    );
  }
  if (total === 0) {
    return (
      <span className="text-sm text-muted">
        No entries can be verified yet. New entries can be verified within a minute.
      </span>
    );
  }
  return (
    <span className="flex items-start gap-1.5 text-sm text-ok">
      <ShieldCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span>
        {counted(checked, "entry", "entries")} verified; none missing or altered.
        {waiting > 0 && ` ${counted(waiting, "entry", "entries")} newer than a minute can be verified soon.`}{" "}
        <span className="text-muted">
          Last hash: <code className="font-mono text-xs">{head.slice(0, 16)}</code>
        </span>
      </span>
    </span>
  );
}
