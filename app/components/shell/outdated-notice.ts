import { isRouteErrorResponse } from "@remix-run/react";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { textIn } from "#app/lib/json/parse.ts";

/**
 * Shows that the data of a route on the screen could not be reloaded, until it is reloaded or another screen is open.
 */
export function noteOutdated(id: string, error: unknown): void {
  const router = window.__remixRouter;
  const shown = router.state.loaderData[id];
  const reference = isRouteErrorResponse(error) ? textIn(error.data, "request_id") : "";
  const notice = notify.error("This screen could not be updated.", {
    description: `It shows earlier data. Your entries are kept.${reference && ` Reference: ${reference}`}`,
    action: { label: "Try again", onSelect: () => void router.revalidate() },
  });
  const stop = router.subscribe(({ loaderData }) => {
    if (loaderData[id] === shown) return;
    stop();
    notify.dismiss(notice);
  });
}
