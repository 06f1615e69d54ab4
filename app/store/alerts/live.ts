// The list of live hits in the open app: deliveries over the channel `live`, newest first, and the time up to which
// the user has seen them. Hits of groups that the user has left, or that are archived, are left out.

import { and, desc, eq, gt, max, type SQLWrapper, sql } from "drizzle-orm";
import type { VendorImages } from "#app/entities/alerts/match.ts";
import type { Priority } from "#app/entities/hotlists/entry.ts";
import { type ControlDb, preparedOnce } from "#app/store/database.ts";
import { newestNotice } from "#app/store/hotlists/expiry-notices.ts";
import { type GroupViewer, visibleTo } from "#app/store/hotlists/groups.ts";
import { users } from "#app/store/schema/accounts.ts";
import { alerts, alertsSeen, deliveries } from "#app/store/schema/alerts.ts";
import { alertGroupMembers, alertGroups } from "#app/store/schema/groups.ts";

export type StoredLiveAlert = {
  id: string;
  plate: string;
  state: string;
  camera: string;
  capturedAt: number;
  arrivedAt: number;
  group: string;
  groupId: string;
  priority: Priority;
  reason: string;
  listedPlate: string;
  listedState: string;
  vehicleImageKey: string | null;
  vendorImages: VendorImages | null;
};

function isMember(viewer: GroupViewer) {
  return sql`EXISTS (
    SELECT 1
    FROM ${alertGroupMembers} m
    WHERE m.group_id = ${alertGroups.id} AND m.user_id = ${viewer.userId})`;
}

function delivered(viewer: GroupViewer, since: number) {
  return and(
    eq(deliveries.userId, viewer.userId),
    gt(deliveries.createdAt, since),
    eq(deliveries.channel, "live"),
    isMember(viewer),
    visibleTo(viewer),
  );
}

function newestArrival(db: ControlDb, userId: string | SQLWrapper) {
  return db
    .select({ at: max(deliveries.createdAt) })
    .from(deliveries)
    .where(eq(deliveries.userId, userId));
}

/** Returns when a user's newest delivery arrived, whether or not they may still see it; 0 if none is kept. */
export async function findNewestArrival(db: ControlDb, userId: string): Promise<number> {
  const [newest] = await newestArrival(db, userId);
  return newest?.at ?? 0;
}

/** What a poll compares: times in epoch milliseconds, 0 for none. */
export type LiveTimes = {
  /** Of the user's newest delivery, whether or not they may still see it. */
  newestAt: number;
  /** Up to which the user has seen the list. */
  seenAt: number;
  /** Of the user's newest expiry notice. */
  noticedAt: number;
};

/** Query plan: the row of the user, and the last entry of an index for each time. */
const timesOfUser = preparedOnce((db) => {
  const newestOf = (query: SQLWrapper) => sql<number>`coalesce(${query}, 0)`;
  return db
    .select({
      newestAt: newestOf(newestArrival(db, users.id)),
      seenAt: newestOf(
        db.select({ at: alertsSeen.seenAt }).from(alertsSeen).where(eq(alertsSeen.userId, users.id)),
      ),
      noticedAt: newestOf(newestNotice(db, users.id)),
    })
    .from(users)
    .where(eq(users.id, sql.placeholder("userId")))
    .prepare();
});

/** Returns the times of a user's list; most polls need only to know that these have not changed. */
export async function findLiveTimes(db: ControlDb, userId: string): Promise<LiveTimes | undefined> {
  return timesOfUser(db).get({ userId });
}

/**
 * Returns a member's hits that arrived after `since`, newest first; and, read in the same transaction, the time of the
 * newest arrival and how many hits arrived after `unreadSince`, counted up to `most`.
 */
export async function listLive(
  db: ControlDb,
  viewer: GroupViewer,
  input: { since: number; unreadSince: number; limit: number; most: number },
): Promise<{ rows: StoredLiveAlert[]; newestAt: number; unread: number }> {
  const [newest, unread, rows] = await db.batch([
    newestArrival(db, viewer.userId),
    db
      .select({ id: alerts.id })
      .from(deliveries)
      .innerJoin(alerts, eq(alerts.id, deliveries.alertId))
      .innerJoin(alertGroups, eq(alertGroups.id, alerts.groupId))
      .where(delivered(viewer, input.unreadSince))
      .limit(input.most),
    db
      .select({
        id: alerts.id,
        plate: alerts.plate,
        state: alerts.plateState,
        camera: alerts.cameraName,
        capturedAt: alerts.capturedAt,
        arrivedAt: deliveries.createdAt,
        group: alertGroups.name,
        groupId: alerts.groupId,
        priority: alerts.priority,
        reason: alerts.reason,
        listedPlate: alerts.listedPlate,
        listedState: alerts.listedState,
        vehicleImageKey: alerts.vehicleImageKey,
        vendorImages: alerts.vendorImages,
      })
      .from(deliveries)
      .innerJoin(alerts, eq(alerts.id, deliveries.alertId))
      .innerJoin(alertGroups, eq(alertGroups.id, alerts.groupId))
      .where(delivered(viewer, input.since))
      .orderBy(desc(deliveries.createdAt))
      .limit(input.limit),
  ]);
  return { rows, newestAt: newest[0]?.at ?? 0, unread: unread.length };
}

/** Returns whether the viewer is a member of a group that is not archived. */
export async function isMemberOfAny(db: ControlDb, viewer: GroupViewer): Promise<boolean> {
  // Query plan: the viewer's memberships, and the group of each by primary key.
  const rows = await db
    .select({ id: alertGroups.id })
    .from(alertGroupMembers)
    .crossJoin(alertGroups)
    .where(
      and(
        eq(alertGroupMembers.userId, viewer.userId),
        eq(alertGroups.id, alertGroupMembers.groupId),
        visibleTo(viewer),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** Saves the time up to which a user has seen the list; never moves it back. Returns the time that is stored now. */
export async function saveSeen(db: ControlDb, input: { userId: string; seenAt: number }): Promise<number> {
  const [saved] = await db
    .insert(alertsSeen)
    .values(input)
    .onConflictDoUpdate({
      target: alertsSeen.userId,
      set: { seenAt: sql`max(${alertsSeen.seenAt}, ${input.seenAt})` },
    })
    .returning({ seenAt: alertsSeen.seenAt });
  return saved?.seenAt ?? input.seenAt;
}
