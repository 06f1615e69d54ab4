// Repeats a search's permission checks before it answers, because a search may take minutes.

import type { AppContext } from "#app/context.ts";
import { requireStill } from "#app/domain/accounts/still-allowed.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { SourceStatus } from "#app/entities/search/query.ts";
import { sharingEnded } from "#app/entities/search/result-set.ts";
import { AppError } from "#app/lib/errors.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { listEndedSharing } from "#app/store/search/permission.ts";

/** A search that took less time is not checked again. */
const RECHECK_MS = 30 * SECOND;

/**
 * Checks a search that began at `since` and took long. Throws AppError forbidden if the actor was disabled meanwhile, and gone
 * if an agency whose reads were found has ended its sharing.
 */
export async function requireStillPermitted(
  app: AppContext,
  actor: Actor,
  { since, statuses }: { since: number; statuses: readonly SourceStatus[] },
): Promise<void> {
  const now = app.clock();
  if (now - since < RECHECK_MS) return;
  const sources = statuses.flatMap(({ program, sourceId, agency, reads }) =>
    reads > 0 ? [{ program, sourceId, agency }] : [],
  );
  await requireStill(app, actor, "signed-in");
  const endedBy = await listEndedSharing(app.db, { sources, tenantId: actor.agencyId, now });
  if (endedBy.length > 0) throw new AppError("gone", sharingEnded(endedBy));
}
