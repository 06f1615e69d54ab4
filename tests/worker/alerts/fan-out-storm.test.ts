import { beforeEach, describe, expect, it } from "vitest";
import { announceAlerts, sweepAlerts } from "#app/domain/alerts/fan-out.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import type { Fault } from "../../../workers/vendors/faults.ts";
import { anAlert, bindings, vendors } from "../../factories.ts";
import {
  type DeliveryRow,
  fanOutAlert,
  newPushGroup,
  pushes,
  pushWorld,
  type Taken,
} from "../../support/fan-out.ts";
import { faultyD1, seeded, shuffled } from "../../support/faults.ts";
import { expectLogged } from "../../support/quiet-console.ts";

beforeEach(async () => {
  await vendors.setFaults();
  await pushes.clear();
});

/** Number of deliveries before the queue moves a message to the dead-letter queue. */
const QUEUE_RETRIES = 5;

type Storm = { seed: number; sizes: number[] };

/**
 * Delivers alerts while everything fails at random: the database before and after a write, isolates that die between
 * push and acknowledgment, a queue that repeats messages up to five times, reorders, loses and rejects them, and a push
 * service with all kinds of responses. Runs until no work is left.
 */
async function storm({ seed, sizes }: Storm) {
  const random = seeded(seed);
  const calm = pushWorld();
  const groups: Awaited<ReturnType<typeof newPushGroup>>[] = [];
  for (const size of sizes) groups.push(await newPushGroup(calm.app(), size));
  const alerts = await Promise.all(groups.map(({ group }) => anAlert(group)));
  const devices = groups.flatMap(({ members }) => members.flatMap(({ tokens }) => tokens));
  const faults: Fault[] = devices
    .filter(() => random() < 0.1)
    .map((agencyId, i) => {
      const common = { program: "apns", agencyId } as const;
      if (i % 4 === 0) return { ...common, kind: "status", code: 429, retryAfter: 5, times: 1 };
      if (i % 4 === 1) return { ...common, kind: "status", code: 500 };
      if (i % 4 === 2) return { ...common, kind: "lostAnswer", times: 2 };
      return { ...common, kind: "status", code: 503, times: 3 };
    });
  await vendors.setFaults(...faults);

  const db = faultyD1(bindings.DB, { random, rate: 0.05, deaths: 0.02 });
  const { app, queue, time } = pushWorld({ DB: db.database });
  await announceAlerts(
    app(),
    alerts.map(({ id }) => id),
  );
  const began = time.now;
  let [cron, worst] = [began + MINUTE, 0];
  const attempts = new Map<object, number>();
  // Limits the longest delay, so that the test ends.
  while (time.now < began + 15 * MINUTE) {
    const next = queue.messages.length > 0 ? Math.min(...queue.messages.map(({ at }) => at)) : cron;
    time.now = Math.max(time.now, Math.min(next, cron));
    if (time.now >= cron) {
      cron += MINUTE;
      db.revive();
      await sweepAlerts(app()).catch(() => {});
      const { results } = await bindings.DB.prepare(
        "select count(*) as count from deliveries where state = 'pending' and created_at < ?",
      )
        .bind(time.now - 11 * MINUTE)
        .all<{ count: number }>();
      worst = Math.max(worst, results[0]?.count ?? 0);
      const left = await bindings.DB.prepare(
        `select (select count(*) from deliveries where state = 'pending') +
          (select count(*) from alerts where fanned_out_at is null) as count`,
      ).first<{ count: number }>();
      if (left?.count === 0 && queue.messages.length === 0) break;
    }
    const due = queue.messages.filter(({ at }) => at <= time.now);
    for (const message of shuffled(due, random)) {
      queue.messages.splice(queue.messages.indexOf(message), 1);
      if (random() < 0.05) continue;
      const copies = random() < 0.2 ? 1 + Math.floor(random() * 5) : 1;
      for (let copy = 0; copy < copies; copy++) {
        db.revive();
        queue.isDown = random() < 0.05;
        try {
          await fanOutAlert(app(), message.body.id);
        } catch {
          const made = (attempts.get(message.body) ?? 0) + 1;
          attempts.set(message.body, made);
          if (made <= QUEUE_RETRIES) queue.messages.push({ ...message, at: time.now + 2 ** made * SECOND });
        } finally {
          queue.isDown = false;
        }
      }
      time.now += 5;
    }
  }
  const ids = JSON.stringify(alerts.map(({ id }) => id));
  const { results: rows } = await bindings.DB.prepare(
    "select * from deliveries where alert_id in (select value from json_each(?))",
  )
    .bind(ids)
    .all<DeliveryRow & { alert_id: string }>();
  return { alerts, groups, rows, taken: await pushes.taken(), failed: db.failed, worst, faults };
}

function idsByDevice(taken: Taken[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { device, collapse, id } of taken) {
    const key = `${device} ${collapse}`;
    ids.set(key, (ids.get(key) ?? new Set()).add(id));
  }
  return ids;
}

describe("alerts under random faults", () => {
  it.each<Storm>([
    { seed: 1, sizes: [0, 1, 2, 24, 25, 60] },
    { seed: 2, sizes: [1200] },
    { seed: 3, sizes: [500] },
  ])(
    "every member of $sizes is notified once, and every row reaches a final state (seed $seed)",
    async (plan) => {
      expectLogged(/the sweep/, /no token for Apple's push service/);
      const { alerts, groups, rows, taken, failed, worst, faults } = await storm(plan);
      // Checks that faults occurred: a run without faults would prove nothing.
      expect(failed.before).toBeGreaterThan(0);
      expect(failed.after).toBeGreaterThan(0);
      expect(faults.length).toBeGreaterThan(0);

      const ends = new Set(["delivered", "suppressed", "dead"]);
      expect(rows.filter(({ state }) => !ends.has(state))).toEqual([]);
      expect(worst).toBe(0);
      for (const [i, { members }] of groups.entries()) {
        const own = rows.filter((row) => row.alert_id === alerts[i]?.id && row.channel === "apns");
        expect(own.map(({ user_id }) => user_id).sort()).toEqual(members.map(({ id }) => id).sort());
      }
      for (const ids of idsByDevice(taken).values()) expect(ids.size).toBe(1);

      const reached = new Set(taken.map(({ device, collapse }) => `${device} ${collapse}`));
      const tokenOf = new Map(
        groups.flatMap(({ members }) => members.map(({ id, tokens }) => [id, tokens[0]])),
      );
      const delivered = rows.filter(({ channel, state }) => channel === "apns" && state === "delivered");
      const unreached = delivered.filter(
        (row) => !reached.has(`${tokenOf.get(row.user_id)} ${row.alert_id}`),
      );
      expect(unreached).toEqual([]);
      // A tenth of the devices have faults of their own, and more lose their attempts to the faults of the database.
      expect(delivered.length).toBeGreaterThan(0.8 * tokenOf.size);
    },
    120_000,
  );
});
