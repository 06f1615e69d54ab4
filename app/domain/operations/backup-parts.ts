// What every part of backup and restore needs to know of the installation: its databases and buckets by the names of
// their bindings, who answers for what nobody asked for, and how long one step may take.

import type { AppContext } from "#app/context.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { findUserByName } from "#app/store/accounts/sign-in.ts";
import type { Buckets, Pool } from "#app/store/operations/backup-pool.ts";

/** How long a step works before it hands over to the next, and what it may ask of D1 (1,000 queries an invocation). */
export type StepLimits = { ms: number; units: number };
export const STEP: StepLimits = { ms: 20 * SECOND, units: 150 };

/** Counts what a step does: each unit is some five queries at most, or five hundred objects. */
export function createBudget(limits: StepLimits) {
  const until = Date.now() + limits.ms;
  let left = limits.units;
  return {
    spend: (): void => {
      left--;
    },
    isLeft: (): boolean => left > 0 && Date.now() < until,
  };
}
export type Budget = ReturnType<typeof createBudget>;

export function databasesOf(app: Pick<AppContext, "db" | "readsDatabases">) {
  return [
    { name: "DB", database: app.db.$client as D1Database },
    ...app.readsDatabases.map((database, n) => ({ name: `READS_${n}`, database })),
  ];
}

export function bucketsOf(app: Pick<AppContext, "images" | "attachments" | "audits" | "results">): Buckets {
  return { IMAGES: app.images, ATTACHMENTS: app.attachments, AUDITS: app.audits, RESULTS: app.results };
}

export function poolOf(app: Pick<AppContext, "backups" | "config">): Pool {
  return { backups: app.backups, keys: app.config.sealingKeys };
}

/** Where a backup's files are, and the keys that they are sealed with. */
export function filesOf(app: Pick<AppContext, "backups" | "config">, id: string) {
  return { bucket: app.backups, keys: app.config.sealingKeys, id };
}

/** The agency whose audit log has the acts of the installation itself: the owner's. */
export async function ownerAgencyId(app: Pick<AppContext, "db" | "config">): Promise<string> {
  return (await findUserByName(app.db, app.config.ownerUsername))?.agencyId ?? "";
}
