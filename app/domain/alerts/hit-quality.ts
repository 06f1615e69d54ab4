// Hit quality: counts of dispositions by camera and by group. They show whether false hits come from a camera that
// misreads or from a hotlist that is out of date.

import type { AppContext } from "#app/context.ts";
import { requireGroupOrArchived, viewerOf } from "#app/domain/hotlists/groups.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type HitQuality, QUALITY_DAYS } from "#app/entities/alerts/hit.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { countByDisposition, listCameraNames, type QualityCount } from "#app/store/alerts/history.ts";
import { listGroups } from "#app/store/hotlists/groups.ts";

export type QualityOverview = { groups: HitQuality[]; cameras: HitQuality[] };

/**
 * Returns the hit quality of every group that the actor may see and of the cameras of its hits, most hits first.
 */
export async function describeHitQuality(app: AppContext, actor: Actor): Promise<QualityOverview> {
  const groups = await listGroups(app.db, viewerOf(actor));
  return qualityOf(app, groups);
}

/** Returns the same for one group. Throws AppError not_found. */
export async function describeGroupQuality(
  app: AppContext,
  actor: Actor,
  groupId: string,
): Promise<{ group: HitQuality; cameras: HitQuality[] }> {
  const group = await requireGroupOrArchived(app, actor, groupId);
  const { groups, cameras } = await qualityOf(app, [group]);
  return { group: groups[0] ?? noHits(group.id, group.name), cameras };
}

async function qualityOf(app: AppContext, groups: { id: string; name: string }[]): Promise<QualityOverview> {
  const counts = await countByDisposition(app.db, {
    groupIds: groups.map(({ id }) => id),
    since: app.clock() - QUALITY_DAYS * DAY,
  });
  const cameraNames = await listCameraNames(app.db, counts);
  return {
    groups: summed(counts, (count) => count.groupId, new Map(groups.map(({ id, name }) => [id, name]))),
    cameras: summed(counts, (count) => count.cameraId, cameraNames),
  };
}

function noHits(id: string, name: string): HitQuality {
  return { id, name, hits: 0, counts: { correct: 0, "wrong-state": 0, misread: 0, dismissed: 0 } };
}

function summed(
  counts: QualityCount[],
  keyOf: (count: QualityCount) => string,
  names: Map<string, string>,
): HitQuality[] {
  const all = new Map<string, HitQuality>();
  for (const count of counts) {
    const id = keyOf(count);
    const total = all.get(id) ?? noHits(id, names.get(id) ?? id);
    all.set(id, total);
    total.hits += count.hits;
    if (count.disposition) total.counts[count.disposition] += count.hits;
  }
  return [...all.values()].sort((a, b) => b.hits - a.hits || a.name.localeCompare(b.name));
}
