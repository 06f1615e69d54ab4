import { useEffect } from "react";
import { useUser } from "#app/components/shell/use-standing.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { missingText } from "#app/entities/exports/request.ts";
import { counted } from "#app/lib/number-text.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { dropPendingExport, onPendingExports, pendingExports } from "./pending.ts";
import { askExport, saveExport } from "./run.ts";

const PAUSE_MS = 4 * SECOND;

/** Tells the user on any screen when an export job is finished. Renders nothing. */
export function ExportWatch() {
  const userId = useUser()?.id;
  useEffect(() => {
    if (userId === undefined) return;
    const user = userId;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function check() {
      timer = undefined;
      for (const id of pendingExports(user)) {
        const job = await askExport(id);
        if (job === undefined) continue;
        if (job !== "gone" && (job.state === "queued" || job.state === "running")) continue;
        dropPendingExport(user, id);
        if (job === "gone" || job.state === "cancelled") continue;
        if (job.state === "failed") {
          notify.error(job.message);
          continue;
        }
        const contents = [job.name, counted(job.records, "record"), missingText(job)].filter(Boolean);
        notify.success("Your report is ready.", {
          description: `${contents.join(", ")}. Your profile keeps it for seven days.`,
          action: { label: "Download", onSelect: () => saveExport(job) },
        });
      }
      wait();
    }
    function wait() {
      if (timer === undefined && pendingExports(user).length > 0) timer = setTimeout(check, PAUSE_MS);
    }
    wait();
    const stopListening = onPendingExports(wait);
    return () => {
      stopListening();
      clearTimeout(timer);
    };
  }, [userId]);
  return null;
}
