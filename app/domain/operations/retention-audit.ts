// Purges the audit log's oldest rows. Rows older than the agency's policy leave from the start of their chain; a
// checkpoint keeps the rest verifiable. The database itself protects rows younger than a year, whatever a policy or
// clock says (CJIS AU-11).

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { chainOf, openOr, termsIn } from "#app/domain/oversight/archived-chain.ts";
import { auditAct } from "#app/domain/oversight/audit-act.ts";
import { chainStart, checkLinks, type LinkedRow } from "#app/entities/oversight/audit-chain.ts";
import type { Segment } from "#app/entities/oversight/audit-segment.ts";
import { comparedCase } from "#app/entities/oversight/legal-hold.ts";
import { DEFAULT_POLICY } from "#app/entities/users/policy.ts";
import { logError } from "#app/lib/log.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import { nextInRotation, rotated } from "#app/lib/turns.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { isBackupReading } from "#app/store/operations/storage.ts";
import { listLinks } from "#app/store/oversight/audit-chain.ts";
import {
  backUpCheckpoint,
  type Checkpoint,
  findCheckpoint,
  isKeptCheckpoint,
  putCheckpoint,
  removeUpTo,
} from "#app/store/oversight/audit-checkpoints.ts";
import { listSegmentsAfter, removeSegment } from "#app/store/oversight/audit-segments.ts";
import { findHeldCases } from "#app/store/oversight/legal-holds.ts";
import { findAgency, listAgencies } from "#app/store/users/agencies.ts";
import { poolOf } from "./backup-parts.ts";

const STEP = 1_000;
/** Batches per agency and run, and of all agencies, with up to twelve queries each; the rest waits for the next run. */
const MAX_STEPS = 5;
const STEPS_A_RUN = 25;
/** Agencies per run: one with nothing to purge takes five queries of the 1,000 that D1 allows. */
const AGENCIES_A_RUN = 40;
const RUNS_EVERY = 10 * MINUTE;

/**
 * Deletes the rows of each agency's audit log that its policy no longer keeps. Keeps a batch that does not verify, for
 * an investigation, and every row from the first one of a case under legal hold. Waits while a backup reads the
 * database, which would have some of the rows and not their checkpoint. Returns the number of deleted rows. If one
 * agency fails, the others are still purged and the error is thrown at the end.
 */
export async function purgeOldAudit(app: PurgeContext): Promise<number> {
  if (await isBackupReading(app.db)) return 0;
  const agencies = await listAgencies(app.db);
  // Rows without an agency: sign-in attempts with unknown usernames.
  const chains = ["", ...agencies.map(({ id }) => id)];
  const now = app.clock();
  const turn = { now, every: RUNS_EVERY };
  // Each run begins with another agency, so that each is the first to get a share of the steps.
  const due = rotated(nextInRotation(chains, { ...turn, count: AGENCIES_A_RUN }), turn);
  const budget = { left: STEPS_A_RUN };
  const purge = (id: string) => purgeLog(app, { agencyId: id, now, budget });
  const removed = await pMap(due, purge, { concurrency: 1, stopOnError: false });
  return removed.reduce((sum, rows) => sum + rows, 0);
}

async function purgeLog(
  app: PurgeContext,
  { agencyId, now, budget }: { agencyId: string; now: number; budget: { left: number } },
): Promise<number> {
  // Read at the agency's turn: a policy may be raised while a purge runs.
  const policy = agencyId === "" ? DEFAULT_POLICY : (await findAgency(app.db, agencyId))?.policy;
  if (!policy) return 0;
  const before = now - policy.audit_retention_days * DAY;
  let removed = 0;
  for (let step = 0; step < MAX_STEPS && budget.left > 0; step++) {
    // Read before each step: a hold may be approved while a purge runs.
    const held = await findHeldCases(app.db, agencyId);
    const went = await removeStretch(app, { agencyId, before, held });
    removed += went;
    if (went === 0) break;
    budget.left--;
  }
  return removed;
}

type PurgeContext = Pick<AppContext, "db" | "clock" | "audits" | "auditArchive" | "backups" | "config">;
type Stretch = { agencyId: string; before: number; held: Set<string> };

