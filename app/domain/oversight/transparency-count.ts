// Counts transparency statistics. A month is counted once, when it is over, and stored. Everything else is counted
// again when it is an hour old, by the first request; concurrent requests get the stored counts.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import type { Disposition } from "#app/entities/alerts/hit.ts";
import {
  type AuditCheck,
  CountFault,
  dispositionsOf,
  isSettled,
  knownPurpose,
  MonthCounts,
  monthsShown,
  NowCounts,
  STATISTICS_FRESH_MS,
  StoredCheck,
} from "#app/entities/oversight/transparency.ts";
import { AppError, isAppError } from "#app/lib/errors.ts";
import { DAY, HOUR } from "#app/lib/time/dates.ts";
import { monthStart } from "#app/lib/time/months.ts";
import { countArchivedHits } from "#app/store/alerts/archived.ts";
import { findLastSegment as findLastHitSegment } from "#app/store/alerts/segments.ts";
import { isArchiveFault } from "#app/store/archive-fault.ts";
import { findCheckpoint, findPurgedUntil } from "#app/store/oversight/audit-checkpoints.ts";
import { findLastSegment } from "#app/store/oversight/audit-segments.ts";
import { countReviews } from "#app/store/oversight/review.ts";
import {
  claimCounts,
  findCounts,
  listCounts,
  listPublishing,
  noteCountTry,
  putCounts,
  type TransparencyAgency,
} from "#app/store/oversight/transparency.ts";
import {
  type ActCount,
  countActs,
  countArchivedActs,
  countHits,
  countJudged,
  countNow,
} from "#app/store/oversight/transparency-count.ts";
import { findChainedTime } from "./archived-chain.ts";
import { checkChain } from "./audit-chain.ts";

type CheckContext = Pick<AppContext, "db" | "audits" | "auditArchive" | "clock">;
type MonthContext = Pick<AppContext, "db" | "auditArchive" | "alertArchive">;
type CountContext = CheckContext & MonthContext & Pick<AppContext, "places" | "readsDatabases">;

type Counted<T> = { counts: T; countedAt: number };
type CountedMonth = Counted<MonthCounts> & { month: string };

const NOW = "now";
const AUDIT = "audit";

type Statistics = {
  /** In ascending order, like those that are not available. */
  months: CountedMonth[];
  /** Months whose audit rows were purged before they were counted, and those with a fault. */
  notAvailable: string[];
  /** Why months cannot be counted: a file of the archives cannot be read. */
  faults: string[];
  now: Counted<NowCounts>;
  audit: Counted<AuditCheck> | null;
};

/** Returns all counts of an agency. Counts again what is missing or outdated, and adds the months to `work`. */
export async function transparencyStatistics(
  app: CountContext,
  agency: TransparencyAgency,
  work = { months: 0 },
): Promise<Statistics> {
  const at = app.clock();
  const agencyId = agency.id;
  const wanted = monthsShown({ now: at, since: agency.createdAt });
  const rows = await listCounts(app.db, { agencyId, from: wanted[0] ?? "" });
  const kept = <T>(period: string, parse: (counts: unknown) => T | undefined): Counted<T> | undefined => {
    const row = rows.find((one) => one.period === period);
    const counts = row && parse(row.counts);
    return counts && { counts, countedAt: row.countedAt };
  };
  const isFresh = ({ countedAt }: { countedAt: number }) => at - countedAt < STATISTICS_FRESH_MS;
  const months: CountedMonth[] = [];
  const notAvailable: string[] = [];
  const faults: string[] = [];
  let purgedUntil: number | undefined;
  for (const month of wanted) {
    const before = kept(month, (counts) => MonthCounts.safeParse(counts).data);
    const isGood = before && isSettled({ month, countedAt: before.countedAt });
    if (!isGood) purgedUntil ??= await auditPurgedUntil(app, agencyId);
    if (purgedUntil !== undefined && !isGood && monthStart(month) <= purgedUntil) {
      notAvailable.push(month);
      continue;
    }
    const keepsHits = Math.max(monthStart(month), agency.createdAt) >= at - agency.recordRetentionDays * DAY;
    const count = async () => {
      work.months++;
      const counts = await countMonth(app, agencyId, month);
      return keepsHits ? counts : { ...counts, hits: null, judged: null };
    };
    const faulty = kept(month, (counts) => CountFault.safeParse(counts).data);
    const counted = isGood
      ? before
      : faulty && isFresh(faulty)
        ? faulty.counts
        : await countOrFault(app, { agencyId, period: month, before, count });
    if ("fault" in counted) {
      notAvailable.push(month);
      faults.push(counted.fault);
    } else months.push({ month, ...counted });
  }
  const before = kept(NOW, (counts) => NowCounts.safeParse(counts).data);
  const count = () => countNowOf(app, agency, wanted);
  // Old counts are better than counts without the reads of a database that is not bound.
  const isCurrent = before && isFresh(before) && wanted.every((month) => before.counts.reviews[month]);
  const isKept = isCurrent || (before && (await app.places.listUnbound()).length > 0);
  const now = isKept ? before : await countAgain(app, { agencyId, period: NOW, before, count });
  const stored = kept(AUDIT, (counts) => StoredCheck.safeParse(counts).data);
  return { months, notAvailable, faults, now, audit: stored ? checkOf(stored) : null };
}

