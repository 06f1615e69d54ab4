// The databases of reads: sizes, the date on which space runs out, and what the owner does with them. New days begin in
// open databases only. A draining one is emptied in the background (drain.ts), and may be removed when it is empty.

import type { AppContext } from "#app/context.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type {
  StorageReport,
  StorageState,
  StorageStateRequest,
  StoredDatabase,
} from "#app/entities/operations/storage.ts";
import { AppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { DAY, isoTime, utcDay } from "#app/lib/time/dates.ts";
import { isEmpty } from "#app/store/archive/day-switch.ts";
import { ALARM_FILL } from "#app/store/archive/placement/choice.ts";
import { measure, within } from "#app/store/archive/placement/measure.ts";
import type { ReadsDatabase } from "#app/store/archive/placement.ts";
import { changesOf, inOneStep } from "#app/store/database.ts";
import { markAlarms } from "#app/store/operations/health.ts";
import {
  countStoredReads,
  type DatabaseRow,
  listStorage,
  listStorageSizes,
  removeStorageSizes,
  type SizeRow,
  updateStorageSize,
  updateStorageState,
} from "#app/store/operations/storage.ts";

type StorageContext = Pick<AppContext, "db" | "places" | "clock">;

/** Days over which the growth rate is measured. */
const RATE_DAYS = 7;
const SIZES_KEPT_DAYS = 400;
/** Counting scans an index of the reads, so it is done once a day. */
const COUNT_EVERY = DAY;
const COUNT_MS = 25_000;

/** GET /storage/data: returns each database of reads, and what needs attention. */
export async function viewStorage(app: StorageContext): Promise<StorageReport> {
  const now = app.clock();
  const [rows, sizes] = await Promise.all([
    listStorage(app.db),
    listStorageSizes(app.db, utcDay(now) - RATE_DAYS),
  ]);
  const limit = app.places.limitBytes;
  const bound = new Map(app.places.databases.map((one) => [one.name, one]));
  const known = new Set(rows.map(({ name }) => name));
  const added = app.places.databases.filter(({ name }) => !known.has(name)).map(({ name }) => newRow(name));
  const shown = [...rows, ...added].filter(({ name, state }) => bound.has(name) || state !== "removed");
  const databases = await Promise.all(
    shown.map((row) => storedDatabase(row, { place: bound.get(row.name), sizes, limit, now })),
  );
  const open = shown.filter(({ name, state }) => state === "open" && bound.has(name));
  const bytes = open.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  const rates = open.map(({ name }) => rateOf(sizes, name)).filter((rate) => rate !== null);
  const rate = rates.length === 0 ? null : rates.reduce((sum, one) => sum + one, 0);
  const space = open.length * limit;
  const total = {
    bytes,
    limit_bytes: space,
    fill: space === 0 ? 1 : bytes / space,
    bytes_per_day: rate,
    full_at: fullAt({ bytes, limit: space, rate, at: now }),
  };
  const report = { databases, limit_bytes: limit, total, alarm_at: ALARM_FILL };
  return { ...report, alarms: alarmsOf(report).map(({ text }) => text) };
}

/** A database that was bound since the last measurement. */
function newRow(name: string): DatabaseRow {
  const measured = { bytes: null, reads: null, measuredAt: null, readsCountedAt: null };
  const parts = { days: 0, leaving: 0, arriving: 0 };
  return { name, state: "open", stateAt: 0, ...measured, movedReads: 0, note: "", ...parts };
}

type Measured = { place: ReadsDatabase | undefined; sizes: SizeRow[]; limit: number; now: number };

async function storedDatabase(row: DatabaseRow, measured: Measured): Promise<StoredDatabase> {
  const { place, sizes, limit, now } = measured;
  const { name, state, bytes } = row;
  const rate = rateOf(sizes, name);
  const takesNone = state === "read-only" || state === "draining";
  const isUnused = row.days + row.leaving + row.arriving === 0 && takesNone;
  const removable = isUnused && place !== undefined && (await isEmpty(place).catch(() => false));
  return {
    name,
    state,
    bound: place !== undefined,
    bytes,
    measured_at: row.measuredAt,
    reads: row.reads,
    reads_counted_at: row.readsCountedAt,
    days: row.days,
    leaving: row.leaving,
    arriving: row.arriving,
    moved_reads: row.movedReads,
    note: row.note,
    drained_at: drainedAt(row, now),
    fill: bytes === null ? null : bytes / limit,
    bytes_per_day: rate,
    full_at:
      bytes === null || row.measuredAt === null ? null : fullAt({ bytes, limit, rate, at: row.measuredAt }),
    removable,
  };
}

/** Returns when a drain ends at its speed so far, or null if there is none or nothing is known yet. */
function drainedAt({ state, stateAt, reads, movedReads }: DatabaseRow, now: number): number | null {
  if (state !== "draining" || reads === null || movedReads === 0 || now <= stateAt) return null;
  const left = Math.max(0, reads - movedReads);
  return Math.round(now + (left * (now - stateAt)) / movedReads);
}

/** Returns the bytes that a database grew per day, or null if it was measured on one day only. */
function rateOf(sizes: SizeRow[], name: string): number | null {
  const own = sizes.filter(({ database }) => database === name);
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last || first.day === last.day) return null;
  return (last.bytes - first.bytes) / (last.day - first.day);
}

