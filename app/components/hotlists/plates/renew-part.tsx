import { RefreshCw } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { RENEW_AT_ONCE } from "#app/entities/hotlists/entry.ts";
import type { PlatePages } from "./use-pages.ts";

/** Renews all plates that have expired, or are about to, in one act. */
export function RenewPart({ groupId, pages }: { groupId: string; pages: PlatePages }) {
  const { mutate, pending } = useMutation({ refresh: "never" });
  const { part, counts } = pages;
  if (part === "in-force") return null;
  const count = counts[part];
  async function renew() {
    const renewed = callApi<{ message: string }>(`/groups/${encodeURIComponent(groupId)}/renew-plates`, {
      json: { part },
      failed: "The plates could not be renewed.",
    });
    await mutate(renewed, {
      done: ({ message }) => {
        notify.success(message);
        return pages.reload();
      },
    });
  }
  return (
    <Button
      size="sm"
      icon={<RefreshCw />}
      pending={pending !== undefined}
      pendingLabel="Renewing…"
      onClick={renew}
    >
      {count > RENEW_AT_ONCE
        ? `Renew the first ${RENEW_AT_ONCE.toLocaleString("en-US")}`
        : `Renew ${count === 1 ? "it" : `all ${count.toLocaleString("en-US")}`}`}
    </Button>
  );
}