function checkOf({ counts, countedAt }: Counted<StoredCheck>): Counted<AuditCheck> {
  const { checkedAt, ...check } = counts;
  return { counts: check, countedAt: checkedAt ?? countedAt };
}

/** Returns the time up to which rows of an agency's audit log were purged, or -1 if none were. */
async function auditPurgedUntil(app: CheckContext, agencyId: string): Promise<number> {
  const begin = await findCheckpoint(app.db, agencyId);
  return begin ? findPurgedUntil(app.audits, begin) : -1;
}

/** Counts and stores, unless another request is counting and there are stored counts to return. */
async function countAgain<T>(
  app: CountContext,
  input: { agencyId: string; period: string; before: Counted<T> | undefined; count: () => Promise<T> },
): Promise<Counted<T>> {
  const { agencyId, period, before, count } = input;
  const countedAt = app.clock();
  if (before && !(await claimCounts(app.db, { agencyId, period, now: countedAt }))) return before;
  const counts = await count();
  await putCounts(app.db, { agencyId, period, counts, countedAt });
  return { counts, countedAt };
}

/**
 * Counts a month and stores the counts. If a file of the archives cannot be read, stores and returns why, so that the
 * next requests do not open the archives again.
 */
async function countOrFault(
  app: CountContext,
  input: Parameters<typeof countAgain<MonthCounts>>[1],
): Promise<Counted<MonthCounts> | CountFault> {
  try {
    return await countAgain(app, input);
  } catch (error) {
    if (!isArchiveFault(error)) throw error;
    const { agencyId, period } = input;
    const counts: CountFault = { fault: error.message };
    await putCounts(app.db, { agencyId, period, counts, countedAt: app.clock() });
    return counts;
  }
}

/** Counts a month of an agency (`2026-11`, UTC) from the database and the archives. Throws ArchiveFault. */
export async function countMonth(app: MonthContext, agencyId: string, month: string): Promise<MonthCounts> {
  const span = { agencyId, from: monthStart(month), until: monthStart(month, 1) };
  const acts = await countAllActs(app, span);
  const { hits, judged } = await countAllHits(app, span);
  const sum = (of: (act: (typeof acts)[number]) => boolean) =>
    acts.filter(of).reduce((total, { count }) => total + count, 0);
  const searches = acts.filter(({ action, outcome }) => action === "search" && outcome === "ok");
  const purposes = new Map<string, MonthCounts["searches"][number]>();
  for (const { purpose: code, count, withCase } of searches) {
    const purpose = knownPurpose(code);
    const one = purposes.get(purpose) ?? { purpose, count: 0, withCase: 0 };
    one.count += count;
    if (withCase) one.withCase += count;
    purposes.set(purpose, one);
  }
  const foundAs = (disposition: Disposition) => judged.get(disposition) ?? 0;
  return {
    searches: [...purposes.values()],
    refused: sum(({ action, outcome }) => action === "search" && outcome === "refused"),
    searchers: new Set(searches.map(({ userId }) => userId)).size,
    exports: sum(({ action, outcome }) => action === "export" && outcome === "ok"),
    hits,
    judged: dispositionsOf(foundAs),
    purges: sum(({ action }) => action === "retention.purge"),
  };
}

