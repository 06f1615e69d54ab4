import { beforeEach, describe, expect, it } from "vitest";
import type { Env } from "#app/context.ts";
import { fanOutAlerts } from "#app/domain/alerts/fan-out.ts";
import { NO_ANSWER, type PushMessage } from "#app/entities/alerts/push.ts";
import { at } from "#app/lib/at.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { takeBatch } from "../../../workers/queue.ts";
import { databaseThrough } from "../../../workers/wrapped-bindings.ts";
import { anAlert, bindings, newAgency, unique, vendors } from "../../factories.ts";
import {
  deliveriesOf,
  fanOutAlert,
  giveDevices,
  insertUsers,
  newGroup,
  newPushGroup,
  newToken,
  pushes,
  pushWorld,
  wantsPushes,
} from "../../support/fan-out.ts";
import { expectLogged } from "../../support/quiet-console.ts";

beforeEach(async () => {
  await vendors.setFaults();
  await vendors.clearCalls();
  await pushes.clear();
});

const alertJob = (id: string) => ({ v: 1, type: "alert", id });

/** Passes a batch to the queue consumer, as Queues does. Returns the outcome of each message. */
async function take(env: Env, queue: string, ...bodies: unknown[]) {
  const done: { acked: number[]; retried: number[]; all: string } = { acked: [], retried: [], all: "" };
  const messages = bodies.map((body, i) => ({
    id: unique("message"),
    timestamp: new Date(),
    attempts: 1,
    body,
    ack: () => void done.acked.push(i),
    retry: () => void done.retried.push(i),
  }));
  const batch = {
    queue,
    messages,
    ackAll: () => {
      done.all = "acked";
    },
    retryAll: ({ delaySeconds }: { delaySeconds: number }) => {
      done.all = `again after ${delaySeconds} s`;
    },
  };
  await takeBatch(batch as unknown as MessageBatch, env, { waitUntil: () => {} });
  return done;
}

/** Returns a database whose every call fails. */
function brokenDatabase(): D1Database {
  return databaseThrough(bindings.DB, async () => {
    throw new Error("D1_ERROR: overloaded");
  });
}

