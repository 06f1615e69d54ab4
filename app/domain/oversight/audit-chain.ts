// Seals the audit log. To seal a row is to give it a link: its place in its agency's hash chain, and a SHA-256 over the
// row and the previous link. Links are written within a minute of their rows. Once an hour the last link of each chain,
// its head, is copied to R2. Verification proceeds in batches, so that a million rows need no request that lasts
// minutes.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  type ChainLink,
  type ChainProblem,
  type ChainReport,
  chainStart,
  checkLinks,
  linkHash,
} from "#app/entities/oversight/audit-chain.ts";
import { AppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import {
  addLinks,
  countChain,
  findHeadHour,
  findHeads,
  findHeadsBefore,
  type Head,
  type Heads,
  hasHeads,
  listAllHeads,
  listHeads,
  listLinks,
  listUnmatched,
  listUnsealed,
  putHeads,
} from "#app/store/oversight/audit-chain.ts";
import { type Checkpoint, findCheckpoint, isKeptCheckpoint } from "#app/store/oversight/audit-checkpoints.ts";
import { checkArchived, isArchived, linkAt } from "./archived-chain.ts";
import { auditNow } from "./audit-act.ts";
import { auditAgency } from "./audit-log.ts";

const SEALED_AT_ONCE = 1_000;
const VERIFIED_AT_ONCE = 5_000;
/** If a row has waited for its link longer than this, sealing has stopped. */
const SEALING_IS_LATE = 10 * MINUTE;

type ChainContext = Pick<AppContext, "db" | "clock">;

/**
 * Adds links to rows that have none, at most `chunks` thousand of them (CJIS AU-9). Two runs at once do no harm: the
 * database refuses the second run's links and that run ends. Returns the number of links added.
 */
export async function sealAuditLog(app: ChainContext, chunks = 50): Promise<number> {
  let sealed = 0;
  for (let chunk = 0; chunk < chunks; chunk++) {
    const rows = await listUnsealed(app.db, SEALED_AT_ONCE);
    if (rows.length === 0) break;
    const agencies = [...new Set(rows.map((row) => row.agency_id))];
    const heads = new Map((await listHeads(app.db, agencies)).map((head) => [head.agencyId, head]));
    const links: ChainLink[] = [];
    for (const row of rows) {
      const head = heads.get(row.agency_id);
      const previous = head?.hash ?? (await chainStart(row.agency_id));
      const link = {
        seq: row.seq,
        agencyId: row.agency_id,
        position: (head?.position ?? 0) + 1,
        hash: await linkHash(previous, row),
      };
      heads.set(row.agency_id, link);
      links.push(link);
    }
    if (!(await addLinks(app.db, links, app.clock()))) break;
    sealed += links.length;
    if (rows.length < SEALED_AT_ONCE) break;
  }
  return sealed;
}

/**
 * Copies the heads of all chains to R2, once an hour; the first copy of an hour is never overwritten. The copy also
 * keeps earlier heads that no longer match: if a log lost its newest rows and grew again, its later heads do match.
 * Returns whether this call wrote a copy.
 */
export async function anchorAuditHeads(app: CheckContext): Promise<boolean> {
  const at = app.clock();
  const hour = isoTime(at).slice(0, 13);
  // The job runs every five minutes, so that one that fails is repeated within the hour.
  if (await hasHeads(app.audits, hour)) return false;
  const heads = (await listAllHeads(app.db)).map(({ agencyId, position, seq, hash }) => ({
    agency: agencyId,
    position,
    seq,
    hash,
  }));
  if (heads.length === 0) return false;
  const before = await findHeadsBefore(app.audits, hour);
  const current = new Map(heads.map(({ agency, hash }) => [agency, hash]));
  const moved = (before?.heads ?? []).filter(({ agency, hash }) => current.get(agency) !== hash);
  const newlyLost = moved.length === 0 ? [] : await listLost(app, moved);
  if (newlyLost.length > 0) {
    const agencies = newlyLost.map(({ agency }) => agency || "none").join(", ");
    logError(
      `the audit log of agency ${agencies} does not match the heads in R2: entries were altered or removed`,
    );
  }
  const lost = [...(before?.lost ?? []), ...newlyLost];
  return putHeads(app.audits, hour, { at, heads, ...(lost.length > 0 && { lost }) });
}

/** Returns those of these heads that their chain does not match, in the database or the archive. */
async function listLost(app: CheckContext, heads: readonly Head[]): Promise<Head[]> {
  const lost: Head[] = [];
  for (const head of await listUnmatched(app.db, heads)) {
    const link = await linkAt(app, head.agency, head.position);
    const isPurged = !link && ((await findCheckpoint(app.db, head.agency))?.position ?? 0) >= head.position;
    if (!isPurged && link?.hash !== head.hash) lost.push(head);
  }
  return lost;
}

/**
 * Verifies a batch of an agency's chain, starting after position `after`. The last batch also checks the heads in R2.
 * Reports the first row that does not match. The first batch writes an audit row when it begins (CJIS AU-2 c5), a later
 * batch that ends the verification writes which rows it verified, and one that finds a problem writes that. Throws
 * AppError not_found and bad_request.
 */
export async function verifyAuditLog(
  app: AppContext,
  actor: Actor,
  input: { agency: string; after: number },
): Promise<ChainReport> {
  const agencyId = await auditAgency(app, actor, { agency: input.agency, action: "audit.verify" });
  if (input.after < 0) throw new AppError("bad_request", "There is no such place in the log.");
  const { after } = input;
  const note = (outcome: "ok" | "failed", detail: Record<string, unknown> = {}) =>
    auditNow(app, actor, { action: "audit.verify", outcome, object: agencyId, detail });
  if (after === 0) await note("ok");
  const report = await checkChain(app, agencyId, after);
  const { checked, total, problem } = report;
  if (problem) await note("failed", { after, problem });
  else if (after > 0 && report.next === null) await note("ok", { after, checked, total });
  return report;
}

/** The same as verifyAuditLog, for commands and scheduled jobs that have no signed-in user. */
export async function checkChain(app: CheckContext, agencyId: string, after: number): Promise<ChainReport> {
  const begin = await findCheckpoint(app.db, agencyId);
  const report = await checkFrom(app, { agencyId, after, begin });
  if (report && !report.problem) return report;
  // Rows were purged in the meantime.
  const now = await findCheckpoint(app.db, agencyId);
  if (now?.position !== begin?.position) return checkChain(app, agencyId, after);
  if (!report) throw new AppError("not_found", "There is no such place in the log.");
  return report;
}

type CheckContext = Pick<AppContext, "db" | "clock" | "audits" | "auditArchive">;

/** Returns null if the chain has no such position. */
async function checkFrom(
  app: CheckContext,
  { agencyId, after, begin }: { agencyId: string; after: number; begin: Checkpoint | undefined },
): Promise<ChainReport | null> {
  const from = Math.max(after, begin?.position ?? 0);
  const previous =
    from === 0
      ? await chainStart(agencyId)
      : from === begin?.position
        ? begin.hash
        : (await linkAt(app, agencyId, from))?.hash;
  if (previous === undefined) return null;
  const archived = await checkArchived(app, { agencyId, previous, position: from });
  const count = await countChain(app.db, agencyId);
  if (archived) {
    const problem = (from === begin?.position ? await beginProblem(app, begin) : null) ?? archived.problem;
    const { position: checked, previous: head } = archived;
    const next = problem ? null : checked;
    return { checked, total: count.total, next, head, waiting: count.waiting, problem };
  }
  const links = await listLinks(app.db, { agencyId, after: from, limit: VERIFIED_AT_ONCE });
  const checked = await checkLinks({ links, previous, position: from });
  // They were archived in the meantime.
  if (checked.problem && (await isArchived(app, agencyId, from + 1)))
    return checkFrom(app, { agencyId, after, begin });
  const isLast = links.length < VERIFIED_AT_ONCE;
  const late = count.oldestWaiting !== null && app.clock() - count.oldestWaiting > SEALING_IS_LATE;
  const problem =
    (from === begin?.position ? await beginProblem(app, begin) : null) ??
    checked.problem ??
    (isLast ? await headProblem(app, { agencyId, begin: begin?.position ?? 0 }) : null) ??
    (isLast && late
      ? {
          seq: 0,
          position: checked.position,
          problem: "Entries older than ten minutes are not yet in the hash chain.",
        }
      : null);
  return {
    checked: checked.position,
    total: count.total,
    next: problem || isLast ? null : checked.position,
    head: checked.previous,
    waiting: count.waiting,
    problem,
  };
}

/** A start that has no copy in R2 proves nothing: rows before it may have been deleted at any time. */
async function beginProblem(
  app: Pick<AppContext, "audits">,
  begin: Checkpoint,
): Promise<ChainProblem | null> {
  if (await isKeptCheckpoint(app.audits, begin)) return null;
  const { seq, position } = begin;
  return {
    seq,
    position,
    problem: "Earlier entries were deleted, but their checkpoint does not match the stored one.",
  };
}

/**
 * A chain that was rewritten as a whole is consistent, but does not match the heads in R2. Finds the first mismatch.
 */
async function headProblem(
  app: CheckContext,
  { agencyId, begin }: { agencyId: string; begin: number },
): Promise<ChainProblem | null> {
  const problemOf = async ({ hour, heads }: HeadsOfHour): Promise<ChainProblem | null> => {
    const own = [...heads.heads, ...(heads.lost ?? [])].filter(({ agency }) => agency === agencyId);
    for (const { seq, position, hash } of own) {
      // Rows past their retention are gone. The checkpoint links what follows to them.
      const link = position > begin ? await linkAt(app, agencyId, position) : null;
      if (link === null || link?.hash === hash) continue;
      const problem = link
        ? `The log up to this row does not match the head stored at ${hour}:00 UTC.`
        : `The log ends before this row, which existed at ${hour}:00 UTC.`;
      return { seq, position, problem };
    }
    return null;
  };
  const oldest = await findHeadHour(app.audits, "");
  if (oldest === undefined) return null;
  // A head proves every row before it, and those that were lost are in all later copies, so a binary search over the
  // hours works. They are not listed: a year has 8,760.
  let [low, high] = [hoursOf(oldest), Math.floor(app.clock() / HOUR) + 1];
  for (let step = 1; await findHeadHour(app.audits, hourText(high)); step *= 2) high += step;
  let first: ChainProblem | null = null;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = await findHeadsFrom(app.audits, hourText(middle));
    const at = found ? hoursOf(found.hour) : high;
    const problem = found && at < high ? await problemOf(found) : null;
    if (problem) first = problem;
    if (problem || at >= high) high = middle;
    else low = at + 1;
  }
  return first;
}

type HeadsOfHour = { hour: string; heads: Heads };

/** An hour such as `2026-11-03T14` as a number of hours since 1970, and back. */
const hoursOf = (hour: string) => Date.parse(`${hour}:00Z`) / HOUR;
const hourText = (hours: number) => isoTime(hours * HOUR).slice(0, 13);

/** Returns the first heads that are stored at or after an hour. */
async function findHeadsFrom(bucket: R2Bucket, from: string): Promise<HeadsOfHour | null> {
  const own = await findHeads(bucket, from);
  if (own) return { hour: from, heads: own };
  const hour = await findHeadHour(bucket, from);
  if (hour === undefined) return null;
  const heads = await findHeads(bucket, hour);
  if (!heads) throw new Error(`the heads of ${hour} are gone`);
  return { hour, heads };
}
