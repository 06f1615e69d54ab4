// Retention: deletes reads by each agency's policy (21 days by Connecticut Public Act 26-14 section 13, unless the
// agency chooses less or its law allows more). Each run that removed anything writes a purge certificate to that
// agency's audit log. Result sets, exports and sessions have their own sweeps.

import type { AppContext } from "#app/context.ts";
import { auditNow } from "#app/domain/oversight/audit-act.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { DAY, isDayOver, isoTime, utcDay } from "#app/lib/time/dates.ts";
import { affordableInTurn, rotated } from "#app/lib/turns.ts";
import { moveClearReads } from "#app/store/archive/move.ts";
import type { PurgedReads, PurgeParts } from "#app/store/archive/purge/one-key.ts";
import { type ListedKey, listDueKeys, type PurgeRun, purgeReadsOf } from "#app/store/archive/purge/reads.ts";
import {
  closeSpentKeys,
  type DueAgency,
  destroyKeys,
  forgetClosedKeys,
  forgetKeys,
  type SpentKeys,
} from "#app/store/archive/purge/spent-keys.ts";
import { purgeAlertImages, purgeStrayImages } from "#app/store/operations/retention.ts";
import { findHeldCases } from "#app/store/oversight/legal-holds.ts";
import { beginPurgeStep, endPurgeSteps } from "#app/store/oversight/purge-steps.ts";
import { findAgency, listAgencies } from "#app/store/users/agencies.ts";
import { RUNS_EVERY } from "./retention-records.ts";

/** What a run removed for one agency. */
export type PurgeCertificate = PurgedReads & {
  agencyId: string;
  before: number;
  alertImages: number;
  /** UTC days whose keys were destroyed, so that no copy of their reads can be decrypted. */
  days: string[];
};

/**
 * Queries per run besides the steps; D1 allows 1,000 per invocation. The next run continues. When a day ends, the keys of 128
 * agencies are destroyed within 45 minutes, and those of 1,000 within six hours (docs/limits.md).
 */
const QUERIES_A_RUN = 500;
/** Queries per database and run that no agency causes: moving clear reads, listing and forgetting keys, finding stray images. */
const COMMON_QUERIES = 6;
/** Queries per database and run that close the keys of all agencies with a day that is over. */
const CLOSING_QUERIES = 4;
/** Queries for an agency without a day that is over. */
const USUAL_QUERIES = 6;
/**
 * Steps of 400 reads, or hits with images, per run: about four queries each, 13 million reads a day. A step that finds
 * nothing does not count, so that agencies with nothing to purge leave the steps to the next ones.
 */
const STEPS_A_RUN = 120;
/** Steps per certificate. A run that is killed has no certificate for its last steps; a certificate takes one query. */
const STEPS_A_CERTIFICATE = 10;
/** Reads that a run moves out of the former unencrypted tables of a database, which takes some seconds. */
const MAX_MOVED = 50_000;

type RetentionContext = Pick<
  AppContext,
  "db" | "reads" | "places" | "readsDatabases" | "readKeys" | "images" | "backups" | "clock"
>;

type Agency = Awaited<ReturnType<typeof listAgencies>>[number];

/** Returns the time before which an agency's reads are past their retention. */
const beforeOf = ({ policy }: Pick<Agency, "policy">, now: number) => now - policy.retention_days * DAY;

/**
 * Deletes every agency's reads with their images, and its alert images, that are older than its policy allows, and
 * destroys the keys of expired days. Idempotent. Takes as many agencies as `queries` allow, which share the `steps`.
 * Returns the certificates. If one agency fails, the others are still purged and the error is thrown at the end. If a
 * database does not answer, the reads in the others are still purged, but no key is destroyed.
 */
export async function purgeExpired(
  app: RetentionContext,
  { queries = QUERIES_A_RUN, steps = STEPS_A_RUN } = {},
): Promise<PurgeCertificate[]> {
  const now = app.clock();
  const problems: unknown[] = [];
  const note: Note = (error) => void problems.push(error);
  const unbound = await app.places.listUnbound().catch(note);
  if (unbound && unbound.length > 0)
    note(new Error(`${unbound.join(", ")} not bound: no keys of reads and no stray images were purged`));
  let isMoved = true;
  for (const database of app.readsDatabases) {
    const moved = await moveClearReads(database, app.reads.insertReads, MAX_MOVED).catch(note);
    isMoved &&= moved !== undefined && moved < MAX_MOVED;
  }
  const agencies = await listAgencies(app.db);
  const { keys, databases } = await listAll(app, { agencies, now, note });
  const isIncomplete = unbound?.length !== 0 || databases.length < app.readsDatabases.length;
  const taken = takeInTurn({ agencies, now, queries, databases: databases.length }, keys);
  const parts = { databases, images: app.images, keys: app.readKeys, isIncomplete };
  const certificates = await purgeAgencies(app, taken, { now, parts, steps, note });
  const overForAll = Math.min(now, ...agencies.map((agency) => beforeOf(agency, now)));
  // A read that was not moved yet may be held, and its images would look like strays.
  if (isMoved && !isIncomplete) {
    const strays = await purgeStrayImages({ ...app, databases }, utcDay(overForAll)).catch(note);
    if (strays) await certifyStrays(app, strays).catch(note);
  }
  if (problems.length > 0) throw new AggregateError(problems, "some expired data could not be purged");
  return certificates;
}