/** Returns when the space is used up at a rate of bytes per day, or null if it is not, or no rate is known. */
function fullAt(input: { bytes: number; limit: number; rate: number | null; at: number }): number | null {
  const { bytes, limit, rate, at } = input;
  if (bytes >= limit) return at;
  return rate !== null && rate > 0 ? Math.round(at + ((limit - bytes) / rate) * DAY) : null;
}

const percent = (fill: number) => `${Math.round(fill * 100)}%`;
const dateOf = (at: number) => isoTime(at).slice(0, 10);

/** An alarm has the same name as long as it lasts, while its text may change. */
type Alarm = { name: string; text: string };

function alarmsOf({ databases, total }: Pick<StorageReport, "databases" | "total">): Alarm[] {
  const alarms: Alarm[] = [];
  const until = total.full_at === null ? "" : ` At the current rate it is full on ${dateOf(total.full_at)}.`;
  if (!databases.some(({ state, bound }) => state === "open" && bound))
    alarms.push({ name: "closed", text: "No database takes new days of reads." });
  else if (total.fill >= ALARM_FILL)
    alarms.push({
      name: "full",
      text: `The space for reads is ${percent(total.fill)} full.${until} Add a database.`,
    });
  for (const { name, bound, state, days } of databases)
    if (!bound && state !== "removed" && days > 0)
      alarms.push({ name, text: `${name} has ${days} days of reads, but its binding is missing.` });
  return alarms;
}

/** Returns the lines of /health: one per alarm, and one per database. */
export async function storageLines(app: StorageContext): Promise<{ alarms: string[]; lines: string[] }> {
  const { databases, alarms } = await viewStorage(app);
  const lines = databases.map((one) => {
    const facts = [
      one.bound ? one.state : "binding missing",
      one.bytes === null || one.fill === null ? "not measured" : `${one.bytes} bytes (${percent(one.fill)})`,
      `${one.reads ?? "?"} reads`,
      `${one.days} days`,
      forecastOf(one),
      ...(one.state === "draining" ? drainFacts(one) : []),
    ];
    return `${one.name}: ${facts.join(", ")}`;
  });
  return { alarms: alarms.map((alarm) => `storage: ${alarm}`), lines };
}

function forecastOf({ full_at, bytes_per_day }: StoredDatabase): string {
  if (full_at !== null) return `full on ${dateOf(full_at)}`;
  return bytes_per_day === null ? "growth not known yet" : "does not fill up";
}

function drainFacts({ removable, moved_reads, drained_at, leaving, note }: StoredDatabase): string[] {
  if (removable) return ["empty, can be removed"];
  return [
    `${moved_reads} reads moved`,
    ...(leaving > 0 ? [`${leaving} moved days to delete`] : []),
    ...(drained_at === null ? [] : [`done about ${isoTime(drained_at)}`]),
    ...(note === "" ? [] : [note]),
  ];
}

/** Returns whether a database's reads are to be counted: once a day, and once at the beginning of a drain. */
function isCountDue(known: StoredDatabase | undefined, row: DatabaseRow | undefined, now: number): boolean {
  const countedAt = known?.reads_counted_at ?? 0;
  // Not counted again during a drain, which compares the number of moved reads with this count.
  return row?.state === "draining" ? countedAt < row.stateAt : now - countedAt >= COUNT_EVERY;
}

