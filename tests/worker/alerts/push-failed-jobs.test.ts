import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sweepAlerts } from "#app/domain/alerts/fan-out.ts";
import { keepFailedJobs } from "#app/domain/operations/dead-letter-queue.ts";
import {
  discardFailedJobs,
  retryFailedJobs,
  sweepFailedJobs,
  viewFailedJobs,
} from "#app/domain/operations/failed-jobs.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { FailedJobs } from "#app/entities/operations/failed-job.ts";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import {
  actorOf,
  anAlert,
  auditOf,
  bindings,
  type Client,
  client,
  newWorld,
  testApp,
  unique,
  vendors,
  type World,
} from "../../factories.ts";
import { deliveriesOf, fanOutAlert, newPushGroup, pushes, pushWorld } from "../../support/fan-out.ts";
import { expectLogged } from "../../support/quiet-console.ts";

let world: World;
let owner: Client;
let actor: Actor;

beforeAll(async () => {
  world = await newWorld();
  owner = await client(world.users.owner);
  actor = await actorOf(owner);
});

beforeEach(async () => {
  await vendors.setFaults();
  await pushes.clear();
  await bindings.DB.prepare("delete from dead_jobs").run();
  await bindings.DB.prepare("delete from deliveries").run();
});

async function storeFailedJobs(bodies: unknown[], over: { timestamp?: Date } = {}): Promise<string[]> {
  const messages = bodies.map((body) => ({
    id: unique("message"),
    body,
    attempts: 6,
    timestamp: new Date(),
    ...over,
  }));
  await keepFailedJobs(testApp(), { queue: "odin-jobs-dead", messages });
  return messages.map(({ id }) => id);
}

const job = (type: string, id = unique("thing")) => ({ v: 1, type, id });

/** Returns an app that records every message to its queues. */
function watched() {
  const sent: { jobs: unknown[]; exports: unknown[]; down: boolean } = { jobs: [], exports: [], down: false };
  const queueOf = (list: unknown[]) =>
    ({
      sendBatch: async (batch: { body: unknown }[]) => {
        if (sent.down) throw new Error("the queue is down");
        list.push(...batch.map(({ body }) => body));
      },
    }) as unknown as ReturnType<typeof pushWorld>["env"]["JOBS"];
  const all = pushWorld({ JOBS: queueOf(sent.jobs), EXPORTS: queueOf(sent.exports) });
  return { ...all, sent };
}

