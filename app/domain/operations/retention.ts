// Retention: deletes reads by each agency's policy (21 days by Connecticut Public Act 26-14 section 13, unless the
// agency chooses less or its law allows more). Each run that removed anything writes a purge certificate to that
// agency's audit log. Result sets, exports and sessions have their own sweeps.

import type { AppContext } from "#app/context.ts";
import { auditNow } from "#app/domain/oversight/audit-act.ts";
import { at } from "#app/lib/at.ts";
import { DAY, isoTime, utcDay } from "#app/lib/time/dates.ts";
import { moveClearReads } from "#app/store/archive/move.ts";
import {
  destroyKeys,
  forgetKeys,
  isDayOver,
  type ListedKey,
  listKeys,
  type PurgedReads,
  purgeReadsOf,
  type SpentKeys,
} from "#app/store/archive/purge.ts";
import { purgeAlertImages, purgeStrayImages } from "#app/store/operations/retention.ts";
import { findHeld } from "#app/store/oversight/legal-holds.ts";
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

/** Queries per run besides the steps, as `queriesOf` counts them; D1 allows 1,000 per invocation. The next run continues. */
const QUERIES_A_RUN = 400;
/** Steps of 400 reads, or hits with images, per run: about four queries each. That is 13 million a day. */
const STEPS_A_RUN = 120;
/** Reads of one database that a run moves out of the former unencrypted tables; takes some seconds. */
const MOVE_AT_MOST = 50_000;

type RetentionContext = Pick<
  AppContext,
  "db" | "reads" | "places" | "readsDatabases" | "readKeys" | "images" | "clock"
>;

type Agency = Awaited<ReturnType<typeof listAgencies>>[number];

/** Returns the time before which an agency's reads are past their retention. */
const beforeOf = ({ policy }: Pick<Agency, "policy">, now: number) => now - policy.retention_days * DAY;

/**
 * Deletes every agency's reads with their images, and its alert images, that are older than its policy allows, and
 * destroys the keys of expired days. Idempotent. Takes agencies in turn until `queries` are spent. Returns the
 * certificates. If one agency fails, the others are still purged and the error is thrown at the end.
 */
export async function purgeExpired(
  app: RetentionContext,
  queries = QUERIES_A_RUN,
): Promise<PurgeCertificate[]> {
  const now = app.clock();
  const problems: unknown[] = [];
  const note = (error: unknown): undefined => void problems.push(error);
  const unbound = await app.places.listUnbound().catch(note);
  const isIncomplete = unbound?.length !== 0;
  if (unbound && isIncomplete)
    note(new Error(`${unbound.join(", ")} not bound: no keys of reads and no stray images were purged`));
  let isMoved = true;
  for (const database of app.readsDatabases) {
    const moved = await moveClearReads(database, app.reads.insertReads, MOVE_AT_MOST).catch(note);
    isMoved &&= moved !== undefined && moved < MOVE_AT_MOST;
  }
  const agencies = await listAgencies(app.db);
  const certificates: PurgeCertificate[] = [];
  const kept = agencies.map((agency) => beforeOf(agency, now));
  const parts = { databases: app.readsDatabases, images: app.images };
  const untilDay = utcDay(Math.max(0, ...kept));
  const listed = await listKeys(parts.databases, { untilDay }).catch(note);
  const budget = { left: STEPS_A_RUN };
  const turn = { agencies, now, queries, databases: parts.databases.length };
  for (const taken of listed ? takeInTurn(turn, listed) : []) {
    const certificate = await purgeAgency(app, { ...taken, now, isIncomplete, budget, note }).catch(note);
    if (certificate) certificates.push(certificate);
  }
  // A read that was not moved yet may be held, and its images would look like strays.
  if (isMoved && !isIncomplete) await purgeStrayImages(parts, utcDay(Math.min(now, ...kept))).catch(note);
  if (problems.length > 0) throw new AggregateError(problems, "not everything that is over was purged");
  return certificates;
}

