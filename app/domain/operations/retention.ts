// Retention: deletes reads by each agency's policy (21 days by Connecticut Public Act 26-14 section 13, unless the
// agency chooses less or its law allows more). Each run that removed anything writes a purge certificate to that
// agency's audit log. Result sets, exports and sessions have their own sweeps.

import type { AppContext } from "#app/context.ts";
import { auditNow } from "#app/domain/oversight/audit-act.ts";
import { DAY, isoTime, utcDay } from "#app/lib/time/dates.ts";
import { inTurn } from "#app/lib/turns.ts";
import { moveClearReads } from "#app/store/archive/move.ts";
import {
  destroyKeys,
  forgetKeys,
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

/**
 * Agencies per run, about seven queries each; D1 allows 1,000 per invocation. The next run continues. A thousand agencies
 * take less than an hour.
 */
const AGENCIES_A_TURN = 100;
/** Steps of 400 reads, or hits with images, per run: about four queries each. That is 13 million a day. */
const STEPS_A_RUN = 120;
/** Reads of one database that a run moves out of the former unencrypted tables; takes some seconds. */
const MOVE_AT_MOST = 50_000;

type RetentionContext = Pick<
  AppContext,
  "db" | "reads" | "places" | "readsDatabases" | "readKeys" | "images" | "clock"
>;

/**
 * Deletes every agency's reads with their images, and its alert images, that are older than its policy allows, and
 * destroys the keys of expired days. Idempotent. Takes `most` agencies per run. Returns the certificates. If one agency
 * fails, the others are still purged and the error is thrown at the end.
 */
export async function purgeExpired(
  app: RetentionContext,
  most = AGENCIES_A_TURN,
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
  const beforeOf = ({ policy }: (typeof agencies)[number]) => now - policy.retention_days * DAY;
  const budget = { left: STEPS_A_RUN };
  for (const { id: agencyId } of inTurn(agencies, { now, every: RUNS_EVERY, count: most })) {
    const certificate = await purgeAgency(app, { agencyId, now, isIncomplete, budget, note }).catch(note);
    if (certificate) certificates.push(certificate);
  }
  const parts = { databases: app.readsDatabases, images: app.images };
  // A read that was not moved yet may be held, and its images would look like strays.
  if (isMoved && !isIncomplete)
    await purgeStrayImages(parts, utcDay(Math.min(now, ...agencies.map(beforeOf)))).catch(note);
  if (problems.length > 0) throw new AggregateError(problems, "not everything that is over was purged");
  return certificates;
}

type Purge = {
  agencyId: string;
  now: number;
  isIncomplete: boolean;
  /** The steps that are left for all agencies. */
  budget: { left: number };
  note: (error: unknown) => undefined;
};

async function purgeAgency(
  app: RetentionContext,
  { agencyId, now, isIncomplete, budget, note }: Purge,
): Promise<PurgeCertificate | undefined> {
  // Read at the agency's turn: a policy may be raised while a purge runs.
  const agency = await findAgency(app.db, agencyId);
  if (!agency) return undefined;
  const before = now - agency.policy.retention_days * DAY;
  const parts = { databases: app.readsDatabases, images: app.images, keys: app.readKeys, isIncomplete };
  const held = async () => (await findHeld(app.db, agencyId)).plates;
  const heldCases = async () => [...(await findHeld(app.db, agencyId)).cases];
  const order = { agencyId, before, held };
  // A large backlog leaves half of the steps to the other agencies.
  const run = { left: Math.ceil(budget.left / 2), purged: { reads: 0, images: 0, held: 0 }, alertImages: 0 };
  budget.left -= run.left;
  let spent: SpentKeys = { days: [], ids: [] };
  async function purge(): Promise<void> {
    await purgeReadsOf(parts, order, run);
    spent = await destroyKeys(parts, order);
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
  await forgetKeys(parts.databases, spent.ids);
  return certificate;
}

async function certify(app: Pick<AppContext, "db" | "clock">, sum: PurgeCertificate): Promise<void> {
  const { agencyId, ...detail } = sum;
  await auditNow(app, null, { agencyId, action: "retention.purge", detail });
}
