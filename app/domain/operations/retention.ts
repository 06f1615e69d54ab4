// Retention: what may not be kept longer goes, agency by agency, as its policy says (21 days by Connecticut Public Act
// 26-14 section 13 unless an agency says less or its law allows more). Each run that removed anything leaves a
// certificate in that agency's audit log. Result sets, exports and sessions have sweeps of their own.

import type { AppContext } from "#app/context.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import type { HeldPlate } from "#app/entities/oversight/legal-hold.ts";
import { DAY, isoTime, utcDay } from "#app/lib/time/dates.ts";
import { inTurn } from "#app/lib/turns.ts";
import { moveClearReads } from "#app/store/archive/move.ts";
import { destroyKeys, forgetKeys, type PurgedReads, purgeReadsOf } from "#app/store/archive/purge.ts";
import { inOneStep } from "#app/store/database.ts";
import { purgeAlertImages, purgeStrayImages } from "#app/store/operations/retention.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { listHeldCases, listHeldPlates } from "#app/store/oversight/legal-holds.ts";
import { listAgencies } from "#app/store/users/agencies.ts";
import { RUNS_EVERY } from "./retention-records.ts";

/** What a run removed for one agency. */
export type PurgeCertificate = PurgedReads & {
  agencyId: string;
  before: number;
  alertImages: number;
  /** UTC days whose keys were destroyed: no copy of their reads can be read any more. */
  days: string[];
};

/**
 * A run may ask D1 a thousand times at most, and every agency some six times: it sees to so many, the next one to the
 * next. A thousand agencies have had their turn within the hour.
 */
const AGENCIES_A_TURN = 100;
/** Reads of one database that a run moves out of the clear tables of before: some seconds' work. */
const MOVE_AT_MOST = 50_000;

type RetentionContext = Pick<AppContext, "db" | "reads" | "readsDatabases" | "readKeys" | "images" | "clock">;

/**
 * Purges every agency's reads with their images, and the images of its alerts, that are older than its policy allows, and
 * destroys the keys of days that are over. Runs within the hour, as often as the cron; a second run finds nothing. Gives
 * the certificates of what was removed; `most` agencies have their turn. What fails for one agency keeps no other from
 * its turn, and is thrown at the end.
 */
export async function purgeExpired(
  app: RetentionContext,
  most = AGENCIES_A_TURN,
): Promise<PurgeCertificate[]> {
  const now = app.clock();
  const problems: unknown[] = [];
  const note = (error: unknown): undefined => void problems.push(error);
  let isMoved = true;
  for (const database of app.readsDatabases) {
    const moved = await moveClearReads(database, app.reads.insertReads, MOVE_AT_MOST).catch(note);
    isMoved &&= moved !== undefined && moved < MOVE_AT_MOST;
  }
  const [agencies, heldPlates, heldCases] = await Promise.all([
    listAgencies(app.db),
    listHeldPlates(app.db),
    listHeldCases(app.db),
  ]);
  const certificates: PurgeCertificate[] = [];
  const beforeOf = ({ policy }: (typeof agencies)[number]) => now - policy.retention_days * DAY;
  for (const agency of inTurn(agencies, { now, every: RUNS_EVERY, count: most })) {
    const [agencyId, before] = [agency.id, beforeOf(agency)];
    const held = { plates: heldPlates.get(agencyId) ?? [], cases: [...(heldCases.get(agencyId) ?? [])] };
    const certificate = await purgeAgency(app, { agencyId, before, held }).catch(note);
    if (certificate) certificates.push(certificate);
  }
  const parts = { databases: app.readsDatabases, images: app.images };
  // A read that still waits to be moved may be held, and its images look as if they were nobody's.
  if (isMoved) await purgeStrayImages(parts, utcDay(Math.min(now, ...agencies.map(beforeOf)))).catch(note);
  if (problems.length > 0) throw new AggregateError(problems, "not everything that is over was purged");
  return certificates;
}

type Purge = { agencyId: string; before: number; held: { plates: HeldPlate[]; cases: string[] } };

async function purgeAgency(
  app: RetentionContext,
  { agencyId, before, held }: Purge,
): Promise<PurgeCertificate | undefined> {
  const parts = { databases: app.readsDatabases, images: app.images, keys: app.readKeys };
  const order = { agencyId, before, held: held.plates };
  const purged = await purgeReadsOf(parts, order);
  const spent = await destroyKeys(parts, order);
  const alertImages = await purgeAlertImages(
    { db: app.db, images: app.images },
    { agencyId, before, heldCases: held.cases },
  );
  if (purged.reads + alertImages + spent.days.length === 0) return undefined;
  const days = spent.days.map((day) => isoTime(day * DAY).slice(0, 10));
  const certificate = { agencyId, before, ...purged, alertImages, days };
  await certify(app, certificate);
  await forgetKeys(parts.databases, spent.ids);
  return certificate;
}

async function certify(app: Pick<AppContext, "db" | "clock">, sum: PurgeCertificate): Promise<void> {
  const { agencyId, ...detail } = sum;
  await inOneStep(app.db, [
    insertAudit(app.db, {
      ...auditWho(null),
      agencyId,
      at: app.clock(),
      action: "retention.purge",
      outcome: "ok",
      detail,
    }),
  ]);
}