async function removeStretch(app: PurgeContext, stretch: Stretch): Promise<number> {
  const { agencyId, before } = stretch;
  const begin = await findCheckpoint(app.db, agencyId);
  const position = begin?.position ?? 0;
  const [segment] = await listSegmentsAfter(app.db, { agencyId, after: position, limit: 1 });
  if (segment) return removeArchived(app, { stretch, begin, segment });
  const [oldest] = await listLinks(app.db, { agencyId, after: position, limit: 1 });
  if (!oldest || (oldest.row?.at ?? 0) >= before) return 0;
  const links = await listLinks(app.db, { agencyId, after: position, limit: STEP + 1 });
  const going = goingOf(links, stretch);
  const last = going.at(-1)?.link;
  if (!last) return 0;
  const previous = begin?.hash ?? (await chainStart(agencyId));
  const { problem } = await checkLinks({ links: going, previous, position });
  if (problem) return keepForInvestigation(agencyId);
  const checkpoint = { ...last, at: app.clock() };
  const rowsUntil = Math.max(...going.map(({ row }) => row?.at ?? 0));
  await putCheckpoint(app.audits, { ...checkpoint, rowsUntil });
  const seqs = going.map(({ link }) => link.seq);
  const certificate = certificateOf(app, { stretch, checkpoint, rows: going.length });
  await inOneStep(app.db, [...removeUpTo(app.db, checkpoint, seqs), certificate]);
  return going.length;
}

/**
 * Deletes a segment whose rows are all past their retention and do not belong to a held case. Its key is deleted with
 * its row, so that no copy can be opened. The object and its copy in the backups are deleted too, the object only if the
 * bucket's lock allows. A restored database may have a segment that was purged since the backup: its object is gone, and
 * the checkpoint of that purge is in R2 and in the backups.
 */
async function removeArchived(
  app: PurgeContext,
  { stretch, begin, segment }: { stretch: Stretch; begin: Checkpoint | undefined; segment: Segment },
): Promise<number> {
  const { agencyId, before, held } = stretch;
  if (segment.maxAt >= before) return 0;
  const previous = begin?.hash ?? (await chainStart(agencyId));
  const isNext = segment.firstPosition === (begin?.position ?? 0) + 1 && segment.previousHash === previous;
  const opened = isNext ? await openOr(app, segment, (fault) => fault) : [];
  const rows = Array.isArray(opened) ? opened : [];
  const links = await chainOf(rows, previous);
  const { lastPosition: position, lastSeq: seq, lastHash: hash } = segment;
  const checkpoint = { agencyId, position, seq, hash, at: app.clock() };
  // A purge that did not finish leaves its checkpoint too, but the object then still exists.
  const isMissing = !Array.isArray(opened) && opened.isFileMissing;
  const wasPurged = isMissing && (await isKeptCheckpoint(app.audits, checkpoint));
  if (links.at(-1)?.hash !== segment.lastHash && !wasPurged) return keepForInvestigation(agencyId);
  if (rows.some((row) => held.has(comparedCase(row.case_number)))) return 0;
  const count = position - segment.firstPosition + 1;
  await putCheckpoint(app.audits, { ...checkpoint, rowsUntil: segment.maxAt });
  await backUpCheckpoint(poolOf(app), app.audits, checkpoint);
  const terms = await termsIn(app, segment, rows);
  await inOneStep(app.db, [
    ...removeUpTo(app.db, checkpoint, []),
    ...removeSegment(app.db, segment, terms),
    certificateOf(app, { stretch, checkpoint, rows: count }),
  ]);
  await app.auditArchive.remove(segment);
  return count;
}

function keepForInvestigation(agencyId: string): 0 {
  logError(`the audit log of agency ${agencyId || "none"} does not verify: nothing of it is purged`);
  return 0;
}

function certificateOf(
  app: PurgeContext,
  { stretch, checkpoint, rows }: { stretch: Stretch; checkpoint: Checkpoint; rows: number },
): Statement {
  const { position, hash } = checkpoint;
  return auditAct(app, null, {
    agencyId: stretch.agencyId,
    at: checkpoint.at,
    action: "retention.audit",
    detail: { before: stretch.before, rows, position, hash },
  });
}

/** Returns the leading rows past their retention. The last row of a chain stays, because the next link refers to it. */
function goingOf(links: LinkedRow[], { before, held }: Stretch): LinkedRow[] {
  const first = links.findIndex(
    ({ row }) => row !== null && (row.at >= before || held.has(comparedCase(row.case_number))),
  );
  return links.slice(0, Math.min(first < 0 ? links.length : first, links.length - 1, STEP));
}
