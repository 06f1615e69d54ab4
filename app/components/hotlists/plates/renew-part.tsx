import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { call } from "#app/components/hotlists/call.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { RENEW_AT_ONCE } from "#app/entities/hotlists/entry.ts";
import type { PlatePages } from "./use-pages.ts";

/** Renews all plates that have expired, or are about to, in one act. */
export function RenewPart({ groupId, pages }: { groupId: string; pages: PlatePages }) {
  const [pending, setPending] = useState(false);
  const { part, counts } = pages;
  if (part === "in-force") return null;
  const count = counts[part];
  async function renew() {
    setPending(true);
    const answer = await call<{ message: string }>(`/groups/${encodeURIComponent(groupId)}/renew-plates`, {
      json: { part },
      failed: "The plates could not be renewed.",
    });
    setPending(false);
    if (!answer.ok) return notify.error(answer.message);
    notify.success(answer.value.message);
    await pages.reload();
  }
  return (
    <Button size="sm" icon={<RefreshCw />} pending={pending} pendingLabel="Renewing…" onClick={renew}>
      {count > RENEW_AT_ONCE
        ? `Renew the first ${RENEW_AT_ONCE.toLocaleString("en-US")}`
        : `Renew ${count === 1 ? "it" : `all ${count.toLocaleString("en-US")}`}`}
    </Button>
  );
}
