// Notices that plates expire, to the person who added them. A notice names a range of expiries, not plates: what it says is
// counted when it is shown, so that a plate that was renewed or removed meanwhile is not in it.

import { and, eq, isNull, lte, max, sql } from "drizzle-orm";
import type { ExpiryNotice } from "#app/entities/alerts/hit.ts";
import { EXPIRY_STAGES, type ExpiryStage } from "#app/entities/hotlists/entry.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { alertGroups } from "#app/store/schema/groups.ts";
import { expiryNoticeRuns, expiryNotices } from "#app/store/schema/hotlists.ts";
import { type GroupViewer, visibleTo } from "./groups.ts";

/** How long before an entry expires it enters each stage. */
const AHEAD: Record<ExpiryStage, number> = { week: 7 * DAY, day: DAY, expired: 0 };
/** Groups and stages that one viewer is shown. */
const NOTICES_MOST = 50;
/** The stage that follows, whose notice replaces this one's. */
const NEXT: Partial<Record<ExpiryStage, ExpiryStage>> = { week: "day", day: "expired" };

/** What the two ways that an entry can be in force are to the index: no end, or an end that an import will bring. */
const ENDS = [sql.raw("e.until_version is null"), sql.raw("e.until_version > g.list_version")];

/** Up to when expiries have been noticed; undefined before the first run. */
export async function findNoticedUntil(db: ControlDb): Promise<number | undefined> {
  const [row] = await db.select({ at: expiryNoticeRuns.noticedUntil }).from(expiryNoticeRuns);
  return row?.at;
}

/**
 * Notes everything that entered a stage since the last run, and that this was done, to be run as one step. Breaks the
 * batch (`expiry_notice_runs.noticed_until`) where another run was faster.
 */
export function insertNotices(
  db: ControlDb,
  input: { since: number; now: number; lastRun: number | undefined },
): Statement[] {
  const { since, now, lastRun } = input;
  return [
    ...EXPIRY_STAGES.map((stage) => {
      const next = NEXT[stage];
      const from = Math.max(since + AHEAD[stage], next ? now + AHEAD[next] : 0);
      const until = now + AHEAD[stage];
      const entered = sql.join(
        ENDS.map(
          (end) => sql`select e.added_by as user_id, g.id as group_id
            from alert_groups as g cross join hotlist_entries as e indexed by hotlist_entries_expiry
              on e.group_id = g.id and ${end} and e.expires_at > ${from} and e.expires_at <= ${until}
                and e.from_version <= g.list_version
            where g.archived_at is null`,
        ),
        sql` union `,
      );
      return db.run(sql`insert or ignore into expiry_notices
          (user_id, group_id, stage, expires_after, expires_until, created_at)
        select n.user_id, n.group_id, ${stage}, ${from}, ${until}, ${now} from (${entered}) as n
        join users u on u.id = n.user_id and u.deleted_at is null`);
    }),
    lastRun === undefined
      ? db.insert(expiryNoticeRuns).values({ id: 1, noticedUntil: now })
      : db.update(expiryNoticeRuns).set({
          noticedUntil: sql`case when ${expiryNoticeRuns.noticedUntil} = ${lastRun} then ${now} end`,
        }),
  ];
}

/** Removes notices that were made before an instant, `limit` at most. */
export async function removeOldNotices(
  db: ControlDb,
  input: { before: number; limit: number },
): Promise<number> {
  const { meta } =
    await db.run(sql`delete from expiry_notices where rowid in (select rowid from expiry_notices
    indexed by expiry_notices_created where created_at < ${input.before} limit ${input.limit})`);
  return meta.changes;
}

type Noticed = {
  groupId: string;
  group: string;
  stage: ExpiryStage;
  noticedAt: number;
  unseen: number;
} & Range;
/** Expiries after an instant up to another one. */
type Range = { after: number; until: number };

/**
 * The notices to a viewer as they are now, the latest first: one a group and stage, of plates of theirs that are in
 * that stage. Plates are counted up to `most`.
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
      unseen: sql<number>`sum(${expiryNotices.seenAt} is null)`,
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
    .orderBy(sql`max(${expiryNotices.createdAt}) desc`, alertGroups.id)
    .limit(NOTICES_MOST);
  const ranges = noticed.map((notice) => ({ ...notice, ...inStage(notice, now) }));
  const counted = await countOwn(db, { userId: viewer.userId, ranges, most });
  return ranges.flatMap((notice, i) => {
    const { plates, plate } = counted.get(i) ?? { plates: 0, plate: "" };
    return plates === 0 ? [] : [toNotice(notice, { plates, plate })];
  });
}

/** The part of a notice's range whose plates are in its stage now: the others are in the next one's. */
function inStage({ stage, after, until }: Noticed, now: number): Range {
  const next = NEXT[stage];
  return {
    after: next ? Math.max(after, now + AHEAD[next]) : after,
    until: stage === "expired" ? Math.min(until, now) : until,
  };
}

/** How many entries of a user are in each range of a group, with one of their plates. */
async function countOwn(
  db: ControlDb,
  input: { userId: string; ranges: (Range & { groupId: string })[]; most: number },
): Promise<Map<number, { plates: number; plate: string }>> {
  if (input.ranges.length === 0) return new Map();
  const ranges = JSON.stringify(input.ranges.map(({ groupId, after, until }) => [groupId, after, until]));
  const own = sql.join(
    ENDS.map(
      (end) => sql`select e.plate from hotlist_entries as e indexed by hotlist_entries_expiry
        where e.group_id = g.id and ${end} and e.expires_at > j.value ->> 1 and e.expires_at <= j.value ->> 2
          and e.from_version <= g.list_version and e.added_by = ${input.userId}`,
    ),
    sql` union all `,
  );
  const rows = await db.all<{ i: number; plates: number; plate: string | null }>(sql`select j.key as i,
      (select count(*) from (${own} limit ${input.most})) as plates,
      (select plate from (${own} limit 1)) as plate
    from json_each(${ranges}) as j cross join alert_groups as g on g.id = j.value ->> 0`);
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

/** When the newest notice was made for a user; 0 where there is none. */
export function newestNotice(db: ControlDb, userId: string) {
  return db
    .select({ at: max(expiryNotices.createdAt) })
    .from(expiryNotices)
    .where(eq(expiryNotices.userId, userId));
}

/** Notes that a user has seen their notices of an instant and before. */
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
