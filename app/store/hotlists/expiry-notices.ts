// Notices that plates are about to expire, for the user who added them or, once that user has left or may no longer change
// the list, for those who manage it. A notice stores a range of expiries, not plates. Its plates are counted when it is
// shown, so plates renewed or removed since are not included.

import { and, eq, isNull, lte, max, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ExpiryNotice } from "#app/entities/alerts/hit.ts";
import { EXPIRY_STAGES, type ExpiryStage } from "#app/entities/hotlists/entry.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { alertGroups } from "#app/store/schema/groups.ts";
import { expiryNoticeRuns, expiryNotices } from "#app/store/schema/hotlists.ts";
import { type GroupViewer, visibleTo } from "./groups.ts";
import { IN_FORCE } from "./list-parts.ts";

/** How long before its expiry an entry enters each stage. */
const AHEAD: Record<ExpiryStage, number> = { week: 7 * DAY, day: DAY, expired: 0 };
/** Maximum number of notices (group and stage) that one viewer is shown. */
const MAX_NOTICES = 50;
/** The next stage, whose notice replaces this one's. */
const NEXT: Partial<Record<ExpiryStage, ExpiryStage>> = { week: "day", day: "expired" };

/** Returns the time up to which expiries have been noticed, in milliseconds; undefined before the first run. */
export async function findNoticedUntil(db: ControlDb): Promise<number | undefined> {
  const [row] = await db.select({ at: expiryNoticeRuns.noticedUntil }).from(expiryNoticeRuns);
  return row?.at;
}

/**
 * Returns the stages with the expiries that entered each since an instant: after `from`, up to `until`. `inForce` are
 * the conditions of an entry `e` in force in a group `g`, one index range each.
 */
export function stagesEntered({ since, now }: { since: number; now: number }) {
  return EXPIRY_STAGES.map((stage) => {
    const next = NEXT[stage];
    const from = Math.max(since + AHEAD[stage], next ? now + AHEAD[next] : 0);
    return { stage, from, until: now + AHEAD[stage], inForce: IN_FORCE };
  });
}

/**
 * Returns the number of a group's entries in force that expire in (after, until], and the first of their plates in
 * order of expiry.
 */
export async function findExpiringIn(
  db: ControlDb,
  input: { groupId: string; after: number; until: number; platesMost: number },
): Promise<{ entries: number; plates: { plate: string; state: string; expiresAt: number }[] }> {
  const { groupId, after, until, platesMost } = input;
  const expiring = sql.join(
    IN_FORCE.map(
      ({ end, expiresAt }) => sql`
        SELECT e.plate, e.state, e.expires_at AS expiresAt
        FROM alert_groups AS g
        CROSS JOIN hotlist_entries AS e INDEXED BY hotlist_entries_expiry ON e.group_id = g.id
          AND ${end}
          AND ${expiresAt} > ${after}
          AND ${expiresAt} <= ${until}
          AND e.from_version <= g.list_version
        WHERE g.id = ${groupId}
      `,
    ),
    sql` UNION ALL `,
  );
  const [[counted], plates] = await Promise.all([
    db.all<{ entries: number }>(sql`SELECT count(*) AS entries FROM (${expiring})`),
    platesMost === 0
      ? []
      : db.all<{ plate: string; state: string; expiresAt: number }>(
          sql`SELECT * FROM (${expiring}) ORDER BY expiresAt, plate LIMIT ${platesMost}`,
        ),
  ]);
  return { entries: counted?.entries ?? 0, plates };
}

/**
 * Returns statements that note everything that entered a stage since the last run, and the time of this run, for one
 * batch. The batch fails on `expiry_notice_runs.noticed_until` if another run was faster.
 */
