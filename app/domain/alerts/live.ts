// Live hits in the open app. The browser polls every few seconds, so an answer without news costs one statement, which
// is composed once. The cursor holds the time of the newest arrival, because anything committed later also arrives
// later, and the time up to which the user has looked, so that looking in one window updates the others.

import type { AppContext } from "#app/context.ts";
import { listOwnNotices } from "#app/domain/hotlists/expiry-notices.ts";
import { viewerOf } from "#app/domain/hotlists/groups.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  LIVE_KEPT_MS,
  LIVE_LIST_SIZE,
  type LiveAlert,
  type LiveAlerts,
  MAX_LIVE_COUNT,
} from "#app/entities/alerts/hit.ts";
import { matchText } from "#app/entities/alerts/match.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { writtenSpan } from "#app/lib/time/wall-clock.ts";
import {
  findLiveTimes,
  findNewestArrival,
  isMemberOfAny,
  type LiveTimes,
  listLive,
  type StoredLiveAlert,
  saveSeen,
} from "#app/store/alerts/live.ts";
import { saveNoticesSeen } from "#app/store/hotlists/expiry-notices.ts";
import { hitImageUrl } from "./hit.ts";

function readCursor(text: string | null): LiveTimes | undefined {
  const match = /^(\d{1,15})-(\d{1,15})-(\d{1,15})$/.exec(text ?? "");
  return match
    ? { newestAt: Number(match[1]), seenAt: Number(match[2]), noticedAt: Number(match[3]) }
    : undefined;
}

/** Three times joined by hyphens. Cursors of earlier versions have another form and are ignored. */
function writeCursor({ newestAt, seenAt, noticedAt }: LiveTimes): string {
  return `${newestAt}-${seenAt}-${noticedAt}`;
}

/**
 * Returns the newest hits of the groups that the actor is a member of, or the hits since a cursor. Without a valid
 * cursor, the answer also says whether the actor can receive any hits or notices.
 */
export async function listLiveAlerts(
  app: AppContext,
  actor: Actor,
  after: string | null,
): Promise<LiveAlerts> {
  const viewer = viewerOf(actor);
  const now = app.clock();
  const cursor = readCursor(after);
  const [times = NO_TIMES, isMember] = await Promise.all([
    findLiveTimes(app.db, actor.userId),
    cursor !== undefined || isMemberOfAny(app.db, viewer),
  ]);
  if (cursor && isSame(cursor, times)) return withoutNews(cursor);
  const { seenAt, noticedAt } = times;
  const oldest = now - LIVE_KEPT_MS;
  const [{ rows, newestAt, unread }, notices] = await Promise.all([
    listLive(app.db, viewer, {
      since: Math.max(oldest, cursor?.newestAt ?? 0),
      unreadSince: Math.max(oldest, seenAt),
      limit: LIVE_LIST_SIZE,
      most: MAX_LIVE_COUNT + 1,
    }),
    cursor?.noticedAt === noticedAt ? null : listOwnNotices(app, actor),
  ]);
  if (!isMember && notices?.length === 0)
    return { ...withoutNews(NO_TIMES), member: false, notices, unread: 0 };
  const isQuiet = cursor !== undefined && rows.length === 0 && cursor.seenAt === seenAt;
  return {
    member: true,
    alerts: rows.map((row) => toLiveAlert(row, seenAt)),
    notices,
    unread: isQuiet ? null : unread,
    seen_at: isoTime(seenAt),
    cursor: writeCursor({ newestAt, seenAt, noticedAt }),
  };
}

const NO_TIMES: LiveTimes = { newestAt: 0, seenAt: 0, noticedAt: 0 };

function isSame(before: LiveTimes, times: LiveTimes): boolean {
  return writeCursor(before) === writeCursor(times);
}

function withoutNews(times: LiveTimes): LiveAlerts {
  return {
    member: true,
    alerts: [],
    notices: null,
    unread: null,
    seen_at: isoTime(times.seenAt),
    cursor: writeCursor(times),
  };
}

function toLiveAlert(row: StoredLiveAlert, seenAt: number): LiveAlert {
  return {
    id: row.id,
    plate: row.plate,
    state: row.state,
    camera: row.camera,
    timestamp: Number.isFinite(new Date(row.capturedAt).getTime()) ? isoTime(row.capturedAt) : null,
    arrived_at: isoTime(row.arrivedAt),
    group: row.group,
    group_id: row.groupId,
    priority: row.priority,
    reason: row.reason,
    match: matchText(row),
    image_url: hitImageUrl(row.id, "vehicle", row.vehicleImageKey),
    images_pending: row.vendorImages !== null,
    seen: row.arrivedAt <= seenAt,
  };
}

/**
 * Marks the list as seen up to a hit's arrival, and notices up to another time. Times in the future are capped, so
 * that hits still to come stay unseen. Returns the time up to which the list is seen now, which may be a later one.
 */
export async function markAlertsSeen(
  app: AppContext,
  actor: Actor,
  { until, notices_until }: { until: string; notices_until: string },
): Promise<{ seen_at: string }> {
  const noticesUntil = Date.parse(notices_until);
  if (Number.isFinite(noticesUntil)) {
    const now = app.clock();
    await saveNoticesSeen(app.db, { userId: actor.userId, until: Math.min(noticesUntil, now), at: now });
  }
  const wanted = Math.min(writtenSpan(until)?.to ?? 0, await findNewestArrival(app.db, actor.userId));
  const seenAt = await saveSeen(app.db, { userId: actor.userId, seenAt: wanted });
  return { seen_at: isoTime(seenAt) };
}
