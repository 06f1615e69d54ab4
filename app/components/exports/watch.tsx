import { useRouteLoaderData } from "@remix-run/react";
import { useEffect } from "react";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";
import { missingText } from "#app/entities/exports/request.ts";
import { counted } from "#app/lib/number-text.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { dropPendingExport, onPendingExports, pendingExports } from "./pending.ts";
import { askExport, saveExport } from "./run.ts";

const PAUSE_MS = 4 * SECOND;

/** Tells the user on any screen when an export job is finished. Renders nothing. */
export function ExportWatch() {
  const userId = useRouteLoaderData<{ user: CurrentUser | null }>("root")?.user?.id;
  useEffect(() => {
    if (userId === undefined) return;
    const user = userId;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function check() {
      timer = undefined;
      for (const id of pendingExports(user)) {
        const one = await askExport(id);
        if (one === undefined) continue;
        if (one !== "gone" && (one.state === "queued" || one.state === "running")) continue;
        dropPendingExport(user, id);
        if (one === "gone" || one.state === "cancelled") continue;
        if (one.state === "failed") {
          notify.error(one.message);
          continue;
        }
        const contents = [one.name, counted(one.records, "record"), missingText(one)].filter(Boolean);
        notify.success("Your report is ready.", {
          description: `${contents.join(", ")}. Your profile keeps it for seven days.`,
          action: { label: "Download", onSelect: () => saveExport(one) },
          duration: Number.POSITIVE_INFINITY,
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
