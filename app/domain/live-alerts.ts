// The hits that reach somebody in the open app. The browser asks every few seconds, so that an answer without news is
// one walk over one index; what was delivered late or at the same moment is asked for again, and known by its id.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/account.ts";
import { LIVE_COUNT_MOST, LIVE_LIST_SIZE, type LiveAlerts } from "#app/entities/alert.ts";
import { DAY, isoTime, SECOND } from "#app/lib/dates.ts";
import { countUnread, isMemberOfAny, listLive, saveSeen } from "#app/store/live-alerts.ts";
import { viewerOf } from "./alert-groups.ts";

/** Deliveries are written by several consumers at once, whose clocks and transactions may cross by this much. */
const OVERLAP_MS = 30 * SECOND;
/** How far back the list goes. */
const KEPT_MS = 7 * DAY;

/**
 * The newest hits of the groups that the actor is a member of, or those since a cursor. A cursor that is none gives
 * the first answer, which says too whether there is anything to wait for.
 */
export async function listLiveAlerts(
  app: AppContext,
  actor: Actor,
  after: string | null,
): Promise<LiveAlerts> {
  const viewer = viewerOf(actor);
  const now = app.clock();
  const cursor = /^\d{1,15}$/.test(after ?? "") ? Number(after) : undefined;
  if (cursor === undefined && !(await isMemberOfAny(app.db, viewer)))
    return { member: false, alerts: [], unread: 0, cursor: String(now) };
  const since = Math.max(now - KEPT_MS, cursor === undefined ? 0 : cursor - OVERLAP_MS);
  const rows = await listLive(app.db, viewer, { since, limit: LIVE_LIST_SIZE });
  const hasNews = rows.length > 0;
  return {
    member: true,
    alerts: rows.map((row) => ({
      id: row.id,
      plate: row.plate,
      state: row.state,
      camera: row.camera,
      timestamp: Number.isFinite(new Date(row.capturedAt).getTime()) ? isoTime(row.capturedAt) : null,
      arrived_at: isoTime(row.arrivedAt),
      group: row.group,
      priority: row.priority,
      seen: row.arrivedAt <= (row.seenAt ?? 0),
    })),
    unread: hasNews
      ? await countUnread(app.db, viewer, {
          seenAt: Math.max(rows[0]?.seenAt ?? 0, now - KEPT_MS),
          most: LIVE_COUNT_MOST + 1,
        })
      : cursor === undefined
        ? 0
        : null,
    cursor: String(Math.max(cursor ?? now, ...rows.map(({ arrivedAt }) => arrivedAt))),
  };
}

/** Notes that the actor has looked at the list up to a hit that arrived then. */
export async function markAlertsSeen(
  app: AppContext,
  actor: Actor,
  until: string,
): Promise<{ seen_at: string }> {
  const at = Date.parse(until);
  const seenAt = Math.min(Number.isFinite(at) ? at : 0, app.clock());
  await saveSeen(app.db, { userId: actor.userId, seenAt });
  return { seen_at: isoTime(seenAt) };
}
