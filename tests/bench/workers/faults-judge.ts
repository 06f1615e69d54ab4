// Compares the result of the bench `faults` with what its world expects: alerts, deliveries, kept reads and pictures,
// before and after the cleanup that deletes unreferenced pictures.

import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import { purgeExpired } from "#app/domain/operations/retention.ts";
import { purgeOldRecords, RUNS_EVERY } from "#app/domain/operations/retention-records.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import type { ReadCipher } from "#app/store/archive/cipher.ts";
import { objectsOf, readImage } from "#app/store/archive/images.ts";
import { openRead } from "#app/store/archive/rows.ts";
import { isPictureOf } from "./faults-posts.ts";
import { alertName, type FaultWorld } from "./faults-world.ts";

/** Longer than any agency keeps reads, and shorter than alerts are kept. */
const LONG_AFTER = 100 * DAY;
/** Runs of the cleanup cron that cover every day of pictures once. */
const RUNS = 5;
const AT_ONCE = 6;

type Alert = {
  id: string;
  program: string;
  group: string;
  listed: string;
  read: string;
  at: number;
  vehicle: string | null;
  plate: string | null;
};

export type Judged = {
  alerts: { due: number; lost: number; wrong: number };
  reads: { kept: number; lost: number; doubled: number; axon: number };
  /** Members of a group without their two rows for one of its alerts. */
  untold: number;
  open: Open;
  pictures: {
    /** Referenced by an alert or a kept read, but missing. */
    gone: number;
    /** Alerts with fewer than two pictures, although the webhook received both. */
    missing: number;
    /** Alerts of Axon reads with fewer than two pictures. */
    axonMissing: number;
    /** Show another car. */
    wrong: number;
    /** Unreferenced when the simulation ended. */
    stray: number;
    /** Deleted as unreferenced, although an alert references them. */
    robbed: number;
    /** Left after the cleanup. */
    left: number;
  };
  /** Days whose keys are left after the cleanup. */
  keysLeft: number;
};

const OPEN = {
  deliveries: "SELECT count(*) AS n FROM deliveries WHERE state NOT IN ('delivered', 'suppressed', 'dead')",
  alerts: "SELECT count(*) AS n FROM alerts WHERE fanned_out_at IS NULL",
  pictures: "SELECT count(*) AS n FROM alerts WHERE vendor_images IS NOT NULL",
  polls: "SELECT count(*) AS n FROM poll_cursors WHERE cursor < ?",
};

export type Open = Record<keyof typeof OPEN, number>;

/** Counts unfinished deliveries, alerts and pictures, and integrations not yet polled up to `askedUntil`. */
export async function countOpen(db: D1Database, askedUntil: number): Promise<Open> {
  const open: Open = { deliveries: 0, alerts: 0, pictures: 0, polls: 0 };
  for (const name of Object.keys(OPEN) as (keyof Open)[]) {
    const values = name === "polls" ? [isoTime(askedUntil)] : [];
    open[name] =
      (await db
        .prepare(OPEN[name])
        .bind(...values)
        .first<number>("n")) ?? 0;
  }
  return open;
}

/** Checks a finished simulation. Runs the cleanup, which deletes reads and pictures. */
export async function judgeSimulation(
  env: Env,
  simulation: { world: FaultWorld; window: { from: number; to: number }; now: number },
): Promise<Judged> {
  const { world, window, now } = simulation;
  const appAt = (at: number) => createAppContext(env, { waitUntil: () => {} }, () => at);
  const app = appAt(now);
  const alerts = await listAlerts(env.DB);
  const judged = alerts.filter(
    ({ program, at }) => program !== "Axon" || (at >= window.from && at <= window.to),
  );
  const { expected } = world;
  const made = new Map<string, number>();
  for (const alert of judged) made.set(alertName(alert), (made.get(alertName(alert)) ?? 0) + 1);
  const beyond = (some: Map<string, number>, others: Map<string, number>) =>
    [...some].reduce((sum, [name, count]) => sum + Math.max(0, count - (others.get(name) ?? 0)), 0);

  const reads = await openReads(app, world.agencies);
  const objects = await listKeys(env.IMAGES);
  const named = objectsOf([...alerts, ...reads].flatMap(picturesOf));
  const strays = without(objects, named);
  const wrong = await countWrong(env.IMAGES, alerts);

  // Counted before the cleanup, which deletes these too.
  const untold = await env.DB.prepare(UNTOLD).first<number>("n");
  const open = await countOpen(env.DB, window.to);
  // After days, the cleanup deletes unreferenced pictures; after weeks, all of them.
  await cleanUp(appAt, now + 4 * DAY, [purgeOldRecords]);
  const swept = new Set(await listKeys(env.IMAGES));
  const robbed = objectsOf(alerts.flatMap(picturesOf)).filter(
    (key) => objects.includes(key) && !swept.has(key),
  );
  await cleanUp(appAt, now + LONG_AFTER, [purgeExpired, purgeOldRecords]);
  const rings = await Promise.all(world.agencies.map((id) => app.readKeys.of(id, { fresh: true })));

  const plates = reads.map(({ read }) => read);
  return {
    alerts: {
      due: [...expected.values()].reduce((sum, count) => sum + count, 0),
      lost: beyond(expected, made),
      wrong: beyond(made, expected),
    },
    reads: {
      kept: reads.length,
      lost: without(world.kept, plates).length,
      doubled: plates.length - new Set(plates).size,
      axon: world.axonReads,
    },
    untold: untold ?? 0,
    open,
    pictures: {
      gone: without(named, objects).length,
      missing: alerts.filter((alert) => alert.program !== "Axon" && picturesOf(alert).length < 2).length,
      axonMissing: alerts.filter((alert) => alert.program === "Axon" && picturesOf(alert).length < 2).length,
      wrong,
      stray: strays.length,
      robbed: robbed.length,
      left: (await listKeys(env.IMAGES)).length,
    },
    keysLeft: rings.reduce((sum, { days }) => sum + days.length, 0),
  };
}

