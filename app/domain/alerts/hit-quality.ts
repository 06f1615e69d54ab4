// Hit quality: counts of dispositions by camera and by group. They show whether false hits come from a camera that
// misreads or from a hotlist that is out of date.

import type { AppContext } from "#app/context.ts";
import { requireGroupOrArchived, viewerOf } from "#app/domain/hotlists/groups.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type HitQuality, QUALITY_DAYS } from "#app/entities/alerts/hit.ts";
import { type NumberedPage, pageOfRows } from "#app/lib/pages.ts";
import { compareNames } from "#app/lib/text.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { countByDisposition, listCameraNames, type QualityCount } from "#app/store/alerts/history.ts";
import { listGroups } from "#app/store/hotlists/groups.ts";

/** Returns the hit quality of every group that the actor may see and of the cameras of its hits, most hits first. */
export async function describeHitQuality(
  app: AppContext,
  actor: Actor,
): Promise<{ groups: HitQuality[]; cameras: HitQuality[] }> {
  const { groups, counts } = await countOf(app, await listGroups(app.db, viewerOf(actor)));
  return { groups, cameras: await camerasOf(app, counts) };
}

/** Cameras and groups on a page. Each camera needs a lookup of its name. */
const QUALITY_PAGE = 200;

/** Returns the hit quality as above, with one page of the groups and one of the cameras. */
export async function pageHitQuality(
  app: AppContext,
  actor: Actor,
  asked: { groups: number; cameras: number },
): Promise<Record<"groups" | "cameras", NumberedPage<HitQuality>>> {
  const { groups, counts } = await countOf(app, await listGroups(app.db, viewerOf(actor)));
  const byCamera = Map.groupBy(counts, ({ cameraId }) => cameraId);
  const hits = new Map([...byCamera].map(([id, own]) => [id, own.reduce((sum, one) => sum + one.hits, 0)]));
  const ids = [...hits].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([id]) => id);
  const shown = pageOfRows(ids, { page: asked.cameras, size: QUALITY_PAGE });
  const rows = await camerasOf(
    app,
    shown.rows.flatMap((id) => byCamera.get(id) ?? []),
  );
  return {
    groups: pageOfRows(groups, { page: asked.groups, size: QUALITY_PAGE }),
    cameras: { ...shown, rows },
  };
}

/** Returns the hit quality of one group. Throws AppError not_found. */
export async function describeGroupQuality(
  app: AppContext,
  actor: Actor,
  groupId: string,
): Promise<HitQuality> {
  const group = await requireGroupOrArchived(app, actor, groupId);
  const { groups } = await countOf(app, [group]);
  return groups[0] ?? noHits(group.id, group.name);
}

async function countOf(app: AppContext, groups: { id: string; name: string }[]) {
  const counts = await countByDisposition(app.db, {
    groupIds: groups.map(({ id }) => id),
    since: app.clock() - QUALITY_DAYS * DAY,
  });
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  return { groups: summed(counts, ({ groupId }) => groupId, names), counts };
}

async function camerasOf(app: AppContext, counts: QualityCount[]): Promise<HitQuality[]> {
  return summed(counts, ({ cameraId }) => cameraId, await listCameraNames(app.db, counts));
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
  return [...all.values()].sort((a, b) => b.hits - a.hits || compareNames(a.name, b.name));
}
