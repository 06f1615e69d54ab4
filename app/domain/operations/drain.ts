// Moves the days of draining databases to others, in bounded steps, while they are searched and written
// (store/archive/day-copy.ts says why no read is missed or doubled). Moves that were canceled are undone, and former
// rows are deleted once no search can need them. A step may end anywhere; the next one continues.

import type { AppContext } from "#app/context.ts";
import { numberText } from "#app/lib/number-text.ts";
import { DAY, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import {
  BrokenCopy,
  beginCopy,
  type CopyProgress,
  copyChanges,
  copyDay,
  type DayMove,
  resumeCopy,
} from "#app/store/archive/day-copy.ts";
import { findLockHolder, isLockLost, lockDay, newLockHolder } from "#app/store/archive/day-lock.ts";
import {
  allowAgain,
  closeDay,
  countDay,
  keepDay,
  markMoved,
  refuseCopies,
  removeDay,
  reopenDay,
} from "#app/store/archive/day-switch.ts";
import { isFull } from "#app/store/archive/fences.ts";
import { FULL_FILL, freeDays } from "#app/store/archive/placement/choice.ts";
import { measure } from "#app/store/archive/placement/measure.ts";
import type { ReadsDatabase } from "#app/store/archive/placement.ts";
import {
  beginMove,
  beginUndo,
  completeMove,
  endUndo,
  forgetFormerPlace,
  isBackupReading,
  type LeasedPart,
  leaseStorage,
  listDatabasesOfDay,
  listMovingParts,
  listStorage,
  type MovingPart,
  releaseStorage,
  UNDOING,
  updateProgress,
} from "#app/store/operations/storage.ts";

type DrainContext = Pick<AppContext, "db" | "places" | "clock">;
type DrainLimits = { ms: number; units: number };

/** A step of a cron that runs every minute; D1 allows 1,000 queries per invocation. */
const STEP: DrainLimits = { ms: 30 * SECOND, units: 150 };
/** Maximum queries per unit of copying or deleting rows. */
const QUERIES_A_UNIT = 5;
/**
 * Queries for a part of a day in addition to those for its rows: to lock it, to switch it over, to undo its move, and
 * to delete it.
 */
const PART_QUERIES = { lock: 15, complete: 45, undo: 20, remove: 3 };
/** Queries of choosing a database: some for the day, and some of each database. */
const CHOICE_QUERIES = { day: 8, database: 2 };
/**
 * Time after which another worker takes over from one that died. Writers wait at most this long for a day that the dead
 * worker had closed.
 */
const LEASE_MS = 90 * SECOND;
/** How long former rows stay: longer than a search may take (five deadlines of a source). */
const FORMER_KEPT_MS = 5 * MINUTE;
/** Parts of days that a step considers. */
const MAX_PARTS = 5000;
/** Maximum number of changes left when a day is closed, and of rounds in which the copy catches up before that. */
const FEW_CHANGES = 200;
const CATCH_UPS = 20;
/** Bytes of a read with its indexes, with some to spare (docs/scale.md). */
const READ_BYTES = 700;

type Work = {
  app: DrainContext;
  /** Returns whether the step may do another unit of work, and counts it. */
  isLeft: () => boolean;
  /** Counts other queries. A step ends after the part that uses up its units, so that every step makes progress. */
  spend: (queries: number) => void;
  /** The lease of the database that the days are moved from. */
  lease: number;
  moved: number;
  note: string;
};

/** Does a step of every drain, undo and deletion that is due. Idempotent. Throws the first error, after all databases. */
export async function drainStorage(app: DrainContext, limits = STEP): Promise<void> {
  const due = await listMovingParts(app.db, {
    leftBefore: app.clock() - FORMER_KEPT_MS,
    most: MAX_PARTS,
  });
  if (due.length === 0) return;
  // The backup would read a moving day twice, or not at all.
  if (await isBackupReading(app.db)) return;
  const states = new Map((await listStorage(app.db)).map(({ name, state }) => [name, state]));
  const problems: unknown[] = [];
  const until = Date.now() + limits.ms;
  let units = limits.units;
  let others = 0;
  const isLeft = () => units-- > 0 && Date.now() < until;
  const spend = (queries: number) => {
    others += queries;
  };
  for (const [name, own] of Map.groupBy(due, ({ database, leftIn }) => leftIn ?? database)) {
    const now = app.clock();
    const lease = await leaseStorage(app.db, { name, now, until: now + LEASE_MS });
    if (lease === null) continue;
    const work: Work = { app, isLeft, spend, lease, moved: 0, note: "" };
    try {
      for (const part of own) {
        units -= Math.ceil(others / QUERIES_A_UNIT);
        others = 0;
        if (!isLeft()) break;
        if (part.leftIn !== null) await removeFormer(work, part);
        else if (part.moveTo !== null && (part.progress === UNDOING || states.get(name) !== "draining"))
          await undoMove(work, part);
        else if (states.get(name) === "draining") await movePart(work, part);
        if (work.note !== "") break;
      }
    } catch (error) {
      // Not stored if another worker has the lease by now.
      work.note = "Another worker is moving a day of this database.";
      if (isLockLost(error)) continue;
      problems.push(error);
      work.note = "The last step failed; the Worker's log has the error. It is tried again every minute.";
    } finally {
      await releaseStorage(app.db, { name, lease, moved: work.moved, note: work.note });
    }
  }
  if (problems.length > 0) throw new AggregateError(problems, "days of reads could not be moved");
}

function boundNamed(app: DrainContext, name: string): ReadsDatabase {
  const found = app.places.databases.find((one) => one.name === name);
  if (!found) throw new Error(`${name} is not bound`);
  return found;
}

/**
 * Makes this step the only worker that may move a day in these databases. `claim` changes or confirms the part in the
 * control database, under the lease. Returns its last result, or undefined if one of its calls failed. The order
 * matters: if another worker takes the day over before the claim, the claim fails; after the claim, `lockDay` fails.
 */
async function lockEverywhere(
  { day, databases }: { day: number; databases: ReadsDatabase[] },
  claim: () => Promise<MovingPart | undefined>,
): Promise<{ part: MovingPart; holder: number } | undefined> {
  const holder = newLockHolder();
  let part: MovingPart | undefined;
  for (const { database } of databases) {
    const before = await findLockHolder(database, day);
    part = await claim();
    if (!part) return undefined;
    await lockDay(database, { day, holder, before });
  }
  return part && { part, holder };
}

async function movePart(work: Work, known: MovingPart): Promise<void> {
  const { app } = work;
  const { day } = known;
  work.spend(PART_QUERIES.lock);
  const from = boundNamed(app, known.database);
  const used = await listDatabasesOfDay(app.db, day);
  const target = known.moveTo ?? (await chooseTarget(work, known, used.names));
  if (target === undefined) return;
  const to = boundNamed(app, target);
  const leased: LeasedPart = { ...known, lease: work.lease };
  try {
    const locked = await lockEverywhere({ day, databases: [from, to] }, () =>
      beginMove(app.db, leased, target),
    );
    if (!locked) return;
    const move: DayMove = { day, from, to, holder: locked.holder };
    const progress = await copy(work, { leased, stored: locked.part.progress }, move);
    if (progress) await complete(work, leased, { move, progress, parts: used.parts });
  } catch (error) {
    if (!isFull(error) && !(error instanceof BrokenCopy)) throw error;
    // Undone here, so that the next step can choose another database, or copies the day again.
    await undoMove(work, known);
    if (!isFull(error)) throw error;
    work.note = `${target} has no space for more days.`;
  }
}

/** Returns the best database that takes the day and has space for it; otherwise notes why there is none. */
async function chooseTarget(
  work: Work,
  { day, database }: MovingPart,
  used: string[],
): Promise<string | undefined> {
  const { app } = work;
  work.spend(CHOICE_QUERIES.day + CHOICE_QUERIES.database * app.places.databases.length);
  const others = await app.places.rank(used);
  const isFree = await freeDays(others, [day]);
  const ranked = others.filter((one) => isFree(one, day));
  const reads = await countDay(boundNamed(app, database).database, day);
  for (const one of ranked) {
    const bytes = (await measure(one.database)) + reads * READ_BYTES;
    if (bytes < app.places.limitBytes * FULL_FILL) return one.name;
  }
  const which = `the ${numberText(reads)} reads of ${isoTime(day * DAY).slice(0, 10)}`;
  work.note =
    ranked.length === 0
      ? "No other database takes days. Add one, or cancel."
      : `No other database has space for ${which}. Add one, or cancel.`;
  return undefined;
}

type Copying = { leased: LeasedPart; stored: string | null };

/** Copies the day, as far as the step allows. Returns the progress if so little is left that the day may be closed. */
async function copy(
  work: Work,
  { leased, stored }: Copying,
  move: DayMove,
): Promise<CopyProgress | undefined> {
  const { app, isLeft } = work;
  let progress: CopyProgress;
  if (stored === null) {
    // Rows of the day that are not copies would become part of it.
    await refuseCopies(move);
    if (!(await removeDay(move.to.database, move.day, isLeft))) return undefined;
    progress = await beginCopy(move);
  } else {
    progress = JSON.parse(stored);
    await resumeCopy(move);
  }
  let isAlmostDone = false;
  try {
    if (!progress.isDone) work.moved += await copyDay(move, progress, isLeft);
    for (let i = 0; progress.isDone && !isAlmostDone && i < CATCH_UPS && isLeft(); i++)
      isAlmostDone = (await copyChanges(move, progress)) < FEW_CHANGES;
  } finally {
    await updateProgress(app.db, leased, JSON.stringify(progress));
  }
  return isAlmostDone ? progress : undefined;
}

type Completion = { move: DayMove; progress: CopyProgress; parts: number };

/** Switches the day to its new database. */
async function complete(
  { app, spend }: Work,
  leased: LeasedPart,
  { move, progress, parts }: Completion,
): Promise<void> {
  spend(PART_QUERIES.complete);
  await closeDay(move, progress, leased.part < parts - 1);
  const target = move.to.name;
  // If this fails without an answer, the next step finds out whether the day moved.
  if (await completeMove(app.db, leased, { target, at: app.clock(), parts }))
    await markMoved(move.from, move.day);
  // The day got another part in between.
  else await reopenDay(move);
}

/** Abandons a copy. Stores that first: once rows are being deleted, the copy must not be continued or completed. */
async function undoMove({ app, isLeft, spend, lease }: Work, known: MovingPart): Promise<void> {
  spend(PART_QUERIES.undo);
  const { day } = known;
  const from = boundNamed(app, known.database);
  const leased: LeasedPart = { ...known, lease };
  const undone = await beginUndo(app.db, leased);
  if (!undone) return;
  const to = app.places.databases.find(({ name }) => name === undone.moveTo);
  const databases = to ? [from, to] : [from];
  const locked = await lockEverywhere({ day, databases }, () => beginUndo(app.db, leased));
  if (!locked) return;
  const { holder } = locked;
  const move = to && { day, from, to, holder };
  if (move) await refuseCopies(move);
  await keepDay(from, { day, holder });
  if (move) {
    if (!(await removeDay(move.to.database, day, isLeft))) return;
    await allowAgain(move);
  }
  await endUndo(app.db, leased);
}

/** Deletes the former rows of a part that has moved. */
async function removeFormer({ app, isLeft, spend }: Work, part: MovingPart): Promise<void> {
  spend(PART_QUERIES.remove);
  const from = app.places.databases.find(({ name }) => name === part.leftIn);
  if (from) {
    // Marked again: the worker that moved the day may have ended before that. Refuses if the day is not closed there.
    await markMoved(from, part.day);
    if (!(await removeDay(from.database, part.day, isLeft))) return;
  }
  await forgetFormerPlace(app.db, part);
}
