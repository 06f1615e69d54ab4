// Retention: what may not be kept longer goes, agency by agency, as its policy says (21 days by Connecticut Public Act
// 26-14 section 13 unless an agency says less or its law allows more). Each run that removed anything leaves a
// certificate in that agency's audit log. Result sets, exports and sessions have sweeps of their own.

import type { AppContext } from "#app/context.ts";
import { auditWho } from "#app/entities/audit.ts";
import { DAY, utcDay } from "#app/lib/dates.ts";
import { listAgencies } from "#app/store/agencies.ts";
import { insertAudit } from "#app/store/audit.ts";
import { inOneStep } from "#app/store/database.ts";
import { listHeldCases, listHeldPlates } from "#app/store/legal-holds.ts";
import {
  countReadsBefore,
  type PurgedReads,
  purgeAlertImages,
  purgeReadsOf,
  purgeStrayImages,
} from "#app/store/retention.ts";

/** What a run removed for one agency. */
export type PurgeCertificate = PurgedReads & {
  agencyId: string;
  before: number;
  alertImages: number;
  /** Reads beyond their time that a legal hold keeps. */
  held: number;
};

/**
 * Purges every agency's reads with their images, and the images of its alerts, that are older than its policy allows.
 * Runs within the hour, as often as the cron; a second run finds nothing. Gives the certificates of what was removed.
 */
export async function purgeExpired(
  app: Pick<AppContext, "db" | "readsDatabases" | "images" | "clock">,
): Promise<PurgeCertificate[]> {
  const now = app.clock();
  const [agencies, heldPlates, heldCases] = await Promise.all([
    listAgencies(app.db),
    listHeldPlates(app.db),
    listHeldCases(app.db),
  ]);
  const certificates: PurgeCertificate[] = [];
  let oldest = now;
  for (const { id: agencyId, policy } of agencies) {
    const before = now - policy.retention_days * DAY;
    oldest = Math.min(oldest, before);
    const held = heldPlates.get(agencyId) ?? [];
    const sum: PurgeCertificate = {
      agencyId,
      before,
      reads: 0,
      images: 0,
      plates: 0,
      alertImages: 0,
      held: 0,
    };
    for (const database of app.readsDatabases) {
      const purged = await purgeReadsOf({ database, images: app.images }, { agencyId, before, held });
      sum.reads += purged.reads;
      sum.images += purged.images;
      sum.plates += purged.plates;
      if (held.length > 0) sum.held += await countReadsBefore(database, agencyId, before);
    }
    sum.alertImages = await purgeAlertImages(
      { db: app.db, images: app.images },
      { agencyId, before, heldCases: [...(heldCases.get(agencyId) ?? [])] },
    );
    if (sum.reads + sum.alertImages === 0) continue;
    await certify(app, sum);
    certificates.push(sum);
  }
  await purgeStrayImages({ databases: app.readsDatabases, images: app.images }, utcDay(oldest));
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
