// What a page of figures is made of. A month that is over is counted once and kept; the running one, and what has no
// month, is counted again when it is an hour old, by the first who asks, while everybody else is given what is there.

import type { AppContext } from "#app/context.ts";
import type { Disposition } from "#app/entities/alert.ts";
import {
  type AuditCheck,
  dispositionsOf,
  FIGURES_FRESH_MS,
  isSettled,
  knownPurpose,
  type MonthCounts,
  monthsShown,
  type NowCounts,
} from "#app/entities/figures.ts";
import { isAppError } from "#app/lib/errors.ts";
import { monthStart } from "#app/lib/months.ts";
import {
  claimCounts,
  type FiguresAgency,
  findCounts,
  listCounts,
  listPublishing,
  putCounts,
  type StoredCounts,
} from "#app/store/figures.ts";
import { countActs, countHits, countJudged, countNow, findChainedTime } from "#app/store/figures-count.ts";
import { checkChain } from "./audit-chain.ts";

type CountContext = Pick<AppContext, "db" | "readsDatabases" | "clock">;
type CheckContext = Pick<AppContext, "db" | "audits" | "clock">;

export type Counted<T> = { counts: T; countedAt: number };
export type CountedMonth = Counted<MonthCounts> & { month: string };

const NOW = "now";
const AUDIT = "audit";

/** Everything that was counted for an agency, counted now where it has to be. Months are in their order. */
export async function figuresOf(
  app: CountContext,
  agency: FiguresAgency,
): Promise<{ months: CountedMonth[]; now: Counted<NowCounts>; audit: Counted<AuditCheck> | null }> {
  const at = app.clock();
  const wanted = monthsShown({ now: at, since: agency.createdAt });
  const kept = new Map(
    (await listCounts(app.db, { agencyId: agency.id, from: wanted[0] ?? "" })).map((row) => [
      row.period,
      row,
    ]),
  );
  const months: CountedMonth[] = [];
  for (const month of wanted) {
    const row = kept.get(month);
    const isGood = row && (isSettled({ month, countedAt: row.countedAt }) || isFresh(row, at));
    const counted = isGood
      ? row
      : await again(app, {
          agencyId: agency.id,
          period: month,
          row,
          count: () => countMonth(app, agency.id, month),
        });
    months.push({ month, counts: counted.counts as MonthCounts, countedAt: counted.countedAt });
  }
  const old = kept.get(NOW);
  const state =
    old && isFresh(old, at)
      ? old
      : await again(app, { agencyId: agency.id, period: NOW, row: old, count: () => nowOf(app, agency) });
  const audit = kept.get(AUDIT);
  return {
    months,
    now: { counts: state.counts as NowCounts, countedAt: state.countedAt },
    audit: audit ? { counts: audit.counts as AuditCheck, countedAt: audit.countedAt } : null,
  };
}

const isFresh = ({ countedAt }: { countedAt: number }, now: number) => now - countedAt < FIGURES_FRESH_MS;

/** Counts and keeps, unless somebody else is at it and there is something to show meanwhile. */
async function again(
  app: CountContext,
  input: {
    agencyId: string;
    period: string;
    row: StoredCounts | undefined;
    count: () => Promise<MonthCounts | NowCounts>;
  },
): Promise<StoredCounts> {
  const { agencyId, period, row, count } = input;
  const countedAt = app.clock();
  if (row && !(await claimCounts(app.db, { agencyId, period, now: countedAt }))) return row;
  const counts = await count();
  await putCounts(app.db, { agencyId, period, counts, countedAt });
  return { period, counts, countedAt };
}

/** Counts a month of an agency, as it is in the database now. */
export async function countMonth(
  app: Pick<AppContext, "db">,
  agencyId: string,
  month: string,
): Promise<MonthCounts> {
  const span = { agencyId, from: monthStart(month), until: monthStart(month, 1) };
  const acts = [
    ...(await countActs(app.db, span, "search")),
    ...(await countActs(app.db, span, "export")),
    ...(await countActs(app.db, span, "other")),
  ];
  const [hits, judged] = await Promise.all([countHits(app.db, span), countJudged(app.db, span)]);
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
  const foundAs = (disposition: Disposition) =>
    judged.find((one) => one.disposition === disposition)?.count ?? 0;
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

async function nowOf(app: CountContext, agency: FiguresAgency): Promise<NowCounts> {
  const counted = await countNow(app, { agencyId: agency.id, now: app.clock() });
  return { ...counted, retention_days: agency.retentionDays };
}

/** Stretches of 5,000 rows that one run verifies at most. */
const STRETCHES = 200;

/**
 * Verifies an agency's audit log from where the last run ended, and keeps how far it came. Every row is verified once,
 * within a day of being written; a row that does not fit is where every later run stops too.
 */
export async function checkAuditLog(
  app: CheckContext,
  agencyId: string,
  stretches = STRETCHES,
): Promise<AuditCheck> {
  const before = await findCounts(app.db, { agencyId, period: AUDIT });
  let position = (before?.counts as AuditCheck | undefined)?.position ?? 0;
  let intact = true;
  for (let stretch = 0; stretch < stretches; stretch++) {
    const report = await stretchFrom(app, agencyId, position);
    // Rows that wait for their links for too long are no row that does not fit: the time of the last one shows it.
    intact = report !== null && (report.problem === null || report.problem.seq === 0);
    if (report) position = report.checked;
    if (!report || report.next === null) break;
  }
  const rowAt = position > 0 ? await findChainedTime(app.db, agencyId, position) : null;
  const check: AuditCheck = { position, rowAt, intact };
  await putCounts(app.db, { agencyId, period: AUDIT, counts: check, countedAt: app.clock() });
  return check;
}

/** Null where the place that the last run ended at is no longer there. */
async function stretchFrom(app: CheckContext, agencyId: string, position: number) {
  try {
    return await checkChain(app, agencyId, position);
  } catch (error) {
    if (isAppError(error) && error.code === "not_found") return null;
    throw error;
  }
}

/**
 * Once a day: counts the months that are over and verifies the audit log of every agency that publishes. An agency
 * whose figures cannot be counted keeps no other from its own.
 */
export async function countPublished(app: CountContext & CheckContext): Promise<void> {
  const problems: unknown[] = [];
  for (const agency of await listPublishing(app.db)) {
    try {
      await figuresOf(app, agency);
      await checkAuditLog(app, agency.id);
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0)
    throw new AggregateError(problems, `the figures of ${problems.length} agencies could not be counted`);
}
