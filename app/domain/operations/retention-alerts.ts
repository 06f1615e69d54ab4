// Purges archived hits by the agency's policy. A segment whose hits have all expired is deleted unopened: first its
// key, which tells readers that it is gone, then its object, and last its row, by which an interrupted step resumes.
// From other segments the expired hits are removed: the object is overwritten first, then the row gets the number of
// removed hits. The certificate is written in the transaction of the row.

import type { AppContext } from "#app/context.ts";
import { certifyRemoved } from "#app/domain/oversight/audit-act.ts";
import { type AlertSegment, contentOf, isExpired } from "#app/entities/alerts/segment.ts";
import {
  countOfSegment,
  destroyKey,
  findRemovedIds,
  hashOfId,
  isBeingDeleted,
  listExpiring,
  removeSegment,
  selectBack,
  updateSegment,
} from "#app/store/alerts/segments.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, rowsOf } from "#app/store/database.ts";
import type { RecordCutoff } from "#app/store/operations/retention-records.ts";

type PurgeContext = Pick<AppContext, "db" | "clock" | "alertArchive">;

/** Segments that one run may still change. */
export type SegmentBudget = { left: number };

/**
 * Removes an agency's expired archived hits, except those of held cases, within the budget. Returns the number of hits,
 * and the problems: if a segment cannot be read, the others are still purged.
 */
export async function removeArchivedAlerts(
  app: PurgeContext,
  cutoff: () => Promise<RecordCutoff>,
  budget: SegmentBudget,
): Promise<{ removed: number; problems: unknown[] }> {
  const problems: unknown[] = [];
  let removed = 0;
  // Half of the budget is left to other agencies, even with a backlog or many segments that cannot be read.
  const limit = Math.ceil(budget.left / 2);
  for (const segment of await listExpiring(app.db, { ...(await cutoff()), limit })) {
    budget.left--;
    try {
      const { before, heldCases } = await cutoff();
      const held = new Set(heldCases);
      const isWhole =
        isBeingDeleted(segment) ||
        (segment.maxCreatedAt < before &&
          segment.cases.every(([caseNumber]) => caseNumber === "" || !held.has(caseNumber)));
      removed += isWhole
        ? await removeWhole(app, segment)
        : await removeExpired(app, segment, { before, heldCases: held });
    } catch (error) {
      problems.push(error);
    }
  }
  return { removed, problems };
}

async function removeWhole(app: PurgeContext, segment: AlertSegment): Promise<number> {
  await destroyKey(app.db, segment.number);
  await app.alertArchive.remove(segment);
  const [, removed] = await inOneStep(app.db, [
    certifyRemoved(app, segment.agencyId, { kind: "alerts", count: countOfSegment(segment.number) }),
    ...removeSegment(app.db, segment.number),
  ]);
  return rowsOf<{ hits: number }>(removed)[0]?.hits ?? 0;
}

async function removeExpired(
  app: PurgeContext,
  segment: AlertSegment,
  cutoff: { before: number; heldCases: ReadonlySet<string> },
): Promise<number> {
  const { hits, etag } = await app.alertArchive.open(segment);
  const elsewhere = await findRemovedIds(app.db, segment.number);
  const kept = hits.filter((hit) => !elsewhere.has(hit.id) && !isExpired(hit, cutoff));
  if (kept.length === 0) return removeWhole(app, segment);
  const bytes = await app.alertArchive.rewrite(segment, kept, etag);
  // Another worker overwrote it first.
  if (bytes === null) return 0;
  const back = await selectBack(app.db, kept);
  const left = {
    ...contentOf(kept),
    bytes,
    hits: kept.length - back.length,
    hashes: await Promise.all(kept.map(({ id }) => hashOfId(id))),
    dropped: [...elsewhere],
  };
  const removed = segment.hits - left.hits;
  try {
    await inOneStep(app.db, [
      ...updateSegment(app.db, segment, left),
      certifyRemoved(app, segment.agencyId, { kind: "alerts", count: removed }),
    ]);
  } catch (error) {
    // A hit returned to the database meanwhile. The next run does the rest.
    if (brokenConstraint(error) !== "alert_segments.hits") throw error;
    return 0;
  }
  return removed;
}
