import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { sessionHasEnded } from "#app/components/accounts/session/end.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import type { ExportKind } from "#app/entities/exports/request.ts";
import { addPendingExport } from "./pending.ts";
import { runExport, saveExport, takeBack } from "./run.ts";

export type RunningExport = { kind: ExportKind; done: number; total: number };
export type ExportReasons = { justification: string; caseNumber: string };

/** One export at a time: starting, progress, cancelling, and what becomes of it. */
export function useExport(resultId: string) {
  const [running, setRunning] = useState<RunningExport>();
  const controller = useRef<AbortController>();
  /** The export that the server is making, once it has said so. */
  const made = useRef<string>();

  /** Gives whether it came to an end; false where nobody was signed in any more. */
  async function start(kind: ExportKind, ids: string[], reasons: ExportReasons): Promise<boolean> {
    if (controller.current) return true;
    const mine = new AbortController();
    controller.current = mine;
    made.current = undefined;
    setRunning({ kind, done: 0, total: ids.length });
    const outcome = await runExport({
      kind,
      body: {
        records: ids.map((id) => ({ id })),
        justification: reasons.justification,
        case_number: reasons.caseNumber,
        result_id: resultId,
      },
      signal: mine.signal,
      onProgress: (progress) => {
        if (progress.type === "started") made.current = progress.id;
        if (progress.type === "record") setRunning({ kind, done: progress.done, total: progress.total });
      },
    });
    controller.current = undefined;
    // The wait gives the focus back before what lies beneath it goes, or there is nobody to give it to.
    flushSync(() => setRunning(undefined));
    switch (outcome.kind) {
      case "ready": {
        saveExport(outcome.export);
        const { missing, name } = outcome.export;
        const gaps = missing === 0 ? undefined : `${missing} images are missing; the file lists them.`;
        notify.success(`${name} is on its way to your downloads.`, gaps ? { description: gaps } : {});
        break;
      }
      case "queued":
        addPendingExport(outcome.id);
        notify.info("A large report is being made.", {
          description: "You can go on working; you will be told here when it is ready.",
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

  /** Hanging up alone would be noticed only when the vendor that is waited for has answered. */
  function cancel(): void {
    controller.current?.abort();
    if (made.current) void takeBack(made.current);
  }

  return { running, start, cancel };
}
