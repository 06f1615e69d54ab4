import { MailCheck } from "lucide-react";
import type { ReactNode } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { ACTIONS_COLUMN, type Column, DataTable } from "#app/components/ui/table.tsx";
import type { FailedJobChoice, FailedJobs } from "#app/entities/operations/failed-job.ts";
import { counted, numberText } from "#app/lib/number-text.ts";

const JOB_LABELS: Record<FailedJobs["jobs"][number]["type"], string> = {
  alert: "Alert delivery",
  "axon-poll": "Axon poll",
  backup: "Backup step",
  "backup-copy": "Copies for a backup",
  export: "Export",
  "hotlist-import": "Hotlist import",
  "purge-result-set": "Search result purge",
  "restore-images": "Images of a restored backup",
  unreadable: "Unreadable message",
  webhook: "Outgoing webhook",
};

const CHANNELS = { apns: "iPhone", webpush: "Browser" } as const;

/** One row or all rows, with the description used in the confirmation. */
type Chosen = { choice: FailedJobChoice; what: string };
const ALL: Chosen = { choice: { kind: "all" }, what: "all failed jobs and pushes" };

type ActionsOf = (chosen: Chosen, canRetry?: boolean) => ReactNode;

/** Failed jobs and undelivered pushes, with actions to retry or discard them. */
export function FailedJobsView({ failed }: { failed: FailedJobs }) {
  const { actionsOf, dialog } = useFailureActions();
  const { jobs, jobs_total, sends, reads_to_tag } = failed;
  const sendsTotal = sends.reduce((sum, { count }) => sum + count, 0);
  const isEmpty = jobs_total === 0 && sendsTotal === 0;
  return (
    <Page width="7xl">
      <PageHead
        title="Failed Jobs"
        lead="Jobs and push messages that failed after several attempts. Retrying creates no duplicates."
      >
        {!isEmpty && actionsOf(ALL)}
      </PageHead>
      {reads_to_tag > 0 && (
        <p className="text-sm text-muted">
          In progress: preparing {numberText(reads_to_tag)} stored reads for faster searches. Until then,
          searches still find them, but more slowly.
        </p>
      )}
      {isEmpty && (
        <EmptyState icon={<MailCheck />} title="No failed jobs">
          Jobs and pushes that fail permanently are listed here.
        </EmptyState>
      )}
      {sends.length > 0 && <FailedPushes sends={sends} total={sendsTotal} actionsOf={actionsOf} />}
      {jobs.length > 0 && <FailedJobTable jobs={jobs} total={jobs_total} actionsOf={actionsOf} />}
      {dialog}
    </Page>
  );
}

/** Returns the buttons that retry or discard failures, and the dialog that confirms it. */
function useFailureActions(): { actionsOf: ActionsOf; dialog: ReactNode } {
  const { mutate, pending } = useMutation({ refresh: "always" });
  const { ask, dialog } = useConfirm();
  const act = (path: "drive" | "discard", { choice, what }: Chosen) =>
    mutate(callApi(`/dead-jobs/${path}`, { json: choice, failed: "The action failed." }), { key: what });
  const discard = (chosen: Chosen) =>
    ask({
      title: `Discard ${chosen.what}?`,
      body: "It will not be retried, and this cannot be undone. The audit log records that you discarded it.",
      confirm: "Discard",
      pending: "Discarding…",
      danger: true,
      run: () => act("discard", chosen),
    });
  const actionsOf: ActionsOf = (chosen, canRetry = true) => (
    <span className="flex gap-2 row:justify-end">
      {canRetry && (
        <Button
          size="sm"
          pending={pending === chosen.what}
          disabled={pending !== undefined}
          onClick={() => act("drive", chosen)}
        >
          {chosen === ALL ? "Retry all" : "Retry"}
          <span className="sr-only">: {chosen.what}</span>
        </Button>
      )}
      <Button size="sm" variant="ghost" disabled={pending !== undefined} onClick={() => discard(chosen)}>
        {chosen === ALL ? "Discard all" : "Discard"}
        <span className="sr-only">: {chosen.what}</span>
      </Button>
    </span>
  );
  return { actionsOf, dialog };
}

function FailedPushes(props: { sends: FailedJobs["sends"]; total: number; actionsOf: ActionsOf }) {
  const { sends, total, actionsOf } = props;
  return (
    <FailureTable
      id="failed-pushes"
      title={counted(total, "push", "pushes")}
      label="Failed pushes"
      order="by kind of device and reason"
      columns={[
        "Device",
        "Reason",
        { title: "Pushes", numeric: true },
        { title: "Attempts", numeric: true },
        "Oldest",
        "Newest",
      ]}
    >
      {sends.map(({ channel, reason, count, attempts, oldest, newest }) => (
        <tr key={`${channel} ${reason}`}>
          <th scope="row" className="font-medium">
            {CHANNELS[channel]}
          </th>
          <td>{reason}</td>
          <td data-label="Pushes" className="num">
            {numberText(count)}
          </td>
          <td data-label="Attempts" className="num">
            {attempts}
          </td>
          <td data-label="Oldest">
            <LocalTime at={oldest} short />
          </td>
          <td data-label="Newest">
            <LocalTime at={newest} short />
          </td>
          <td>
            {actionsOf({
              choice: { kind: "sends", channel, reason },
              what: `${count} pushes to ${CHANNELS[channel]} devices (${reason})`,
            })}
          </td>
        </tr>
      ))}
    </FailureTable>
  );
}

function FailedJobTable(props: { jobs: FailedJobs["jobs"]; total: number; actionsOf: ActionsOf }) {
  const { jobs, total, actionsOf } = props;
  return (
    <FailureTable
      id="failed-jobs"
      title={counted(total, "job")}
      note={total > jobs.length && `, the oldest ${jobs.length} shown`}
      label="Failed jobs"
      order="oldest first"
      columns={["Job", "Queue", { title: "Attempts", numeric: true }, "Since", "Message"]}
    >
      {jobs.map(({ id, type, queue, attempts, at }) => (
        <tr key={id}>
          <th scope="row" className="font-medium">
            {JOB_LABELS[type]}
          </th>
          <td data-label="Queue">{queue}</td>
          <td data-label="Attempts" className="num">
            {attempts}
          </td>
          <td data-label="Since">
            <LocalTime at={at} short />
          </td>
          <td data-label="Message" className="font-mono text-xs text-muted">
            {id.slice(0, 12)}
          </td>
          <td>
            {actionsOf(
              { choice: { kind: "jobs", ids: [id] }, what: `the job ${id.slice(0, 12)}` },
              type !== "unreadable",
            )}
          </td>
        </tr>
      ))}
    </FailureTable>
  );
}

type FailureTableProps = {
  id: string;
  title: string;
  note?: ReactNode;
  label: string;
  order: string;
  columns: readonly Column[];
  children: ReactNode;
};

/** A table of one kind of failure. The last column of each row holds its actions. */
function FailureTable({ id, title, note, label, order, columns, children }: FailureTableProps) {
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <h2 id={id} className="font-semibold">
        {title}
        {note && <span className="font-normal text-muted">{note}</span>}
      </h2>
      <DataTable
        label={label}
        caption={`${label}, ${order}`}
        density="compact"
        cardsBelow="medium"
        columns={[...columns, ACTIONS_COLUMN]}
      >
        {children}
      </DataTable>
    </section>
  );
}
