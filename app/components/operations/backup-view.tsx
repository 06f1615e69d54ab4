import { useRevalidator } from "@remix-run/react";
import { DatabaseBackup, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { callApi, problemOf, wasDeclined } from "#app/components/accounts/call-api.ts";
import { LocalTime } from "#app/components/accounts/local-time.tsx";
import { call } from "#app/components/hotlists/call.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import type { BackupCheck, BackupList, BackupSummary } from "#app/entities/operations/backup.ts";
import { BackupTable } from "./backup-table.tsx";

/** How often a running backup is looked at. */
const LOOK_MS = 3000;

/** Backups that were made, the one that is being made, and whether the newest is too old. */
export function BackupView({ list: loaded }: { list: BackupList }) {
  const { revalidate } = useRevalidator();
  const [list, setList] = useState(loaded);
  const [pending, setPending] = useState<string>();
  const [cancelling, setCancelling] = useState<BackupSummary>();
  const { runs, newest, late, kept_days } = list;
  const isRunning = runs.some(({ state }) => state === "running");

  useEffect(() => setList(loaded), [loaded]);
  useEffect(() => {
    if (!isRunning) return;
    // In the background: it does not prolong the session, and where nobody answers the screen stays as it is.
    const look = async () => {
      const answer = await call<BackupList>("/backups/data", { background: true, failed: "" });
      if (answer.ok) setList(answer.value);
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);

  const act = async (what: string, work: () => Promise<void>) => {
    setPending(what);
    try {
      await work();
    } catch (error) {
      if (!wasDeclined(error)) notify.error(problemOf(error, "That did not work. Nothing was changed."));
      throw error;
    } finally {
      setPending(undefined);
      revalidate();
    }
  };
  const start = () =>
    act("start", async () => {
      const { msg } = await callApi<{ msg: string }>("/backups/start", { method: "POST" });
      notify.success(msg);
    }).catch(() => {});
  const cancel = async () => {
    if (!cancelling) return;
    await act(`cancel ${cancelling.id}`, async () => {
      const { msg } = await callApi<{ msg: string }>(`/backups/${cancelling.id}/cancel`, { method: "POST" });
      notify.success(msg);
    });
  };
  const verify = (run: BackupSummary) => act(`verify ${run.id}`, () => verifyAll(run)).catch(() => {});

  return (
    <div className="mx-auto flex w-full max-w-7xl flex-col gap-4 px-4 py-5 sm:px-6">
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
        <BackupTable runs={runs} pending={pending} onVerify={verify} onCancel={setCancelling} />
      )}
      <ConfirmDialog
        open={cancelling !== undefined}
        onClose={() => setCancelling(undefined)}
        title="Cancel this backup?"
        confirmLabel="Cancel backup"
        cancelLabel="Keep it running"
        pendingLabel="Cancelling…"
        danger
        onConfirm={cancel}
      >
        What it has written so far is removed. Earlier backups stay.
      </ConfirmDialog>
    </div>
  );
}

/** Reads a backup back stretch by stretch, and says what it came to. */
async function verifyAll({ id }: BackupSummary): Promise<void> {
  const sum = { rows: 0, objects: 0 };
  let after: number | null = 0;
  while (after !== null) {
    const part: BackupCheck = await callApi<BackupCheck>(`/backups/${id}/verify`, {
      method: "POST",
      body: { after },
    });
    if (part.problem) {
      notify.error("The backup is damaged", { description: part.problem });
      return;
    }
    sum.rows += part.rows;
    sum.objects += part.objects;
    after = part.next;
  }
  const [rows, objects] = [sum.rows.toLocaleString("en-US"), sum.objects.toLocaleString("en-US")];
  notify.success("The backup is whole", {
    description: `${rows} rows and ${objects} objects were read back.`,
  });
}