type Turn = { agencies: Agency[]; now: number; queries: number; databases: number };
type Taken = { agencyId: string; keys: ListedKey[] };

/** Returns the agencies of a run with their keys: the next ones until `queries` are spent. */
function takeInTurn({ agencies, now, queries, databases }: Turn, listed: ListedKey[]): Taken[] {
  const keysOf = Map.groupBy(listed, ({ agencyId }) => agencyId);
  // Every run takes at least this many, so the next one begins after them.
  const count = Math.max(1, Math.floor(queries / (USUAL_QUERIES + 8 * databases)));
  const from = Math.floor(now / RUNS_EVERY) * count;
  const taken: Taken[] = [];
  let spent = 0;
  for (let i = 0; i < agencies.length && spent < queries; i++) {
    const agency = at(agencies, (from + i) % agencies.length);
    const keys = keysOf.get(agency.id) ?? [];
    spent += queriesOf({ keys, before: beforeOf(agency, now), databases });
    taken.push({ agencyId: agency.id, keys });
  }
  return taken;
}

/** Queries for an agency without a day that is over. */
const USUAL_QUERIES = 6;

/**
 * Returns about how many queries an agency takes: more if a day is over, or if it has reads under a legal hold. Both, with
 * a day in every database, take eight for each database.
 */
function queriesOf(of: { keys: ListedKey[]; before: number; databases: number }): number {
  const over = of.keys.filter(({ day }) => day !== null && isDayOver(day, of.before));
  const erased = new Set(over.map(({ database }) => database)).size;
  const isHeld = of.keys.some(({ day }) => day === null);
  const ended = over.length === 0 ? 0 : of.databases + over.length + 4 * erased;
  return USUAL_QUERIES + ended + (isHeld ? 2 * of.databases : 0);
}

type Purge = Taken & {
  now: number;
  isIncomplete: boolean;
  /** The steps that are left for all agencies. */
  budget: { left: number };
  note: (error: unknown) => undefined;
};

async function purgeAgency(
  app: RetentionContext,
  { agencyId, now, isIncomplete, keys, budget, note }: Purge,
): Promise<PurgeCertificate | undefined> {
  // Read at the agency's turn: a policy may be raised while a purge runs.
  const agency = await findAgency(app.db, agencyId);
  if (!agency) return undefined;
  const before = beforeOf(agency, now);
  const parts = { databases: app.readsDatabases, images: app.images, keys: app.readKeys, isIncomplete };
  const held = async () => (await findHeld(app.db, agencyId)).plates;
  const heldCases = async () => [...(await findHeld(app.db, agencyId)).cases];
  const order = { agencyId, before, held };
  // A large backlog leaves half of the steps to the other agencies.
  const run = {
    left: Math.ceil(budget.left / 2),
    purged: { reads: 0, images: 0, held: 0 },
    alertImages: 0,
    listed: keys,
  };
  budget.left -= run.left;
  let spent: SpentKeys = { days: [], ids: [], databases: [] };
  async function purge(): Promise<void> {
    await purgeReadsOf(parts, order, run);
    spent = await destroyKeys(parts, order, run);
    await purgeAlertImages({ db: app.db, images: app.images }, { agencyId, before, heldCases }, run);
  }
  // What was removed before an error has its certificate.
  await purge().catch(note);
  budget.left += run.left;
  const { purged, alertImages } = run;
  if (purged.reads + alertImages + spent.days.length === 0) return undefined;
  const days = spent.days.map((day) => isoTime(day * DAY).slice(0, 10));
  const certificate = { agencyId, before, ...purged, alertImages, days };
  await certify(app, certificate);
  await forgetKeys(spent.databases, spent.ids);
  return certificate;
}

async function certify(app: Pick<AppContext, "db" | "clock">, sum: PurgeCertificate): Promise<void> {
  const { agencyId, ...detail } = sum;
  await auditNow(app, null, { agencyId, action: "retention.purge", detail });
}