/** Scheduled: measures every database. Throws if one does not answer. Logs each alarm once, when it begins. */
export async function measureStorage(app: StorageContext): Promise<void> {
  await app.places.noteDatabases();
  const before = await viewStorage(app);
  const rows = new Map((await listStorage(app.db)).map((row) => [row.name, row]));
  const now = app.clock();
  const problems: unknown[] = [];
  const noteCount = (name: string) => (cause: unknown) => {
    problems.push(new Error(`the reads of ${name} could not be counted`, { cause }));
    return null;
  };
  for (const { name, database } of app.places.databases) {
    try {
      const known = before.databases.find((one) => one.name === name);
      const isDue = isCountDue(known, rows.get(name), now);
      const bytes = await measure(database);
      // If counting a large database takes too long, its size is still stored and can raise an alarm.
      const reads = isDue ? await within(COUNT_MS, countStoredReads(database)).catch(noteCount(name)) : null;
      await inOneStep(app.db, updateStorageSize(app.db, { name, at: now, day: utcDay(now), bytes, reads }));
    } catch (error) {
      problems.push(new Error(`${name} does not answer`, { cause: error }));
    }
  }
  await removeStorageSizes(app.db, utcDay(now) - SIZES_KEPT_DAYS);
  const after = await viewStorage(app);
  const alarms = alarmsOf(after);
  const began = await markAlarms(app.db, { names: alarms.map(({ name }) => name), at: now });
  for (const { name, text } of alarms) if (began.includes(name)) logError(`ALARM: ${text}`);
  for (const { name, bound, days } of after.databases)
    if (!bound && days > 0) problems.push(new Error(`${name} has reads, but is not bound`));
  if (problems.length > 0) throw new AggregateError(problems, "not every database of reads was measured");
}

/**
 * POST /storage/:name/state: opens a database, closes it for new days, or drains it; another state cancels a drain. Throws
 * AppError not_found, and conflict if no other database would take new days, or if the database was removed.
 */
export async function setStorageState(
  app: StorageContext,
  actor: Actor,
  { name, state }: StorageStateRequest & { name: string },
): Promise<{ msg: string }> {
  const one = await requireDatabase(app, name);
  if (!one.bound) throw new AppError("conflict", `${name} is not bound in this deployment.`);
  // If another database reused the number, new reads would get the ids of moved ones.
  if (one.state === "removed")
    throw new AppError(
      "conflict",
      `${name} was removed. Bind a database under a number that was never used.`,
    );
  await app.places.noteDatabases();
  if (state !== "open") await requireAnother(app, name);
  await change(app, actor, { one, state, action: "storage.state" });
  return { msg: DONE[state](name) };
}

const DONE: Record<StorageStateRequest["state"], (name: string) => string> = {
  open: (name) => `${name} takes new days again.`,
  "read-only": (name) => `${name} takes no new days.`,
  draining: (name) => `The days of ${name} are being moved to other databases.`,
};

/** POST /storage/:name/remove. Throws AppError not_found, and conflict if the database is open or not empty. */
export async function removeStorage(
  app: StorageContext,
  actor: Actor,
  name: string,
): Promise<{ msg: string }> {
  const one = await requireDatabase(app, name);
  if (!one.removable) throw new AppError("conflict", `${name} is open or not empty. Drain it first.`);
  await change(app, actor, { one, state: "removed", action: "storage.remove" });
  return { msg: `${name} is no longer used. Delete its binding from wrangler.toml and deploy.` };
}

async function requireDatabase(app: StorageContext, name: string): Promise<StoredDatabase> {
  const { databases } = await viewStorage(app);
  const one = databases.find((known) => known.name === name);
  if (!one) throw new AppError("not_found", "There is no such database.");
  return one;
}

async function requireAnother(app: StorageContext, name: string): Promise<void> {
  const { databases } = await viewStorage(app);
  if (databases.some((one) => one.name !== name && one.state === "open" && one.bound)) return;
  throw new AppError("conflict", `No other database takes new days. Add one before you close ${name}.`);
}

type Change = { one: StoredDatabase; state: StorageState; action: "storage.state" | "storage.remove" };

async function change(app: StorageContext, actor: Actor, { one, state, action }: Change): Promise<void> {
  const at = app.clock();
  const { name } = one;
  const [changed] = await inOneStep(app.db, [
    updateStorageState(app.db, { name, state, at }),
    auditIfChanged(app, actor, { at, action, object: name, detail: { from: one.state, to: state } }),
  ]);
  if (changesOf(changed) === 0) throw new AppError("conflict", `${name} is already in that state.`);
}
