// The filter of a history as a form without scripts sends it. Times without a zone are the agency's; a plate has no place in
// an address.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type AlertPage, FILTER_FIELDS } from "#app/entities/alerts/hit.ts";
import { pageAlerts } from "./history.ts";

/**
 * Returns the address of the filtered history, or where a plate is filtered by, an empty address and the page of hits.
 * Throws AppError as `pageAlerts` does.
 */
export async function filterAlerts(
  app: AppContext,
  actor: Actor,
  { groupId, fields }: { groupId: string; fields: Record<string, string> },
): Promise<{ address: string; page: AlertPage | null }> {
  const query = new URLSearchParams();
  for (const name of FILTER_FIELDS) {
    const text = (fields[name] ?? "").trim();
    if (text !== "") query.set(name, text);
  }
  const page = await pageAlerts(app, actor, { groupId, query });
  if (query.has("plate")) return { address: "", page };
  return { address: `/alerts/group/${encodeURIComponent(groupId)}?${query}`, page: null };
}