type Listing = { keys: ListedKey[]; databases: D1Database[] };

/** Returns the keys of held reads and due days, and the databases that answered. */
async function listAll(
  app: RetentionContext,
  { agencies, now, note }: { agencies: Agency[]; now: number; note: Note },
): Promise<Listing> {
  const due = agencies.map((agency) => ({ agencyId: agency.id, untilDay: utcDay(beforeOf(agency, now)) }));
  const answers = await Promise.all(
    app.readsDatabases.map(async (database) => {
      const keys = await listDueKeys(database, due).catch(note);
      if (keys) await forgetClosedKeys(database).catch(note);
      return keys ? [{ keys, database }] : [];
    }),
  );
  const answered = answers.flat();
  return {
    keys: answered.flatMap(({ keys }) => keys),
    databases: answered.map(({ database }) => database),
  };
}

type Turn = { agencies: Agency[]; now: number; queries: number; databases: number };
type Taken = { agencyId: string; keys: ListedKey[] };

/**
 * Returns the agencies of a run with their keys, as many as `queries` allow. Agencies with the oldest ended days come
 * first and get up to half of the queries: their reads are the longest past their retention, and a large agency among
 * many would fall further behind each day. The next ones get the rest. Among equals, each run begins with another agency,
 * so that each is the first to get a share of the steps.
 */
function takeInTurn({ agencies, now, queries, databases }: Turn, listed: ListedKey[]): Taken[] {
  const listedOf = Map.groupBy(listed, ({ agencyId }) => agencyId);
  const keysOf = ({ id }: Agency) => listedOf.get(id) ?? [];
  const costOf = (agency: Agency) =>
    queriesOf({ keys: keysOf(agency), before: beforeOf(agency, now), databases });
  const turn = { now, every: RUNS_EVERY };
  const late = rotated(agencies, turn)
    .map((agency) => ({ agency, by: lateBy(keysOf(agency), beforeOf(agency, now)) }))
    .filter(({ by }) => by >= 0)
    .sort((a, b) => b.by - a.by);
  const most = queries - (COMMON_QUERIES + (late.length > 0 ? CLOSING_QUERIES : 0)) * databases;
  const first: Agency[] = [];
  let left = most;
  for (const { agency } of late) {
    if (first.length > 0 && left - costOf(agency) < most / 2) break;
    first.push(agency);
    left -= costOf(agency);
  }
  const others = agencies.filter((agency) => !first.includes(agency));
  const next = left <= 0 ? [] : affordableInTurn(others, { ...turn, most: left, costOf });
  return [...first, ...rotated(next, turn)].map((agency) => ({ agencyId: agency.id, keys: keysOf(agency) }));
}

/** Returns the time since the oldest of these days ended, in milliseconds; negative if none is. */
const lateBy = (keys: ListedKey[], before: number) =>
  Math.max(-1, ...keys.flatMap(({ day }) => (day === null ? [] : [before - (day + 1) * DAY])));

/**
 * Returns the approximate number of queries for an agency, not counting the steps: more if a day is over, or if it has
 * reads under a legal hold.
 */
function queriesOf(of: { keys: ListedKey[]; before: number; databases: number }): number {
  const over = of.keys.filter(({ day }) => day !== null && isDayOver(day, of.before));
  const erased = new Set(over.map(({ database }) => database)).size;
  const isHeld = of.keys.some(({ day }) => day === null);
  // Held reads are counted in each database. Sealing them again counts as steps.
  return USUAL_QUERIES + 4 * erased + (isHeld ? of.databases : 0);
}

type Note = (error: unknown) => undefined;

type Common = { now: number; parts: PurgeParts; note: Note };

type Removed = Pick<PurgeCertificate, "reads" | "images" | "alertImages">;

/** What a run removed for an agency, and how much of that has a certificate. */
type AgencyPurge = {
  agencyId: string;
  before: number;
  run: PurgeRun & { alertImages: number };
  certified: Removed;
};

/**
 * Purges these agencies, which share the `steps`: first their reads and the images of their hits, then the keys of all of
 * them together. Notes errors.
 */
