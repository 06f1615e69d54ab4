import { DatabaseBackup, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { type Answer, callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page } from "#app/components/ui/page.tsx";
import type { BackupCheck, BackupList, BackupSummary } from "#app/entities/operations/backup.ts";
import { BackupTable } from "./backup-table.tsx";

/** How often a running backup is looked at. */
const LOOK_MS = 3000;
const FAILED = "That did not work. Nothing was changed.";

/** Backups that were made, the one that is being made, and whether the newest is too old. */
export function BackupView({ list: loaded }: { list: BackupList }) {
  const { mutate, pending } = useMutation({ refresh: "always" });
  const { ask, dialog } = useConfirm();
  const [list, setList] = useState(loaded);
  const { runs, newest, late, kept_days } = list;
  const isRunning = runs.some(({ state }) => state === "running");

  useEffect(() => setList(loaded), [loaded]);
  useEffect(() => {
    if (!isRunning) return;
    const look = async () => {
      const answer = await callApi<BackupList>("/backups/data", { background: true });
      if (answer.ok) setList(answer.value);
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);

  const start = () => mutate(callApi("/backups/start", { method: "POST", failed: FAILED }), { key: "start" });
  const verify = (run: BackupSummary) =>
    mutate(verifyAll(run), { key: `verify ${run.id}`, done: reportCheck });
  const cancel = ({ id }: BackupSummary) =>
    ask({
      title: "Cancel this backup?",
      body: "What it has written so far is removed. Earlier backups stay.",
      confirm: "Cancel backup",
      cancel: "Keep it running",
      pending: "Cancelling…",
      danger: true,
      run: () =>
        mutate(callApi(`/backups/${id}/cancel`, { method: "POST", failed: FAILED }), { key: `cancel ${id}` }),
    });

  return (
    <Page width="7xl">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="text-xl font-semibold tracking-tight">Backups</h1>
          <p className="mt-0.5 text-sm text-muted">
            Made every night and kept for {kept_days} days. docs/operations.md says how to restore one.
          </p>
        </div>
        <Button
          variant="primary"
          icon={<DatabaseBackup />}
          pending={pending === "start"}
          pendingLabel="Starting…"
          disabled={isRunning || pending !== undefined}
          onClick={start}
        >
          Back up now
        </Button>
      </div>
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
              The newest backup is of <LocalTime at={newest} short />, more than 26 hours ago. Last
              night&rsquo;s is missing.
            </span>
          )}
        </p>
      )}
      {runs.length === 0 ? (
        <EmptyState icon={<DatabaseBackup />} title="No backups yet">
          The first one is made tonight, or now with the button above.
        </EmptyState>
      ) : (
        <BackupTable runs={runs} pending={pending} onVerify={verify} onCancel={cancel} />
      )}
      {dialog}
    </Page>
  );
}

type CheckSum = Pick<BackupCheck, "rows" | "objects" | "next" | "problem">;

/** Reads a backup back part by part. Returns the sums, or the first problem found. */
async function verifyAll({ id }: BackupSummary): Promise<Answer<CheckSum>> {
  const sum: CheckSum = { rows: 0, objects: 0, next: 0, problem: null };
  while (sum.next !== null) {
    const part: Answer<BackupCheck> = await callApi<BackupCheck>(`/backups/${id}/verify`, {
      json: { after: sum.next },
      failed: FAILED,
    });
    if (!part.ok || part.value.problem) return part;
    sum.rows += part.value.rows;
    sum.objects += part.value.objects;
    sum.next = part.value.next;
  }
  return { ok: true, value: sum };
}

function reportCheck({ problem, rows, objects }: CheckSum): void {
  if (problem) notify.error("The backup is damaged", { description: problem });
  else
    notify.success("The backup is whole", {
      description: `${rows.toLocaleString("en-US")} rows and ${objects.toLocaleString("en-US")} objects were read back.`,
    });
}