async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await isTrue()); ) {
    if (Date.now() > end) throw new Error("it did not come to that");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const statesOf = async (alertId: string, channel: string) =>
  (await deliveriesOf(alertId, channel)).map(({ state }) => state);

/** Creates a member of a new group with `count` browsers at one push service. */
async function browserMember(app: ReturnType<ReturnType<typeof pushWorld>["app"]>, count: number) {
  const agency = await newAgency();
  const user = at(await insertUsers(agency.id, 1), 0);
  const group = await newGroup(agency.id, [user]);
  await wantsPushes(app, user);
  const subscriptions = await Promise.all(Array.from({ length: count }, () => pushes.subscription()));
  await giveDevices(
    app,
    subscriptions.map((one) => ({
      userId: user,
      channel: "webpush" as const,
      address: JSON.stringify(one),
      known: one.endpoint,
    })),
  );
  return { group, user };
}

describe("a batch of alerts", () => {
  it("reaches every live list and every working device before unresponsive devices are given up", async () => {
    const { app, env } = pushWorld();
    const slow = await newPushGroup(app(), 12);
    const quick = await newPushGroup(app(), 1);
    await vendors.setFaults(
      ...slow.members.map(
        ({ tokens }) => ({ program: "apns", agencyId: at(tokens, 0), kind: "hold" }) as const,
      ),
    );
    const [first, second] = [await anAlert(slow.group), await anAlert(quick.group)];
    const taking = take(env, "odin-alerts", alertJob(first.id), alertJob(second.id));
    await waitUntil(async () => (await statesOf(second.id, "live")).length === 1);
    expect((await statesOf(first.id, "live")).length).toBe(12);
    expect(new Set(await statesOf(first.id, "apns"))).toEqual(new Set(["pending"]));
    expect((await taking).acked).toEqual([0, 1]);
    const [given, reached] = [await deliveriesOf(first.id, "apns"), await deliveriesOf(second.id, "apns")];
    expect(given.map(({ state, reason }) => `${state} ${reason}`)).toEqual(
      Array(12).fill("pending No answer"),
    );
    expect(reached).toMatchObject([{ state: "delivered" }]);
    expect(at(reached, 0).updated_at).toBeLessThan(Math.min(...given.map(({ updated_at }) => updated_at)));
  });

  it("skips a push service that does not answer, and calls it again at the next attempt", async () => {
    const { app, queue, time, env } = pushWorld({ VAPID_KEYS: bindings.EXPORT_SIGNING_KEYS });
    const silent = await browserMember(app(), 10);
    const quick = await newPushGroup(app(), 10);
    await vendors.setFaults({ program: "webpush", kind: "hold" });
    const alerts = [await anAlert(silent.group), await anAlert(silent.group), await anAlert(quick.group)];
    await take(env, "odin-alerts", ...alerts.map(({ id }) => alertJob(id)));
    // The number of calls in progress when the second one failed.
    expect((await vendors.calls()).webpush).toBeLessThanOrEqual(7);
    for (const { id } of alerts.slice(0, 2))
      expect(await deliveriesOf(id, "webpush")).toMatchObject([{ state: "pending", reason: "No answer" }]);
    expect(await statesOf(alerts[2]?.id ?? "", "apns")).toEqual(Array(10).fill("delivered"));
    await vendors.setFaults();
    for (let message = queue.take(); message; message = queue.take()) {
      time.now += MINUTE;
      await fanOutAlert(app(), message.body.id);
    }
    for (const { id } of alerts.slice(0, 2)) expect(await statesOf(id, "webpush")).toEqual(["delivered"]);
  });

  it("skips no push service that answers now and then", async () => {
    const { app } = pushWorld();
    const { group } = await newPushGroup(app(), 12);
    const alert = await anAlert(group);
    let calls = 0;
    const faulty = app();
    faulty.push.apns = async () =>
      calls++ % 2 === 0 ? { kind: "later", reason: NO_ANSWER } : { kind: "delivered" };
    await fanOutAlert(faulty, alert.id);
    expect(calls).toBe(12);
  });

  it("is processed per alert: an alert that fails does not delay the others", async () => {
    const { app, env } = pushWorld();
    const { group } = await newPushGroup(app(), 1);
    const [good, bad] = [await anAlert(group), await anAlert(group)];
    expectLogged(/^job message-.* failed, attempt 1/);
    const DB = new Proxy(bindings.DB, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "prepare") return typeof value === "function" ? value.bind(target) : value;
        return (sql: string) => {
          const statement = target.prepare(sql);
          const bind = statement.bind.bind(statement);
          statement.bind = (...values) => {
            if (sql.startsWith('select "id", "group_id"') && values[0] === bad.id)
              throw new Error("D1_ERROR");
            return bind(...values);
          };
          return statement;
        };
      },
    });
    const done = await take({ ...env, DB }, "odin-alerts", alertJob(bad.id), alertJob(good.id));
    expect(done).toMatchObject({ acked: [1], retried: [0] });
    expect(await statesOf(good.id, "apns")).toEqual(["delivered"]);
  });

  it("that fails while it is sent is only retried, not queued by a new message too", async () => {
    const { app, queue } = pushWorld();
    const { group } = await newPushGroup(app(), 1);
    const alert = await anAlert(group);
    const dying = app();
    dying.push.apns = async () => {
      throw new Error("the isolate is gone");
    };
    expect([...(await fanOutAlerts(dying, [alert.id])).keys()]).toEqual([alert.id]);
    expect(queue.messages).toEqual([]);
  });

  it("claims at most as many pushes as it can send within its lease", async () => {
    const world = pushWorld();
    const { group, members } = await newPushGroup(world.app(), 20);
    const more = members.flatMap(({ id }) =>
      Array.from({ length: 9 }, () => ({ userId: id, channel: "apns" as const, address: newToken() })),
    );
    await giveDevices(world.app(), more);
    const alert = await anAlert(group);
    const app = world.app();
    const leased: number[] = [];
    app.push.apns = async () => {
      const rows = await deliveriesOf(alert.id, "apns");
      leased.push(rows.filter(({ state, attempts }) => state === "pending" && attempts > 0).length);
      return { kind: "delivered" };
    };
    await fanOutAlerts(app, [alert.id]);
    // Ten phones each, two rounds of seven groups of six sends, five seconds per send: within 75 seconds of the lease.
    expect(Math.max(...leased)).toBeLessThanOrEqual(8);
    expect(leased.length).toBe(200);
    expect(await statesOf(alert.id, "apns")).toEqual(Array(20).fill("delivered"));
  });

  it("starts no push when its lease is about to end", async () => {
    const world = pushWorld();
    const { group } = await newPushGroup(world.app(), 7);
    const alert = await anAlert(group);
    const app = world.app();
    let sent = 0;
    app.push.apns = async () => {
      sent += 1;
      world.time.now += 80_000;
      return { kind: "delivered" };
    };
    await fanOutAlerts(app, [alert.id]);
    expect(sent).toBe(1);
    const waiting = (await deliveriesOf(alert.id, "apns")).filter(({ state }) => state === "pending");
    expect(waiting.length).toBe(6);
  });

  it("queues a new message for the pushes that it cannot send in time", async () => {
    const world = pushWorld();
    const { group } = await newPushGroup(world.app(), 800);
    const alert = await anAlert(group);
    const app = world.app();
    const ids: string[] = [];
    app.push.apns = async (_, { id }: PushMessage) => {
      ids.push(id);
      return { kind: "delivered" };
    };
    await fanOutAlerts(app, [alert.id]);
    expect(ids.length).toBeLessThan(800);
    expect(world.queue.messages).toEqual([{ body: alertJob(alert.id), at: world.time.now }]);
    await fanOutAlerts(app, [alert.id]);
    expect(new Set(await statesOf(alert.id, "apns"))).toEqual(new Set(["delivered"]));
    expect([ids.length, new Set(ids).size]).toEqual([800, 800]);
  });
});

