// How good hits are: what people found on looking twice, counted by camera and by group. A camera that misreads and a
// list that is out of date wake people for nothing; the figures say which of the two it is.

import type { AppContext } from "#app/context.ts";
import { requireGroupOrArchived, viewerOf } from "#app/domain/hotlists/groups.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type HitQuality, QUALITY_DAYS } from "#app/entities/alerts/hit.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { countByDisposition, listCameraNames, type QualityCount } from "#app/store/alerts/history.ts";
import { listGroups } from "#app/store/hotlists/groups.ts";

export type QualityOverview = { groups: HitQuality[]; cameras: HitQuality[] };

/** Figures of every group that the actor may see, and of the cameras that its hits came from; most hits first. */
export async function describeHitQuality(app: AppContext, actor: Actor): Promise<QualityOverview> {
  const groups = await listGroups(app.db, viewerOf(actor));
  return figures(app, groups);
}

/** The same for one group. Throws AppError not_found. */
export async function describeGroupQuality(
  app: AppContext,
  actor: Actor,
  groupId: string,
): Promise<{ group: HitQuality; cameras: HitQuality[] }> {
  const group = await requireGroupOrArchived(app, actor, groupId);
  const { groups, cameras } = await figures(app, [group]);
  return { group: groups[0] ?? nothing(group.id, group.name), cameras };
}

async function figures(app: AppContext, groups: { id: string; name: string }[]): Promise<QualityOverview> {
  const counts = await countByDisposition(app.db, {
    groupIds: groups.map(({ id }) => id),
    since: app.clock() - QUALITY_DAYS * DAY,
  });
  const cameraNames = await listCameraNames(app.db, [...new Set(counts.map(({ cameraId }) => cameraId))]);
  return {
    groups: gathered(counts, (count) => count.groupId, new Map(groups.map(({ id, name }) => [id, name]))),
    cameras: gathered(counts, (count) => count.cameraId, cameraNames),
  };
}

function nothing(id: string, name: string): HitQuality {
  return { id, name, hits: 0, counts: { correct: 0, "wrong-state": 0, misread: 0, dismissed: 0 } };
}

function gathered(
  counts: QualityCount[],
  keyOf: (count: QualityCount) => string,
  names: Map<string, string>,
): HitQuality[] {
  const all = new Map<string, HitQuality>();
  for (const count of counts) {
    const id = keyOf(count);
    const figure = all.get(id) ?? nothing(id, names.get(id) ?? id);
    all.set(id, figure);
    figure.hits += count.hits;
    if (count.disposition) figure.counts[count.disposition] += count.hits;
  }
  return [...all.values()].sort((a, b) => b.hits - a.hits || a.name.localeCompare(b.name));
}
