// Retention: what may not be kept longer goes, agency by agency, as its policy says (21 days by Connecticut Public Act
// 26-14 section 13 unless an agency says less or its law allows more). Each run that removed anything leaves a
// certificate in that agency's audit log. Result sets, exports and sessions have sweeps of their own.

import type { AppContext } from "#app/context.ts";
import { auditWho } from "#app/entities/audit.ts";
import { DAY, isoTime, utcDay } from "#app/lib/dates.ts";
import { listAgencies } from "#app/store/agencies.ts";
import { insertAudit } from "#app/store/audit.ts";
import { inOneStep } from "#app/store/database.ts";
import { listHeldCases, listHeldPlates } from "#app/store/legal-holds.ts";
import { moveClearReads } from "#app/store/reads-move.ts";
import { destroyKeys, forgetKeys, type PurgedReads, purgeReadsOf } from "#app/store/reads-purge.ts";
import { purgeAlertImages, purgeStrayImages } from "#app/store/retention.ts";

/** What a run removed for one agency. */
export type PurgeCertificate = PurgedReads & {
  agencyId: string;
  before: number;
  alertImages: number;
  /** UTC days whose keys were destroyed: no copy of their reads can be read any more. */
  days: string[];
};

/** Reads of one database that a run moves out of the clear tables of before: some seconds' work. */
const MOVE_AT_MOST = 50_000;

/**
 * Purges every agency's reads with their images, and the images of its alerts, that are older than its policy allows, and
 * destroys the keys of days that are over. Runs within the hour, as often as the cron; a second run finds nothing. Gives
 * the certificates of what was removed.
 */
export async function purgeExpired(
  app: Pick<AppContext, "db" | "reads" | "readsDatabases" | "readKeys" | "images" | "clock">,
): Promise<PurgeCertificate[]> {
  const now = app.clock();
  for (const database of app.readsDatabases)
    await moveClearReads(database, app.reads.insertReads, MOVE_AT_MOST);
  const [agencies, heldPlates, heldCases] = await Promise.all([
    listAgencies(app.db),
    listHeldPlates(app.db),
    listHeldCases(app.db),
  ]);
  const parts = { databases: app.readsDatabases, images: app.images, keys: app.readKeys };
  const certificates: PurgeCertificate[] = [];
  let oldest = now;
  for (const { id: agencyId, policy } of agencies) {
    const before = now - policy.retention_days * DAY;
    oldest = Math.min(oldest, before);
    const order = { agencyId, before, held: heldPlates.get(agencyId) ?? [] };
    const purged = await purgeReadsOf(parts, order);
    const spent = await destroyKeys(parts, order);
    const alertImages = await purgeAlertImages(
      { db: app.db, images: app.images },
      { agencyId, before, heldCases: [...(heldCases.get(agencyId) ?? [])] },
    );
    if (purged.reads + alertImages + spent.days.length === 0) continue;
    const days = spent.days.map((day) => isoTime(day * DAY).slice(0, 10));
    const certificate = { agencyId, before, ...purged, alertImages, days };
    await certify(app, certificate);
    await forgetKeys(parts.databases, spent.ids);
    certificates.push(certificate);
  }
  await purgeStrayImages(parts, utcDay(oldest));
  return certificates;
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