describe("failed jobs", () => {
  it("are listed by kind and age, without their content", async () => {
    await storeFailedJobs([job("export", "exp-1"), { plate: "AB12345" }]);
    const failed: FailedJobs = await (await owner.fetch("/dead-jobs/data")).json();
    expect(failed.jobs.map(({ type, attempts }) => [type, attempts]).sort()).toEqual([
      ["export", 6],
      ["unreadable", 6],
    ]);
    expect(failed.jobs_total).toBe(2);
    expect(JSON.stringify(failed)).not.toMatch(/AB12345|exp-1/);
    const page = await (await owner.fetch("/dead-jobs")).text();
    expect(page).toContain("Failed Jobs");
    expect(page).not.toContain("AB12345");
  });

  it("are retried once, in their own queue, even if several users retry them concurrently", async () => {
    const { app, queue, sent } = watched();
    const ids = await storeFailedJobs([job("export"), job("alert"), job("hotlist-import")]);
    const choice = { kind: "jobs", ids } as const;
    const answers = await Promise.all([1, 2, 3].map(() => retryFailedJobs(app(), actor, choice)));
    expect(answers.reduce((sum, { jobs }) => sum + jobs, 0)).toBe(3);
    expect([sent.exports.length, queue.messages.length, sent.jobs.length]).toEqual([1, 1, 1]);
    expect((await retryFailedJobs(app(), actor, { kind: "all" })).jobs).toBe(0);
    expect([sent.exports.length, queue.messages.length, sent.jobs.length]).toEqual([1, 1, 1]);
    expect((await viewFailedJobs(app())).jobs_total).toBe(0);
    const [row] = await auditOf(world.users.owner);
    expect(row).toMatchObject({ action: "dead-jobs.drive", outcome: "ok" });
    expect(JSON.parse(row?.detail ?? "{}")).toEqual({ jobs: expect.arrayContaining(ids) });
  });

  it("that cannot be read stay, and the answer says so instead of naming another user", async () => {
    const { app } = watched();
    const ids = await storeFailedJobs([{ plate: "AB12345" }]);
    for (const choice of [{ kind: "jobs", ids } as const, { kind: "all" } as const])
      expect(await retryFailedJobs(app(), actor, choice)).toEqual({
        msg: "Nothing was retried. Messages that cannot be read can only be discarded.",
        jobs: 0,
        sends: 0,
      });
    expect((await viewFailedJobs(app())).jobs_total).toBe(1);
    expect((await discardFailedJobs(app(), actor, { kind: "all" })).msg).toBe("1 job discarded");
    expect((await retryFailedJobs(app(), actor, { kind: "jobs", ids })).msg).toMatch(/another user/);
  });

  it("that were retried are not listed again when the dead-letter queue redelivers them", async () => {
    const { app } = watched();
    const id = at(await storeFailedJobs([job("export")]), 0);
    await retryFailedJobs(app(), actor, { kind: "jobs", ids: [id] });
    const again = { id, body: job("export"), attempts: 6, timestamp: new Date() };
    await keepFailedJobs(app(), { queue: "odin-jobs-dead", messages: [again] });
    expect((await viewFailedJobs(app())).jobs_total).toBe(0);
  });

  it("are listed once if cron queued the same alert again while the database did not answer", async () => {
    const { app, queue } = watched();
    const [own, other] = [job("alert"), job("alert")];
    await storeFailedJobs([own, own, other]);
    await storeFailedJobs([own, { plate: "AB12345" }, { plate: "AB12345" }]);
    const { jobs, jobs_total } = await viewFailedJobs(app());
    expect(jobs.map(({ type }) => type).sort()).toEqual(["alert", "alert", "unreadable", "unreadable"]);
    expect(jobs_total).toBe(4);
    expect((await retryFailedJobs(app(), actor, { kind: "all" })).jobs).toBe(2);
    expect(queue.messages.map(({ body }) => body.id).sort()).toEqual([own.id, other.id].sort());
    // A job that fails again after its retry is listed again.
    await storeFailedJobs([own, own]);
    expect((await viewFailedJobs(app())).jobs.filter(({ type }) => type === "alert")).toHaveLength(1);
  });

  it("that were claimed but not sent are sent by cron", async () => {
    const { app, sent, time } = watched();
    expectLogged(/wait for the next sweep/);
    sent.down = true;
    await storeFailedJobs([job("export")]);
    await retryFailedJobs(app(), actor, { kind: "all" });
    sent.down = false;
    await sweepFailedJobs(app());
    expect(sent.exports.length).toBe(0);
    time.now += 2 * MINUTE;
    await sweepFailedJobs(app());
    await sweepFailedJobs(app());
    expect(sent.exports.length).toBe(1);
  });

  it("can be discarded, even if unreadable, and are deleted after a week", async () => {
    const { app, sent, time } = watched();
    await storeFailedJobs([job("export"), "garbage", null]);
    expect((await retryFailedJobs(app(), actor, { kind: "all" })).jobs).toBe(1);
    expect((await discardFailedJobs(app(), actor, { kind: "all" })).jobs).toBe(2);
    expect((await viewFailedJobs(app())).jobs_total).toBe(0);
    expect(sent.exports.length).toBe(1);
    time.now += 8 * DAY;
    await sweepFailedJobs(app());
    const left = await bindings.DB.prepare("select count(*) as count from dead_jobs").first<{
      count: number;
    }>();
    expect(left?.count).toBe(0);
  });

  it("can be retried in thousands at once", async () => {
    const { app, sent } = watched();
    await storeFailedJobs(Array.from({ length: 1200 }, () => job("hotlist-import")));
    const answer = await retryFailedJobs(app(), actor, { kind: "all" });
    expect(answer).toEqual({ msg: "1,200 jobs retried", jobs: 1200, sends: 0 });
    expect(new Set(sent.jobs.map((body) => (body as { id: string }).id)).size).toBe(1200);
  });

  it("can be retried only with a recent proof of identity", async () => {
    await bindings.DB.prepare("update sessions set proved_at = 1 where user_id = ?")
      .bind(world.users.owner.id)
      .run();
    const response = await owner.post("/dead-jobs/drive", { kind: "all" });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "step_up_required" });
  });
});

