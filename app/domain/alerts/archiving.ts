// Moves old hits from the database to encrypted segments in R2. A segment is written, read back and compared before one
// transaction records it and deletes its hits. If the worker dies before that, its object is unreferenced and cannot be
// decrypted; the next run writes a new one.

import type { AppContext } from "#app/context.ts";
import { archivedBefore, SEGMENT_HITS } from "#app/entities/alerts/segment.ts";
import { HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { nextInRotation, rotated } from "#app/lib/turns.ts";
import {
  countArchivable,
  hashOfId,
  listArchivable,
  listGroupsWithOld,
  moveToSegment,
} from "#app/store/alerts/segments.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import { isBackupReading } from "#app/store/operations/storage.ts";
import { listAgencies } from "#app/store/users/agencies.ts";

type ArchiveContext = Pick<AppContext, "db" | "clock" | "alertArchive">;

/** Limits of one run. A segment takes about ten queries; D1 allows 1,000 per invocation. */
const STEP = { segments: 40, ms: 20 * SECOND };
/** Number of groups that one run checks. */
const GROUPS_A_RUN = 300;
const RUNS_EVERY = 5 * MINUTE;
/** How often an agency is checked. A check reads up to a segment of hits per group, so a run takes a few agencies. */
const EVERY_AGENCY = HOUR;

/**
 * Archives hits of some agencies per run, checking at most `groups` groups: hits older than HITS_ONLINE_DAYS once they
 * fill a segment, and hits that have waited too long for that. Does nothing while a backup reads the database. Returns
 * the number of archived hits. If a group or an agency fails, the others are still archived and the errors are thrown at the
 * end.
 */
export async function archiveAlerts(app: ArchiveContext, { groups = GROUPS_A_RUN } = {}): Promise<number> {
  if (await isBackupReading(app.db)) return 0;
  const now = app.clock();
  const agencies = await listAgencies(app.db);
  const until = Date.now() + STEP.ms;
  const problems: unknown[] = [];
  const left = { segments: STEP.segments, groups };
  let archived = 0;
  const count = Math.ceil((agencies.length * RUNS_EVERY) / EVERY_AGENCY);
  const turn = nextInRotation(agencies, { now, every: RUNS_EVERY, count });
  // Each hour begins with another agency, because one with many groups may use up the limits of the run.
  for (const { id, policy } of rotated(turn, { now, every: EVERY_AGENCY })) {
    if (left.segments <= 0 || left.groups <= 0 || Date.now() >= until) break;
    try {
      const limits = { ...left, ms: until - Date.now(), hits: SEGMENT_HITS };
      const done = await archiveAgency(app, { id, imageDays: policy.retention_days }, limits);
      archived += done.hits;
      left.segments -= done.segments;
      left.groups -= done.groups;
      problems.push(...done.problems);
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0) throw new AggregateError(problems, "not every group's hits could be archived");
  return archived;
}

type Limits = { segments: number; ms: number; groups: number; hits: number };

/**
 * Archives the hits of an agency that may leave the database; images of hits are purged after `imageDays`. Returns how
 * many hits and segments it archived, how many groups it checked, and the errors of groups that failed.
 */
export async function archiveAgency(
  app: ArchiveContext,
  agency: { id: string; imageDays: number },
  limits: Limits,
): Promise<{ hits: number; segments: number; groups: number; problems: unknown[] }> {
  const until = Date.now() + limits.ms;
  const age = archivedBefore(app.clock(), agency.imageDays);
  const all = await listGroupsWithOld(app.db, { agencyId: agency.id, before: age.before });
  const problems: unknown[] = [];
  const done = { hits: 0, segments: 0, groups: 0, problems };
  // Groups that this run does not reach come first in a later run.
  const turn = { now: app.clock(), every: EVERY_AGENCY, count: limits.groups };
  const isLeft = () => done.segments < limits.segments && Date.now() < until;
  for (const groupId of nextInRotation(all, turn)) {
    if (!isLeft()) break;
    done.groups++;
    try {
      while (isLeft()) {
        const hits = await archiveNext(app, { agencyId: agency.id, groupId, ...age, most: limits.hits });
        if (hits === 0) break;
        done.hits += hits;
        done.segments++;
      }
    } catch (error) {
      problems.push(error);
    }
  }
  return done;
}

/** Archives the next segment of a group, if one is due, and returns its number of hits. */
async function archiveNext(
  app: ArchiveContext,
  input: { agencyId: string; groupId: string; before: number; latest: number; most: number },
): Promise<number> {
  const { agencyId, groupId, before, latest, most } = input;
  const wanted = { groupId, before, limit: most };
  const waiting = await countArchivable(app.db, wanted);
  if (waiting.oldest === null || (waiting.hits < most && waiting.oldest >= latest)) return 0;
  const hits = await listArchivable(app.db, wanted);
  if (hits.length === 0) return 0;
  const file = await app.alertArchive.newFile({ groupId, agencyId });
  const bytes = await app.alertArchive.put(file, hits);
  const kept = await app.alertArchive.open(file);
  if (JSON.stringify(kept.hits) !== JSON.stringify(hits)) throw new Error("a segment differs from its hits");
  const hashes = await Promise.all(hits.map(({ id }) => hashOfId(id)));
  const segment = { ...file, bytes, createdAt: app.clock() };
  try {
    await inOneStep(app.db, moveToSegment(app.db, segment, { hits, hashes, before }));
  } catch (error) {
    // A hit changed, another worker archived it, or a backup has begun to read. The object is kept: if only the
    // response to the write was lost, it is the only copy of the hits. If nothing was written, it cannot be decrypted.
    const broken = brokenConstraint(error) ?? "";
    if (!["alert_segments.hits", "alert_segment_ids.segment"].includes(broken)) throw error;
    return 0;
  }
  return hits.length;
}
