// Filters a history for a form that works without scripts. Times without a zone are in the agency's zone. A plate
// must not appear in a URL, so a filter by plate returns the page itself.

import type { AppContext } from "#app/context.ts";
import { ownTimeZone } from "#app/domain/users/agencies.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { FILTER_FIELDS, PAGE_FIELDS, type PlatePage } from "#app/entities/alerts/hit.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { timeOf } from "#app/lib/time/wall-clock.ts";
import { pageAlerts } from "./history.ts";

/**
 * Returns the URL of the filtered history or, for a filter by plate, the page of hits with its filter. Times become
 * ISO instants. Throws AppError as `pageAlerts` does.
 */
export async function filterAlerts(
  app: AppContext,
  actor: Actor,
  { groupId, fields }: { groupId: string; fields: Record<string, string> },
): Promise<{ address: string; found: PlatePage | undefined }> {
  const query = new URLSearchParams();
  for (const name of [...FILTER_FIELDS, ...PAGE_FIELDS]) {
    const text = (fields[name] ?? "").trim();
    if (text !== "") query.set(name, text);
  }
  const page = await pageAlerts(app, actor, { groupId, query });
  const zone = await ownTimeZone(app, actor);
  for (const [name, edge] of [["from", "start"] as const, ["until", "end"] as const]) {
    const at = timeOf(query.get(name) ?? "", { zone, edge });
    if (at !== undefined) query.set(name, isoTime(at));
  }
  const plate = query.get("plate") ?? "";
  query.delete("plate");
  if (plate) return { address: "", found: { plate, query: query.toString(), page } };
  return { address: `/alerts/group/${encodeURIComponent(groupId)}?${query}`, found: undefined };
}
