import { DatabaseBackup, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { type Answer, callApi } from "#app/components/forms/api.ts";
import { useLongTask } from "#app/components/forms/long-task.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import { ACTIONS_COLUMN, DataTable } from "#app/components/ui/table.tsx";
import type { Tone } from "#app/components/ui/tones.ts";
import type { BackupCheck, BackupList, BackupSummary, ImagesBack } from "#app/entities/operations/backup.ts";
import { counted, numberText, sizeText } from "#app/lib/number-text.ts";

/** The polling interval for a running backup, and for images that are copied back. */
const POLL_MS = 3000;
const FAILED = "The action failed.";

/** Lists backups, follows a running one, and warns if the newest is too old. */
export function BackupView({ list: loaded }: { list: BackupList }) {
  const { mutate, pending } = useMutation({ refresh: "always" });
  const { ask, dialog } = useConfirm();
  const verification = useLongTask<BackupCheck>();
  const [verified, setVerified] = useState("");
  const [list, setList] = useState(loaded);
  const { runs, newest, late, kept_days, images } = list;
  const isRunning = images !== null || runs.some(({ state }) => state === "running");

  useEffect(() => setList(loaded), [loaded]);
  useEffect(() => {
    if (!isRunning) return;
    const poll = async () => {
      const answer = await callApi<BackupList>("/backups/data", { background: true });
      if (answer.ok) setList(answer.value);
    };
    const timer = setInterval(poll, POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning]);

  const start = () => mutate(callApi("/backups/start", { method: "POST", failed: FAILED }), { key: "start" });
  async function verify(run: BackupSummary) {
    setVerified(run.id);
    const check = await verification.start((before, signal) => verifyPart(run, { before, signal }));
    if (check) reportCheck(check);
  }
  const cancel = ({ id }: BackupSummary) =>
    ask({
      title: "Cancel this backup?",
      body: "The data written so far is deleted. Earlier backups are kept.",
      confirm: "Cancel backup",
      cancel: "Keep it running",
      pending: "Canceling…",
      danger: true,
      run: () =>
        mutate(callApi(`/backups/${id}/cancel`, { method: "POST", failed: FAILED }), { key: `cancel ${id}` }),
    });

  return (
    <Page width="7xl">
      <PageHead
        title="Backups"
        lead={
          <>Made every night and kept for {kept_days} days. Restore instructions are in docs/operations.md.</>
        }
      >
        <Button
          variant="primary"
          icon={<DatabaseBackup />}
          className="noscript:hidden"
          pending={pending === "start"}
          pendingLabel="Starting…"
          disabled={isRunning || pending !== undefined || verification.running}
          onClick={start}
        >
          Back up now
        </Button>
      </PageHead>
      {images && <ImagesNotice images={images} />}
      {late && runs.length > 0 && (
        <p
          role="status"
          className="flex items-start gap-2 rounded-md border border-warn bg-warn-soft p-3 text-sm"
        >
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
          {newest === null ? (
            <span>There is no backup yet.</span>
          ) : (
            <span>
              The newest backup is from <LocalTime at={newest} short />, more than 26 hours ago. Last
              night&rsquo;s backup is missing.
            </span>
          )}
        </p>
      )}
      {runs.length === 0 ? (
        <EmptyState icon={<DatabaseBackup />} title="No backups yet">
          The first backup runs tonight. Use the button above to start one now.
        </EmptyState>
      ) : (
        <BackupTable
          runs={runs}
          isBusy={pending !== undefined || verification.running}
          verifying={verification.running ? { id: verified, check: verification.last } : undefined}
          onVerify={verify}
          onStopVerifying={verification.stop}
          onCancel={cancel}
        />
      )}
      {dialog}
    </Page>
  );
}

/** Shows how many images of a restored backup have been copied back. */
function ImagesNotice({ images: { done, total, failing } }: { images: ImagesBack }) {
  return (
    <section
      aria-label="Images of the restored backup"
      className="flex flex-col gap-2 rounded-md border border-line bg-raised p-3 text-sm"
    >
      <p>
        Images of the restored backup are being copied back: {numberText(done)} of {counted(total, "object")}.
        Images that are not copied yet are shown from the backup. A new backup cannot start until all are
        copied.
      </p>
      <Progress label="Images copied back" value={done} max={Math.max(1, total)} />
      {failing && (
        <p className="text-hit">
          The last attempts failed; the Worker&rsquo;s log has the error. Odin tries again every five minutes.
        </p>
      )}
    </section>
  );
}

/** Verifies the next part of a backup. Returns its check, with the counts of all parts so far. */
async function verifyPart(
  { id }: BackupSummary,
  { before, signal }: { before: BackupCheck | undefined; signal: AbortSignal },
): Promise<Answer<BackupCheck>> {
  const part = await callApi<BackupCheck>(`/backups/${id}/verify`, {
    json: { after: before?.next ?? 0 },
    failed: "The backup could not be verified.",
    signal,
  });
  if (!part.ok || !before) return part;
  const { rows, objects, missing } = part.value;
  return {
    ok: true,
    value: {
      ...part.value,
      rows: before.rows + rows,
      objects: before.objects + objects,
      missing: before.missing + missing,
    },
  };
}

function reportCheck({ problem, rows, objects, missing }: BackupCheck): void {
  if (problem) notify.error("The backup is damaged", { description: problem });
  else
    notify.success("The backup is intact", {
      description: `${numberText(rows)} rows and ${numberText(objects - missing)} objects were read back.${
        missing === 0 ? "" : ` ${counted(missing, "object was", "objects were")} purged since.`
      }`,
    });
}

const STATES: Record<BackupSummary["state"], { label: string; tone: Tone }> = {
  running: { label: "Running", tone: "accent" },
  finished: { label: "Finished", tone: "ok" },
  failed: { label: "Failed", tone: "hit" },
  cancelled: { label: "Canceled", tone: "neutral" },
};

const DOING: Record<string, string> = {
  plan: "reading small tables",
  rows: "reading tables",
  keys: "copying keys",
  objects: "copying images and files",
  manifest: "finishing",
};

type BackupTableProps = {
  runs: BackupSummary[];
  isBusy: boolean;
  /** The backup that is being verified, and the check of its latest part. */
  verifying: { id: string; check: BackupCheck | undefined } | undefined;
  onVerify: (run: BackupSummary) => void;
  onStopVerifying: () => void;
  onCancel: (run: BackupSummary) => void;
};

function BackupTable({ runs, isBusy, verifying, onVerify, onStopVerifying, onCancel }: BackupTableProps) {
  return (
    <DataTable
      label="Backups"
      caption="Backups, newest first"
      density="compact"
      cardsBelow="wide"
      columns={[
        "Started",
        "State",
        "By",
        { title: "Rows", numeric: true },
        { title: "Table size", numeric: true },
        { title: "Objects", numeric: true },
        { title: "Key", numeric: true },
        "ID",
        ACTIONS_COLUMN,
      ]}
    >
      {runs.map((run) => (
        <tr key={run.id} className="card:grid-cols-2">
          <th scope="row" className="font-medium card:col-span-2">
            <LocalTime at={run.started_at} short />
          </th>
          <td className="card:col-span-2">
            <StateCell run={run} />
          </td>
          <td data-label="By" className="card:col-span-2">
            {run.started_by || "Nightly"}
          </td>
          <td data-label="Rows" className="num">
            {numberText(run.rows)}
          </td>
          <td data-label="Table size" className="num">
            {sizeText(run.bytes)}
          </td>
          <td data-label="Objects" className="num">
            {numberText(run.objects)}
          </td>
          <td data-label="Key" className="num">
            {run.key_version}
          </td>
          <td data-label="ID" className="font-mono text-xs text-muted card:col-span-2">
            {run.id}
          </td>
          <td className="card:col-span-2 row:text-right">
            {run.state === "running" && (
              <Button size="sm" variant="ghost" disabled={isBusy} onClick={() => onCancel(run)}>
                Cancel<span className="sr-only"> the backup {run.id}</span>
              </Button>
            )}
            {run.state === "finished" &&
              !run.removed &&
              (verifying?.id === run.id ? (
                <Button size="sm" onClick={onStopVerifying}>
                  Cancel<span className="sr-only"> the verification of {run.id}</span>
                </Button>
              ) : (
                <Button size="sm" disabled={isBusy} onClick={() => onVerify(run)}>
                  Verify<span className="sr-only"> the backup {run.id}</span>
                </Button>
              ))}
            {verifying?.id === run.id && (
              <Progress
                label="Parts verified"
                value={verifying.check?.checked ?? 0}
                max={Math.max(1, verifying.check?.total ?? 1)}
                className="mt-1"
              />
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function StateCell({ run }: { run: BackupSummary }) {
  const { label, tone } = STATES[run.state];
  const doing = run.state === "running" ? (DOING[run.phase] ?? run.phase) : run.message;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone={run.removed ? "neutral" : tone}>
        {run.removed && run.state === "finished" ? "Removed" : label}
      </Badge>
      {doing && <span className="text-xs text-muted">{doing}</span>}
    </span>
  );
}