/** Counts again if rows were archived in the meantime, which could be counted twice. */
async function countAllActs(
  app: Pick<AppContext, "db" | "auditArchive">,
  span: { agencyId: string; from: number; until: number },
): Promise<ActCount[]> {
  const before = await findLastSegment(app.db, span.agencyId);
  const acts = [
    ...(await countActs(app.db, span, "search")),
    ...(await countActs(app.db, span, "export")),
    ...(await countActs(app.db, span, "other")),
    ...(await countArchivedActs(app, span)),
  ];
  const after = await findLastSegment(app.db, span.agencyId);
  return before?.number === after?.number ? acts : countAllActs(app, span);
}

/** Counts again if hits were archived in the meantime, which could be counted twice. */
async function countAllHits(
  app: MonthContext,
  span: { agencyId: string; from: number; until: number },
): Promise<{ hits: number; judged: Map<string, number> }> {
  const before = await findLastHitSegment(app.db, span.agencyId);
  const [hits, online] = await Promise.all([countHits(app.db, span), countJudged(app.db, span)]);
  const { created, judged } = await countArchivedHits(app, span);
  for (const { disposition, count } of online)
    judged.set(disposition, (judged.get(disposition) ?? 0) + count);
  const after = await findLastHitSegment(app.db, span.agencyId);
  return before === after ? { hits: hits + created, judged } : countAllHits(app, span);
}

async function countNowOf(
  app: CountContext,
  { id: agencyId, retentionDays }: TransparencyAgency,
  months: readonly string[],
): Promise<NowCounts> {
  const counted = await countNow(app, { agencyId, now: app.clock() });
  const reviews: NowCounts["reviews"] = {};
  for (const month of months)
    reviews[month] = await countReviews(app.db, agencyId, monthStart(month), monthStart(month, 1));
  return { ...counted, retention_days: retentionDays, reviews };
}

/**
 * Maximum number of batches that one run verifies, of 5,000 rows or 6,000 archived rows, with about fifteen queries
 * each.
 */
const STRETCHES = 20;

/**
 * The stretches that a verification has left, and whether the agency stays due after it, because its counts are
 * missing.
 */
type CheckRun = { left: number; staysDue?: boolean };

/**
 * Verifies an agency's audit log from where the last run ended, and stores the position reached after each stretch. If
 * rows are left after `run.left` stretches, the agency stays due. Every row is verified once, within a day of being
 * written. Every later run stops at a row that does not match. A mismatch stays stored until a verification that begins
 * before it has reached the end of the log.
 */
export async function checkAuditLog(
  app: CheckContext,
  agencyId: string,
  run: CheckRun = { left: STRETCHES },
): Promise<AuditCheck> {
  const stored = await findCounts(app.db, { agencyId, period: AUDIT });
  const before = StoredCheck.safeParse(stored?.counts).data;
  const dueSince = stored?.countedAt ?? 0;
  let position = before?.position ?? 0;
  for (;;) {
    run.left--;
    const { isLast, ...check } = await checkStretch(app, agencyId, position);
    position = check.position;
    const checkedAt = app.clock();
    if (isLast) {
      const counts = run.staysDue ? { ...check, checkedAt } : check;
      const countedAt = run.staysDue ? dueSince : checkedAt;
      await putCounts(app.db, { agencyId, period: AUDIT, counts, countedAt });
      return check;
    }
    const counts = before?.intact === false ? { ...before, position } : { ...check, checkedAt };
    await putCounts(app.db, { agencyId, period: AUDIT, counts, countedAt: dueSince });
    if (run.left <= 0) return counts;
  }
}