export function insertNotices(
  db: ControlDb,
  input: { since: number; now: number; lastRun: number | undefined },
): Statement[] {
  const { since, now, lastRun } = input;
  return [
    ...stagesEntered({ since, now }).map(({ stage, from, until, inForce }) => {
      const entered = sql.join(
        inForce.map(
          ({ end, expiresAt }) => sql`
            SELECT e.added_by AS user_id, g.id AS group_id
            FROM alert_groups AS g
            CROSS JOIN hotlist_entries AS e INDEXED BY hotlist_entries_expiry ON e.group_id = g.id
              AND ${end}
              AND ${expiresAt} > ${from}
              AND ${expiresAt} <= ${until}
              AND e.from_version <= g.list_version
            WHERE g.archived_at IS NULL
          `,
        ),
        sql` UNION `,
      );
      // Query plan: the entries once, as above; users by primary key, those who manage a list by users_agency. The CROSS JOINs
      // keep SQLite from reading all users.
      const notices = sql`
        INSERT OR IGNORE INTO expiry_notices (
          user_id, group_id, stage, expires_after, expires_until, created_at
        )
        WITH entered AS MATERIALIZED (${entered})
        SELECT n.user_id, n.group_id, ${stage}, ${from}, ${until}, ${now}
        FROM entered AS n
        CROSS JOIN users u ON u.id = n.user_id AND u.deleted_at IS NULL
        UNION
        SELECT m.id, n.group_id, ${stage}, ${from}, ${until}, ${now}
        FROM entered AS n
        CROSS JOIN alert_groups g ON g.id = n.group_id
        CROSS JOIN users m ON m.agency_id = g.agency_id
          AND m.disabled_at IS NULL
          AND (m.role = 'admin' OR m.hotlist_admin)
        WHERE ${managesNoList(sql`n.user_id`)}
      `;
      return db.run(notices);
    }),
    lastRun === undefined
      ? db.insert(expiryNoticeRuns).values({ id: 1, noticedUntil: now })
      : db.update(expiryNoticeRuns).set({
          noticedUntil: sql`CASE WHEN ${expiryNoticeRuns.noticedUntil} = ${lastRun} THEN ${now} END`,
        }),
  ];
}

/**
 * The condition that a user was disabled or deleted, or may no longer change lists and so cannot renew the plates. Query
 * plan: by primary key.
 */
const managesNoList = (userId: SQL) => sql`NOT EXISTS (
  SELECT 1
  FROM users active
  WHERE active.id = ${userId}
    AND active.disabled_at IS NULL
    AND (active.role = 'admin' OR active.hotlist_admin))`;

/** Removes at most `limit` notices created before an instant. Returns how many were removed. */
export async function removeOldNotices(
  db: ControlDb,
  input: { before: number; limit: number },
): Promise<number> {
  const { meta } = await db.run(sql`
    DELETE FROM expiry_notices
    WHERE rowid IN (
      SELECT rowid
      FROM expiry_notices INDEXED BY expiry_notices_created
      WHERE created_at < ${input.before}
      LIMIT ${input.limit}
    )
  `);
  return meta.changes;
}

type Noticed = {
  groupId: string;
  group: string;
  stage: ExpiryStage;
  noticedAt: number;
  unseen: number;
} & Range;
/** Expiries after one instant, up to and including another. */
type Range = { after: number; until: number };

/**
 * Returns the notices of a viewer as of now, newest first: one per group and stage, about the viewer's own plates in
 * that stage and, if the viewer manages the list, those of users who no longer do. Plates are counted up to `most`.
 */
export async function listNotices(
  db: ControlDb,
  viewer: GroupViewer,
  input: { now: number; most: number; groupId?: string },
): Promise<ExpiryNotice[]> {
  const { now, most, groupId } = input;
  const noticed = await db
    .select({
      groupId: alertGroups.id,
      group: alertGroups.name,
      stage: expiryNotices.stage,
      after: sql<number>`min(${expiryNotices.expiresAfter})`,
      until: sql<number>`max(${expiryNotices.expiresUntil})`,
      noticedAt: sql<number>`max(${expiryNotices.createdAt})`,
      unseen: sql<number>`sum(${expiryNotices.seenAt} IS NULL)`,
    })
    .from(expiryNotices)
    .innerJoin(alertGroups, eq(alertGroups.id, expiryNotices.groupId))
    .where(
      and(
        eq(expiryNotices.userId, viewer.userId),
        visibleTo(viewer),
        groupId === undefined ? undefined : eq(alertGroups.id, groupId),
      ),
    )
    .groupBy(alertGroups.id, expiryNotices.stage)
    .orderBy(sql`max(${expiryNotices.createdAt}) DESC`, alertGroups.id)
    .limit(MAX_NOTICES);
  const ranges = noticed.map((notice) => ({ ...notice, ...inStage(notice, now) }));
  const counted = await countOwn(db, { viewer, ranges, most });
  return ranges.flatMap((notice, i) => {
    const { plates, plate } = counted.get(i) ?? { plates: 0, plate: "" };
    return plates === 0 ? [] : [toNotice(notice, { plates, plate })];
  });
}