describe("a batch of failed jobs", () => {
  beforeEach(async () => {
    await bindings.DB.prepare("delete from dead_jobs").run();
  });

  it("is retried while the database fails, and stored once it works", async () => {
    const { env } = pushWorld();
    expectLogged(/^failed jobs wait/);
    const jobs = [alertJob("a1"), alertJob("a2")];
    const broken = { ...env, DB: brokenDatabase() };
    expect((await take(broken, "odin-jobs-dead", ...jobs)).all).toBe("again after 300 s");
    expect((await take(env, "odin-jobs-dead", ...jobs)).all).toBe("acked");
    const { results } = await bindings.DB.prepare("select body from dead_jobs").all<{ body: string }>();
    expect(results.map(({ body }) => JSON.parse(body).id).sort()).toEqual(["a1", "a2"]);
  });
});

describe("during a restore", () => {
  const RESTORE_TOKEN = "r".repeat(43);

  it.each([["odin-jobs"], ["odin-exports"], ["odin-alerts"]])(
    "messages of %s are delayed without using up an attempt",
    async (name) => {
      const put: unknown[] = [];
      const Q = { sendBatch: async (list: unknown[]) => void put.push(...list) } as unknown as Env["JOBS"];
      const binding = { "odin-jobs": "JOBS", "odin-exports": "EXPORTS", "odin-alerts": "ALERTS" }[name] ?? "";
      const { env } = pushWorld({ RESTORE_TOKEN, ...({ [binding]: Q } as object) });
      expect((await take(env, name, alertJob("a1"), { not: "ours" })).all).toBe("acked");
      expect(put).toEqual(
        [alertJob("a1"), { not: "ours" }].map((body) => ({ body, contentType: "json", delaySeconds: 600 })),
      );
    },
  );

  it("messages that the queue rejects are retried later", async () => {
    const { env, queue } = pushWorld({ RESTORE_TOKEN });
    expectLogged(/could not be delayed/);
    queue.isDown = true;
    expect((await take(env, "odin-alerts", alertJob("a1"))).all).toBe("again after 600 s");
  });

  it("failed jobs stay in the dead-letter queue", async () => {
    const { env } = pushWorld({ RESTORE_TOKEN });
    expect((await take(env, "odin-jobs-dead", alertJob("a1"))).all).toBe("again after 600 s");
  });
});