/** Verifies one stretch. If it does not match, `position` is before the mismatch, so that the next run finds it too. */
async function checkStretch(
  app: CheckContext,
  agencyId: string,
  from: number,
): Promise<AuditCheck & { isLast: boolean }> {
  const report = await stretchFrom(app, agencyId, from);
  if (!report) return { position: from, rowAt: null, intact: false, isLast: true };
  const { checked, next } = report;
  // A late link is no mismatch: the time of the last verified row shows the delay.
  const problem = report.problem?.seq === 0 ? null : report.problem;
  const position = problem ? Math.min(checked, problem.position - 1) : checked;
  // Rows that match each other prove nothing if their beginning or a stored head does not match.
  const isProven = position > 0 && (!problem || problem.position > checked);
  const rowAt = isProven ? await findChainedTime(app, agencyId, position) : null;
  return { position, rowAt, intact: problem === null, isLast: next === null };
}

/** Verifies an agency's audit log. A long one leaves half of the run's stretches to other agencies. */
async function checkInRun(
  app: CheckContext,
  agencyId: string,
  { stretches, staysDue }: { stretches: { left: number }; staysDue: boolean },
): Promise<void> {
  const run = { left: Math.ceil(stretches.left / 2), staysDue };
  stretches.left -= run.left;
  try {
    await checkAuditLog(app, agencyId, run);
  } finally {
    stretches.left += run.left;
  }
}

/** Returns null if the position where the last run ended no longer exists. */
async function stretchFrom(app: CheckContext, agencyId: string, position: number) {
  try {
    return await checkChain(app, agencyId, position);
  } catch (error) {
    if (isAppError(error) && error.code === "not_found") return null;
    throw error;
  }
}

/** Time between two verifications of an agency's log, short enough that every row is verified within a day. */
const CHECK_EVERY_MS = 20 * HOUR;
/** Agencies per run. That makes up to 1,440 agencies a day. */
const AGENCIES_A_RUN = 10;
/**
 * Queries after which a run begins no further agency; D1 allows 1,000 per invocation. The last one may make 400: it
 * counts twelve months, all databases of reads, and verifies half of the stretches.
 */
const QUERIES_A_RUN = 600;
/** Queries for an agency in addition to one per reads database, for a month, and for a stretch. */
const COUNT_QUERIES = { agency: 20, month: 15, stretch: 15 };

/**
 * Once a day for each agency that publishes: counts the finished months and verifies its audit log, some agencies per
 * run, starting with those that were tried longest ago. If one fails, the others are still counted and the error is
 * thrown at the end.
 */
export async function countPublished(app: CountContext): Promise<void> {
  const stretches = { left: STRETCHES };
  let queries = QUERIES_A_RUN;
  const before = app.clock() - CHECK_EVERY_MS;
  const due = await listPublishing(app.db, { period: AUDIT, before, limit: AGENCIES_A_RUN });
  const count = async (agency: (typeof due)[number]) => {
    // The agency stays due, and comes before those that were tried in this run.
    const verified = STRETCHES - stretches.left;
    if (stretches.left <= 0 || queries <= COUNT_QUERIES.stretch * verified) return;
    await noteCountTry(app.db, agency.id, app.clock());
    queries -= COUNT_QUERIES.agency + app.readsDatabases.length;
    const work = { months: 0 };
    try {
      const [fault] = (await transparencyStatistics(app, agency, work)).faults;
      if (fault !== undefined) throw new AppError("unavailable", fault);
    } catch (error) {
      // Archived rows that cannot be counted are what a verification reports.
      await checkInRun(app, agency.id, { stretches, staysDue: true });
      throw error;
    } finally {
      queries -= COUNT_QUERIES.month * work.months;
    }
    await checkInRun(app, agency.id, { stretches, staysDue: false });
  };
  await pMap(due, count, { concurrency: 1, stopOnError: false });
}
