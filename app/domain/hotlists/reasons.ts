// Suggestions for the reason of a plate.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { listCommonReasons } from "#app/store/hotlists/reasons.ts";

/** Reasons that most agencies use. */
const COMMON = [
  "Stolen vehicle",
  "Stolen plate",
  "Wanted person",
  "Missing person",
  "AMBER Alert",
  "Felony vehicle",
] as const;

/** Maximum number of suggested reasons. */
const MAX_REASONS = 12;

/** Returns reasons to suggest: those that the actor's agency uses most, then common ones. */
export async function listReasons(app: AppContext, actor: Pick<Actor, "agencyId">): Promise<string[]> {
  const { agencyId } = actor;
  return suggestedReasons(await listCommonReasons(app.db, { agencyId, limit: MAX_REASONS }));
}

/** Returns the agency's own reasons, most frequent first, then common ones; each once, whatever its case. */
function suggestedReasons(own: readonly string[]): string[] {
  const known = new Map<string, string>();
  for (const reason of [...own.map((text) => text.trim()), ...COMMON]) {
    const key = reason.toLowerCase();
    if (reason !== "" && !known.has(key)) known.set(key, reason);
  }
  return [...known.values()].slice(0, MAX_REASONS);
}
