// What backup and restore share: the installation's databases and buckets by binding name, the agency whose audit log
// gets system events, and the limits of a step.

import type { AppContext } from "#app/context.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { findUserByName } from "#app/store/accounts/sign-in.ts";
import type { Buckets, Pool } from "#app/store/operations/backup-pool.ts";

/** How long a step works before the next one continues, and its share of D1's 1,000 queries per invocation. */
export type StepLimits = { ms: number; units: number };
/** The limits of one step of a backup or a restore. */
export const STEP: StepLimits = { ms: 20 * SECOND, units: 150 };

/** Maximum number of queries per unit. */
const QUERIES_A_UNIT = 5;

/** Returns the units that a number of queries costs. */
export const unitsOf = (queries: number) => Math.ceil(queries / QUERIES_A_UNIT);

/** Counts the work of a step. A unit is at most about five queries, or 500 objects. */
export function createBudget(limits: StepLimits) {
  const until = Date.now() + limits.ms;
  let left = limits.units;
  return {
    spend: (units = 1): void => {
      left -= units;
    },
    isLeft: (): boolean => left > 0 && Date.now() < until,
  };
}
export type Budget = ReturnType<typeof createBudget>;

/** Returns the control database and the databases of reads, by binding name. */
export function databasesOf(app: Pick<AppContext, "db" | "places">) {
  return [{ name: "DB", database: app.db.$client as D1Database }, ...app.places.databases];
}

/** Returns a database by its binding name. Throws if the installation has none of that name. */
export function databaseNamed(app: Pick<AppContext, "db" | "places">, name: string): D1Database {
  const found = databasesOf(app).find((one) => one.name === name);
  if (!found) throw new Error(`there is no database ${name}`);
  return found.database;
}

/** Returns the buckets whose objects a backup copies, by the name of their binding. */
export function bucketsOf(app: Pick<AppContext, "images" | "attachments" | "audits" | "results">): Buckets {
  return { IMAGES: app.images, ATTACHMENTS: app.attachments, AUDITS: app.audits, RESULTS: app.results };
}

/** Returns the bucket of the copied objects, and the keys that they are encrypted with. */
export function poolOf(app: Pick<AppContext, "backups" | "config">): Pool {
  return { backups: app.backups, keys: app.config.sealingKeys };
}

/** Returns the location of a backup's files, and the keys that they are encrypted with. */
export function filesOf(app: Pick<AppContext, "backups" | "config">, id: string) {
  return { bucket: app.backups, keys: app.config.sealingKeys, id };
}

/** Returns the id of the agency whose audit log gets system events: the owner's, or "" if there is none. */
export async function ownerAgencyId(app: Pick<AppContext, "db" | "config">): Promise<string> {
  return (await findUserByName(app.db, app.config.ownerUsername))?.agencyId ?? "";
}
