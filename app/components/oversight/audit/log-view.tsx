import { Link } from "@remix-run/react";
import { ChevronLeft, ChevronRight, ScrollText } from "lucide-react";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Page } from "#app/components/ui/page.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { AuditExport } from "./export.tsx";
import { AuditFilterForm, type Named } from "./filter-form.tsx";
import { AuditTable } from "./table.tsx";
import { type AuditLog, type ShownPage, useAuditLog } from "./use-log.ts";
import { VerifyPanel } from "./verify-panel.tsx";

/** The audit log: filter, table, pages, verification and export. */
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
            Every act is written here and cannot be changed. Looking at the log is written down too.
          </p>
        </div>
        <Link to="/review" className={buttonClass("ghost")}>
          Review
        </Link>
        <Link to="/legal-holds" className={buttonClass("ghost")}>
          Legal holds
        </Link>
        <Link to="/public-figures" className={buttonClass("ghost")}>
          Public figures
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
        Nothing was shown.
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
      <EmptyState icon={<ScrollText />} title="No rows fit">
        Widen the time, or choose “Every act”.
      </EmptyState>
    );
  }
  return <AuditTable rows={log.rows} busy={log.loading} />;
}