/** Returns the distinct values of `some` that `others` lacks. */
function without(some: Iterable<string>, others: Iterable<string>): string[] {
  const had = new Set(others);
  return [...new Set(some)].filter((one) => !had.has(one));
}

const UNTOLD = `SELECT count(*) AS n FROM alerts a JOIN alert_group_members m ON m.group_id = a.group_id WHERE
  (SELECT count(*) FROM deliveries d WHERE d.alert_id = a.id AND d.user_id = m.user_id) <> 2`;

const picturesOf = ({ vehicle, plate }: { vehicle: string | null; plate: string | null }) =>
  [vehicle, plate].filter((key) => key !== null);

async function listAlerts(db: D1Database): Promise<Alert[]> {
  const { results } = await db
    .prepare(
      `SELECT id, program, group_id AS "group", listed_plate AS listed, plate AS read, captured_at AS at,
        vehicle_image_key AS vehicle, plate_image_key AS plate FROM alerts`,
    )
    .all<Alert>();
  return results;
}

type KeptRead = { read: string; vehicle: string | null; plate: string | null };

/** Returns all archived reads, decrypted with the keys of the agencies. */
async function openReads(app: AppContext, agencies: string[]): Promise<KeptRead[]> {
  const ciphers = new Map<number, ReadCipher>();
  for (const agency of agencies) {
    const ring = await app.readKeys.of(agency, { fresh: true });
    for (const day of ring.days) {
      const cipher = (await ring.ofDay(day)) as ReadCipher;
      ciphers.set(cipher.id, cipher);
    }
  }
  const reads: KeptRead[] = [];
  for (const database of app.readsDatabases)
    for (let after = 0; ; ) {
      const { results } = await database
        .prepare(
          "SELECT id, key_id, captured_at, sealed FROM sealed_reads WHERE id > ? ORDER BY id LIMIT 2000",
        )
        .bind(after)
        .all<{ id: number; key_id: number; captured_at: number; sealed: string }>();
      const opened = await Promise.all(
        results.map((row) => openRead(ciphers.get(row.key_id) as ReadCipher, row)),
      );
      for (const { plate, vehicleImageKey, plateImageKey } of opened)
        reads.push({ read: plate, vehicle: vehicleImageKey, plate: plateImageKey });
      const last = results.at(-1);
      if (!last) break;
      after = last.id;
    }
  return reads;
}

async function listKeys(bucket: R2Bucket): Promise<string[]> {
  const keys: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: R2Objects = await bucket.list(cursor ? { cursor } : {});
    keys.push(...page.objects.map(({ key }) => key));
    if (!page.truncated) return keys;
    cursor = page.cursor;
  }
}

/** Counts pictures of webhook alerts that show another car; missing pictures are counted elsewhere. */
async function countWrong(images: R2Bucket, alerts: Alert[]): Promise<number> {
  const waiting = alerts
    .filter(({ program }) => program !== "Axon")
    .flatMap((alert) => picturesOf(alert).map((key) => ({ key, read: alert.read })))
    .values();
  let wrong = 0;
  const hand = async () => {
    for (const { key, read } of waiting) {
      const bytes = await readImage(images, key);
      if (bytes && !isPictureOf(bytes, read)) wrong += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, hand));
  return wrong;
}

async function cleanUp(
  appAt: (at: number) => AppContext,
  from: number,
  jobs: ((app: AppContext) => Promise<unknown>)[],
): Promise<void> {
  for (let run = 0; run < RUNS; run++) for (const job of jobs) await job(appAt(from + run * RUNS_EVERY));
}