/**
 * Returns the part of a notice's range whose plates are still in its stage. The others have moved to the next stage.
 */
function inStage({ stage, after, until }: Noticed, now: number): Range {
  const next = NEXT[stage];
  return {
    after: next ? Math.max(after, now + AHEAD[next]) : after,
    until: stage === "expired" ? Math.min(until, now) : until,
  };
}

/**
 * Counts the entries in each range of a group that a viewer is notified of, up to `most`. Returns each count with one of the
 * plates.
 */
async function countOwn(
  db: ControlDb,
  input: { viewer: GroupViewer; ranges: (Range & { groupId: string })[]; most: number },
): Promise<Map<number, { plates: number; plate: string }>> {
  if (input.ranges.length === 0) return new Map();
  const { userId, agencyId, managesHotlists } = input.viewer;
  const isOfFormer = sql`${managesHotlists ? 1 : 0} AND g.agency_id = ${agencyId} AND ${managesNoList(sql`e.added_by`)}`;
  const isNotified = sql`(e.added_by = ${userId} OR (${isOfFormer}))`;
  const ranges = JSON.stringify(input.ranges.map(({ groupId, after, until }) => [groupId, after, until]));
  const own = sql.join(
    IN_FORCE.map(
      ({ end, expiresAt }) => sql`
        SELECT e.plate
        FROM hotlist_entries AS e INDEXED BY hotlist_entries_expiry
        WHERE e.group_id = g.id
          AND ${end}
          AND ${expiresAt} > j.value ->> 1
          AND ${expiresAt} <= j.value ->> 2
          AND e.from_version <= g.list_version
          AND ${isNotified}
      `,
    ),
    sql` UNION ALL `,
  );
  const rows = await db.all<{ i: number; plates: number; plate: string | null }>(sql`
    SELECT j.key AS i, (SELECT count(*) FROM (${own} LIMIT ${input.most})) AS plates,
      (SELECT plate FROM (${own} LIMIT 1)) AS plate
    FROM json_each(${ranges}) AS j
    CROSS JOIN alert_groups AS g ON g.id = j.value ->> 0
  `);
  return new Map(rows.map(({ i, plates, plate }) => [i, { plates, plate: plate ?? "" }]));
}

function toNotice(notice: Noticed, counted: { plates: number; plate: string }): ExpiryNotice {
  return {
    id: `${notice.groupId}.${notice.stage}`,
    group_id: notice.groupId,
    group: notice.group,
    stage: notice.stage,
    plates: counted.plates,
    plate: counted.plates === 1 ? counted.plate : "",
    noticed_at: isoTime(notice.noticedAt),
    seen: notice.unseen === 0,
  };
}

/** Returns a query for when a user's newest notice was made; its `at` is null if there is none. */
export function newestNotice(db: ControlDb, userId: SQLWrapper) {
  return db
    .select({ at: max(expiryNotices.createdAt) })
    .from(expiryNotices)
    .where(eq(expiryNotices.userId, userId));
}

/** Marks a user's notices up to an instant as seen. */
export async function saveNoticesSeen(
  db: ControlDb,
  input: { userId: string; until: number; at: number },
): Promise<void> {
  await db
    .update(expiryNotices)
    .set({ seenAt: input.at })
    .where(
      and(
        eq(expiryNotices.userId, input.userId),
        lte(expiryNotices.createdAt, input.until),
        isNull(expiryNotices.seenAt),
      ),
    );
}