async function purgeAgencies(
  app: RetentionContext,
  taken: Taken[],
  common: Common & { steps: number },
): Promise<PurgeCertificate[]> {
  const { parts, note } = common;
  const budget = { left: common.steps };
  const purges: AgencyPurge[] = [];
  const due: DueAgency[] = [];
  let steps = 0;
  async function onRemoved(): Promise<void> {
    steps++;
    if (steps % STEPS_A_CERTIFICATE === 0) for (const purge of purges) await certifyRest(app, purge);
  }
  for (const { agencyId, keys } of taken) {
    // Read at the agency's turn: a policy may be raised while a purge runs.
    const agency = await findAgency(app.db, agencyId).catch(note);
    if (!agency) continue;
    const purge: AgencyPurge = {
      agencyId,
      before: beforeOf(agency, common.now),
      run: {
        left: 0,
        purged: { reads: 0, images: 0, held: 0 },
        alertImages: 0,
        listed: keys,
        onRemoved,
      },
      certified: { reads: 0, images: 0, alertImages: 0 },
    };
    purges.push(purge);
    const isDone = await removeExpired(app, purge, { ...common, budget });
    if (isDone) due.push({ agencyId, before: purge.before, listed: keys });
  }
  const spent = (await closeSpentKeys(parts, due, note).catch(note)) ?? [];
  const certificates: PurgeCertificate[] = [];
  for (const purge of purges) {
    const keys = spent.find(({ agencyId }) => agencyId === purge.agencyId);
    const certificate = await endPurge(app, purge, { keys, note }).catch(note);
    if (certificate) certificates.push(certificate);
  }
  return certificates;
}

/**
 * Removes an agency's expired reads and the images of its hits, in at most half of the steps that are left. Returns whether
 * that did not fail.
 */
async function removeExpired(
  app: RetentionContext,
  { agencyId, before, run }: AgencyPurge,
  { parts, budget, note }: Common & { budget: { left: number } },
): Promise<boolean> {
  const step = { run: randomToken(), agencyId, isNoted: false };
  const held = async () => {
    step.isNoted = true;
    return beginPurgeStep(app.db, step);
  };
  const cases = {
    listed: async () => [...(await findHeldCases(app.db, agencyId))],
    inStep: async () => (await held()).cases,
  };
  async function remove(): Promise<void> {
    await purgeReadsOf(parts, { agencyId, before, held }, run);
    await purgeAlertImages({ db: app.db, images: app.images }, { agencyId, before, cases }, run);
  }
  // A large backlog leaves half of the steps to the other agencies.
  run.left = Math.ceil(budget.left / 2);
  budget.left -= run.left;
  const isDone = await remove().then(() => true, note);
  if (step.isNoted) await endPurgeSteps(app.db, step.run).catch(note);
  budget.left += run.left;
  return isDone ?? false;
}

/** Destroys an agency's spent keys, and certifies what was removed; also what was removed before an error. */
async function endPurge(
  app: RetentionContext,
  purge: AgencyPurge,
  { keys, note }: { keys: SpentKeys | undefined; note: Note },
): Promise<PurgeCertificate | undefined> {
  const { agencyId, before, run } = purge;
  const isDestroyed = keys && (await destroyKeys(app.readKeys, keys).then(() => true, note));
  const days = isDestroyed ? keys.days.map((day) => isoTime(day * DAY).slice(0, 10)) : [];
  if (run.purged.reads + run.alertImages + days.length === 0) return undefined;
  await certifyRest(app, purge, { held: run.purged.held, days });
  if (isDestroyed) await forgetKeys(keys);
  return { agencyId, before, ...run.purged, alertImages: run.alertImages, days };
}

/** Certifies the removals since the last certificate. What holds keep is known only at the end. */
async function certifyRest(
  app: RetentionContext,
  { agencyId, before, run, certified }: AgencyPurge,
  end?: Pick<PurgeCertificate, "held" | "days">,
): Promise<void> {
  const { reads, images } = run.purged;
  const rest: Removed = {
    reads: reads - certified.reads,
    images: images - certified.images,
    alertImages: run.alertImages - certified.alertImages,
  };
  if (rest.reads + rest.alertImages + (end?.days.length ?? 0) === 0) return;
  await certify(app, { agencyId, before, ...rest, ...end });
  Object.assign(certified, { reads, images, alertImages: run.alertImages });
}

/** Certifies the removal of images that no read named. They belong to no known agency. */
async function certifyStrays(app: Pick<AppContext, "db" | "clock">, count: number): Promise<void> {
  await auditNow(app, null, {
    agencyId: "",
    action: "retention.records",
    detail: { stray_read_images: count },
  });
}

type Certified = Omit<PurgeCertificate, "held" | "days"> & Partial<PurgeCertificate>;

async function certify(app: Pick<AppContext, "db" | "clock">, sum: Certified): Promise<void> {
  const { agencyId, ...detail } = sum;
  await auditNow(app, null, { agencyId, action: "retention.purge", detail });
}