describe("failed pushes", () => {
  async function failedPushes(count: number) {
    const all = watched();
    const { group } = await newPushGroup(all.app(), count);
    const fault = { program: "apns", kind: "status", code: 429, retryAfter: 4000 } as const;
    await vendors.setFaults(fault);
    const alert = await anAlert(group);
    await fanOutAlert(all.app(), alert.id);
    await vendors.setFaults();
    return { ...all, alert };
  }

  it("are listed by channel and reason, and arrive once when they are retried", async () => {
    const { app, alert, queue } = await failedPushes(3);
    expect((await viewFailedJobs(app())).sends).toMatchObject([
      { channel: "apns", reason: "Status 429", count: 3, attempts: 1 },
    ]);
    const choice = { kind: "sends", channel: "apns", reason: "Status 429" } as const;
    expect((await retryFailedJobs(app(), actor, choice)).msg).toBe("3 sends retried");
    expect((await retryFailedJobs(app(), actor, choice)).sends).toBe(0);
    expect(queue.messages.map(({ body }) => body.id)).toEqual([alert.id]);
    await fanOutAlert(app(), alert.id);
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns")).map(({ state }) => state)).toEqual(
      Array(3).fill("delivered"),
    );
    expect((await pushes.taken()).length).toBe(3);
  });

  /** Stores one failed push for each of `count` alerts. */
  async function storeFailedPushes(count: number): Promise<void> {
    await bindings.DB.prepare(
      `insert into deliveries (alert_id, user_id, channel, state, reason, attempts, devices, created_at, updated_at)
       select 'failed-' || value, 'u', 'apns', 'dead', 'No answer', 6, '[]', 1, value
       from json_each(?)`,
    )
      .bind(JSON.stringify(Array.from({ length: count }, (_, i) => i)))
      .run();
  }

  it("of three thousand alerts are all queued by one retry", async () => {
    const { app, queue } = watched();
    await storeFailedPushes(3000);
    const choice = { kind: "sends", channel: "apns", reason: "No answer" } as const;
    expect((await retryFailedJobs(app(), actor, choice)).sends).toBe(3000);
    expect(queue.messages.length).toBe(3000);
    expect(new Set(queue.messages.map(({ body }) => body.id)).size).toBe(3000);
  });

  it("are retried oldest first, in steps, at most as many per call as can be sent in time", async () => {
    const { app, queue } = watched();
    await storeFailedPushes(8);
    const limits = { step: 2, retry: 5, discard: 100 };
    const choice = { kind: "sends", channel: "apns", reason: "No answer" } as const;
    expect((await retryFailedJobs(app(), actor, choice, limits)).sends).toBe(5);
    expect(queue.messages.map(({ body }) => body.id).sort()).toEqual(
      [0, 1, 2, 3, 4].map((n) => `failed-${n}`),
    );
    const rows = await auditOf(world.users.owner, 3);
    expect(rows.map(({ action, detail }) => `${action} ${detail}`)).toEqual(
      Array(3).fill(`dead-jobs.drive ${JSON.stringify({ channel: "apns", reason: "No answer" })}`),
    );
    expect((await retryFailedJobs(app(), actor, { kind: "all" }, limits)).sends).toBe(3);
    expect((await retryFailedJobs(app(), actor, { kind: "all" }, limits)).sends).toBe(0);
    expect(queue.messages.length).toBe(8);
  });

  it("that were retried but not queued are queued by cron, once per alert", async () => {
    const { app, queue, time } = watched();
    const { group } = await newPushGroup(app(), 3);
    await vendors.setFaults({ program: "apns", kind: "status", code: 503 });
    const alerts = [await anAlert(group), await anAlert(group)];
    for (const { id } of alerts) {
      await fanOutAlert(app(), id);
      time.now += 1;
    }
    queue.messages.length = 0;
    time.now += 2 * MINUTE;
    await sweepAlerts(app(), { alerts: 2, rows: 100 });
    const own = new Set(alerts.map(({ id }) => id));
    expect(new Set(queue.messages.map(({ body }) => body.id).filter((id) => own.has(id)))).toEqual(own);
  });

  it("that are retried later than ten minutes after their hit have as long as others", async () => {
    const { app, alert, time } = await failedPushes(1);
    time.now += HOUR;
    const choice = { kind: "sends", channel: "apns", reason: "Status 429" } as const;
    expect((await retryFailedJobs(app(), actor, choice)).sends).toBe(1);
    const stateOf = async () => (await deliveriesOf(alert.id, "apns"))[0]?.state;
    time.now += 10 * MINUTE - 1;
    await sweepAlerts(app());
    expect(await stateOf()).toBe("pending");
    time.now += 1;
    await sweepAlerts(app());
    expect(await stateOf()).toBe("dead");
  });

  it("that were not sent in time are ended in steps", async () => {
    const { app, time } = watched();
    await storeFailedPushes(7);
    await bindings.DB.prepare("update deliveries set state = 'pending', next_at = 1").run();
    time.now += MINUTE;
    await sweepAlerts(app(), { alerts: 10, rows: 3 });
    const [left] = (await viewFailedJobs(app())).sends;
    expect(left).toMatchObject({ count: 7, reason: "Not sent in time" });
  });

  it("can be discarded permanently", async () => {
    const { app, alert } = await failedPushes(1);
    const choice = { kind: "sends", channel: "apns", reason: "Status 429" } as const;
    expect((await discardFailedJobs(app(), actor, choice)).sends).toBe(1);
    expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({
      state: "suppressed",
      reason: "Discarded: Status 429",
    });
    expect((await viewFailedJobs(app())).sends).toEqual([]);
  });
});
