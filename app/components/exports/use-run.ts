import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { sessionHasEnded } from "#app/components/accounts/session/end.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import type { ExportKind } from "#app/entities/exports/request.ts";
import { addPendingExport } from "./pending.ts";
import { deleteExport, runExport, saveExport } from "./run.ts";

export type RunningExport = { kind: ExportKind; done: number; total: number };
export type ExportReasons = { justification: string; caseNumber: string };

/** Runs one export at a time: start, progress, cancel and result. */
export function useExport(resultId: string) {
  const [running, setRunning] = useState<RunningExport>();
  const controller = useRef<AbortController>();
  /** Id of the export that the server has started. */
  const created = useRef<string>();

  /** Returns whether the export came to an end; false if the session had ended. */
  async function start(kind: ExportKind, ids: string[], reasons: ExportReasons): Promise<boolean> {
    if (controller.current) return true;
    const abort = new AbortController();
    controller.current = abort;
    created.current = undefined;
    setRunning({ kind, done: 0, total: ids.length });
    const outcome = await runExport({
      kind,
      body: {
        records: ids.map((id) => ({ id })),
        justification: reasons.justification,
        case_number: reasons.caseNumber,
        result_id: resultId,
      },
      signal: abort.signal,
      onProgress: (progress) => {
        if (progress.type === "started") created.current = progress.id;
        if (progress.type === "record") setRunning({ kind, done: progress.done, total: progress.total });
      },
    });
    controller.current = undefined;
    // The wait screen must return the focus before the dialog below it closes.
    flushSync(() => setRunning(undefined));
    switch (outcome.kind) {
      case "ready": {
        saveExport(outcome.export);
        const { missing, name } = outcome.export;
        const gaps = missing === 0 ? undefined : `${missing} images are missing; the file lists them.`;
        notify.success(`${name} is downloading.`, gaps ? { description: gaps } : {});
        break;
      }
      case "queued":
        addPendingExport(outcome.id);
        notify.info("Odin is creating a large report.", {
          description: "You can continue working. Odin shows a message here when the report is ready.",
        });
        break;
      case "signed-out":
        sessionHasEnded();
        return false;
      case "failed":
        notify.error(outcome.message, outcome.reason ? { description: outcome.reason } : {});
        break;
      case "cancelled":
        notify.info("The export was cancelled.");
        break;
    }
    return true;
  }

  /** Aborting alone is not enough: the server notices it only after the vendor has answered. */
  function cancel(): void {
    controller.current?.abort();
    if (created.current) void deleteExport(created.current);
  }

  return { running, start, cancel };
}
