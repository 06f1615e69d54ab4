import { beforeEach, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { decideAlert } from "#app/domain/alerts/hit.ts";
import { noticeExpiries } from "#app/domain/hotlists/expiry-notices.ts";
import { sendToWebhooks, sweepOutgoing } from "#app/domain/integrations/outgoing-delivery.ts";
import { RETRY_DELAYS_MS } from "#app/entities/integrations/outgoing-webhooks.ts";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { cancelPending, claimOutgoing, retryOutgoing } from "#app/store/integrations/outgoing-deliveries.ts";
import { takeBatch } from "../../../workers/queue.ts";
import {
  actorOf,
  anAlert,
  bindings,
  type Client,
  client,
  newWorld,
  unique,
  vendors,
  type World,
} from "../../factories.ts";
import { newGroup, newPlate, plate } from "../../live.ts";
import { fanOutAlert, pushWorld } from "../../support/fan-out.ts";
import { addWebhook, outgoingOf, receiver, verified } from "../../support/outgoing.ts";
import { expectLogged } from "../../support/quiet-console.ts";

let world: World;
let admin: Client;
let strangeAdmin: Client;
let group: { id: string; agencyId: string };
let odin: ReturnType<typeof pushWorld>;

beforeEach(async () => {
  await vendors.setFaults();
  await vendors.clearCalls();
  world = await newWorld();
  admin = await client(world.users.admin);
  strangeAdmin = await client(world.users.strangeAdmin);
  group = { id: (await newGroup(world.ours.id, [])).id, agencyId: world.ours.id };
  odin = pushWorld();
});

const run = (sql: string, ...values: unknown[]) =>
  bindings.DB.prepare(sql)
    .bind(...values)
    .run();
const send = (...ids: string[]) => sendToWebhooks(odin.app(), ids);

/** Creates a hit of the group and fans it out. */
async function hit() {
  const alert = await anAlert(group, { createdAt: odin.time.now });
  await fanOutAlert(odin.app(), alert.id);
  return alert;
}

describe("a hit", () => {
  it("is posted once, signed, with ids only", async () => {
    const hook = await addWebhook(admin);
    const alert = await hit();
    await fanOutAlert(odin.app(), alert.id);
    await Promise.all([send(hook.id), send(hook.id), send(hook.id)]);
    const messages = await receiver.received(hook.name);
    expect(messages).toHaveLength(1);
    const message = at(messages, 0);
    expect(verified(message, hook.secret)).toEqual({
      type: "hit",
      timestamp: isoTime(odin.time.now),
      data: { alert_id: alert.id, group_id: group.id },
    });
    expect(message.headers["content-type"]).toBe("application/json");
    const [delivery] = await outgoingOf(hook.id);
    expect(delivery).toMatchObject({ id: message.headers["webhook-id"], state: "delivered", status: 200 });
  });

  it("includes the plate and the read if an administrator chose to", async () => {
    const hook = await addWebhook(admin, { plate_data: true, group_id: group.id });
    const alert = await hit();
    await send(hook.id);
    const { data } = verified(at(await receiver.received(hook.name), 0), hook.secret);
    expect(data).toMatchObject({
      alert_id: alert.id,
      plate: "AB12345",
      state: "CT",
      camera: "Main St",
      latitude: 41.7637,
      reason: "Stolen vehicle",
    });
    expect(JSON.stringify(data)).not.toContain("Seen with another car");
  });

  it("is queued for webhooks, or queued by the sweep if the queue was down", async () => {
    const hook = await addWebhook(admin);
    const alert = await hit();
    expect(odin.queue.messages.map(({ body }) => body)).toContainEqual({
      v: 1,
      type: "webhook",
      id: hook.id,
    });
    odin.queue.isDown = true;
    await hit();
    expectLogged(/did not accept 1 webhooks/);
    odin.queue.isDown = false;
    odin.queue.messages.length = 0;
    odin.time.now += MINUTE;
    await sweepOutgoing(odin.app());
    expect(odin.queue.messages.map(({ body }) => body)).toContainEqual({
      v: 1,
      type: "webhook",
      id: hook.id,
    });
    await send(hook.id);
    expect((await outgoingOf(hook.id)).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
    expect(await receiver.received(hook.name)).toHaveLength(2);
    expect(alert.id).toBeTruthy();
  });
});

describe("the sweep", () => {
  it("queues every webhook in turn, even if more are claimed and never settled than one sweep takes", async () => {
    await run("UPDATE outgoing_deliveries SET state = 'cancelled'");
    const hooks = [await addWebhook(admin), await addWebhook(admin), await addWebhook(admin)];
    odin.queue.isDown = true;
    await hit();
    expectLogged(/did not accept 3 webhooks/);
    odin.queue.isDown = false;
    const queued: unknown[] = [];
    for (let sweep = 0; sweep < 6; sweep++) {
      odin.time.now += 2 * MINUTE;
      odin.queue.messages.length = 0;
      await sweepOutgoing(odin.app(), { webhooks: 1, rows: 5000 });
      for (const { body } of odin.queue.messages) {
        const { id: webhookId } = body as { id: string };
        queued.push(webhookId);
        const { now } = odin.time;
        await claimOutgoing(odin.app().db, { webhookId, now, leasedUntil: now + MINUTE });
      }
    }
    const ids = hooks.map(({ id }) => id).sort();
    expect([queued.slice(0, 3).sort(), queued.slice(3).sort()]).toEqual([ids, ids]);
  });
});

describe("a failed delivery", () => {
  it("is retried for a day with growing delays and the same id, then listed and retried manually", async () => {
    const hook = await addWebhook(admin);
    await vendors.setFaults({ program: "receiver", agencyId: hook.name, kind: "status", code: 500 });
    const began = odin.time.now;
    await hit();
    const waits: number[] = [];
    for (;;) {
      await send(hook.id);
      const { state, next_at } = at(await outgoingOf(hook.id), 0);
      if (state !== "pending" || next_at === null) break;
      waits.push(next_at - odin.time.now);
      // The circuit breaker may stay open slightly longer than the delivery waits.
      await run("update outgoing_webhooks set paused_until = 0 where id = ?", hook.id);
      odin.time.now = next_at;
    }
    expect(waits).toHaveLength(RETRY_DELAYS_MS.length);
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(at(RETRY_DELAYS_MS, i));
      expect(wait).toBeLessThanOrEqual(at(RETRY_DELAYS_MS, i) * 1.05);
    }
    expect(odin.time.now - began).toBeGreaterThan(23 * HOUR);
    const [dead] = await outgoingOf(hook.id);
    expect(dead).toMatchObject({ state: "failed", status: 500, reason: "Status 500", attempts: 10 });

    await vendors.setFaults();
    const retried = await admin.post(`/outgoing-webhooks/${hook.id}/retry`, { delivery_id: dead?.id });
    expect(await retried.json()).toEqual({ msg: "1 delivery is sent again", deliveries: 1 });
    await run("update outgoing_webhooks set paused_until = 0 where id = ?", hook.id);
    await send(hook.id);
    const [message] = await receiver.received(hook.name);
    expect(message?.headers["webhook-id"]).toBe(dead?.id);
    expect(await outgoingOf(hook.id)).toMatchObject([{ state: "delivered", attempts: 1 }]);
  });

  it("waits as long as the receiver requests, up to eight hours", async () => {
    const hook = await addWebhook(admin);
    await vendors.setFaults({ program: "receiver", kind: "status", code: 429, retryAfter: 600 });
    await hit();
    await send(hook.id);
    expect(at(await outgoingOf(hook.id), 0).next_at).toBe(odin.time.now + 600 * SECOND);
  });

  it("waits with the others of its receiver, at most a quarter of an hour", async () => {
    const hook = await addWebhook(admin);
    await vendors.setFaults({
      program: "receiver",
      agencyId: hook.name,
      kind: "status",
      code: 503,
      retryAfter: 600,
      times: 1,
    });
    for (let i = 0; i < 3; i++) await hit();
    const calls = async () => (await vendors.calls())[`receiver/${hook.name}`] ?? 0;
    const { now } = odin.time;
    for (let i = 0; i < 3; i++) await send(hook.id);
    expect(await calls()).toBe(1);
    odin.time.now = now + 600 * SECOND - 1;
    odin.queue.messages.length = 0;
    await sweepOutgoing(odin.app());
    expect(odin.queue.messages.map(({ body }) => body.id)).not.toContain(hook.id);
    await send(hook.id);
    expect(await calls()).toBe(1);
    odin.time.now = now + 600 * SECOND;
    await send(hook.id);
    expect((await outgoingOf(hook.id)).map(({ state }) => state)).toEqual(Array(3).fill("delivered"));

    await vendors.setFaults({
      program: "receiver",
      agencyId: hook.name,
      kind: "status",
      code: 429,
      retryAfter: 86_400,
      times: 1,
    });
    for (let i = 0; i < 2; i++) await hit();
    await send(hook.id);
    odin.time.now += 15 * MINUTE;
    await send(hook.id);
    expect((await outgoingOf(hook.id)).map(({ state }) => state).sort()).toEqual([
      ...Array(4).fill("delivered"),
      "pending",
    ]);
  });

  it("is queued with the others for when a short pause ends", async () => {
    const hook = await addWebhook(admin);
    const fault = { agencyId: hook.name, kind: "status", code: 429, retryAfter: 90, times: 1 } as const;
    await vendors.setFaults({ program: "receiver", ...fault });
    for (let i = 0; i < 2; i++) await hit();
    odin.queue.messages.length = 0;
    await send(hook.id);
    expect(odin.queue.messages.map(({ at: due }) => due - odin.time.now)).toEqual([90 * SECOND]);
  });

  it("is sent again with the same id if the process died before it saved the outcome", async () => {
    const hook = await addWebhook(admin);
    await hit();
    await run(
      "update outgoing_deliveries set attempts = 1, next_at = ? where webhook_id = ?",
      odin.time.now + MINUTE,
      hook.id,
    );
    await send(hook.id);
    expect(await receiver.received(hook.name)).toEqual([]);
    odin.time.now += MINUTE;
    await send(hook.id);
    expect(await outgoingOf(hook.id)).toMatchObject([{ state: "delivered", attempts: 2 }]);
  });

  it("ends after a day if it was never sent", async () => {
    const hook = await addWebhook(admin);
    await hit();
    odin.time.now += 26 * HOUR;
    await sweepOutgoing(odin.app());
    expect(await outgoingOf(hook.id)).toMatchObject([{ state: "failed", reason: "Not sent within a day" }]);
  });

  it("that is retried manually days later is retried for a day again", async () => {
    const hook = await addWebhook(admin);
    await hit();
    odin.time.now += 3 * DAY;
    await sweepOutgoing(odin.app());
    const again = { webhookId: hook.id, deliveryId: undefined, at: odin.time.now, limit: 10 };
    await inOneStep(odin.app().db, [retryOutgoing(odin.app().db, again)]);
    odin.time.now += 23 * HOUR;
    await sweepOutgoing(odin.app());
    await vendors.setFaults({ program: "receiver", agencyId: hook.name, kind: "status", code: 500 });
    await send(hook.id);
    expect(await outgoingOf(hook.id)).toMatchObject([{ state: "pending", status: 500 }]);
    odin.time.now += 3 * HOUR;
    await sweepOutgoing(odin.app());
    expect(await outgoingOf(hook.id)).toMatchObject([{ state: "failed", reason: "Status 500" }]);
  });

  it("does not follow redirects of the receiver", async () => {
    const hook = await addWebhook(admin);
    const url = receiver.url("elsewhere");
    await vendors.setFaults({ program: "receiver", agencyId: hook.name, kind: "redirect", url });
    await hit();
    await send(hook.id);
    expect(await receiver.received("elsewhere")).toEqual([]);
    expect(at(await outgoingOf(hook.id), 0).reason).toBe("Redirects (302), which Odin does not follow");
  });
});

describe("a receiver", () => {
  it("that answers 410 turns its webhook off and cancels pending deliveries", async () => {
    const hook = await addWebhook(admin);
    await hit();
    await hit();
    await vendors.setFaults({ program: "receiver", agencyId: hook.name, kind: "status", code: 410 });
    await send(hook.id);
    expect((await outgoingOf(hook.id)).map(({ state }) => state).sort()).toEqual(["cancelled", "failed"]);
    await hit();
    expect(await outgoingOf(hook.id)).toHaveLength(2);
    const [shown] = (await (await admin.fetch("/outgoing-webhooks")).json()) as object[];
    expect(shown).toMatchObject({ state: "off", off_reason: "The receiver answered 410 Gone." });
    const row = await bindings.DB.prepare(
      "select agency_id, username from audit_log where action = 'outgoing-webhook.off' and object = ?",
    )
      .bind(hook.id)
      .first();
    expect(row).toEqual({ agency_id: world.ours.id, username: "" });
    expect((await admin.post(`/outgoing-webhooks/${hook.id}/retry`, {})).status).toBe(409);
  });

  it.each([410, 500])(
    "says nothing about a new address that was saved during the send: status %i",
    async (code) => {
      const hook = await addWebhook(admin);
      await hit();
      await vendors.setFaults({ program: "receiver", agencyId: hook.name, kind: "status", code });
      const app = odin.app();
      const postToReceiver: typeof app.postToReceiver = async (call) => {
        const answer = await app.postToReceiver(call);
        await run("UPDATE outgoing_webhooks SET url = ? WHERE id = ?", receiver.url("moved"), hook.id);
        return answer;
      };
      expect(await sendToWebhooks({ ...app, postToReceiver }, [hook.id])).toEqual(new Map());
      const [shown] = (await (await admin.fetch("/outgoing-webhooks")).json()) as object[];
      expect(shown).toMatchObject({ state: "on", last_failure_at: null });
      const [delivery] = await outgoingOf(hook.id);
      expect(delivery).toMatchObject({ state: "pending", status: code });
      odin.time.now = delivery?.next_at ?? 0;
      await vendors.setFaults();
      await send(hook.id);
      expect(await outgoingOf(hook.id)).toMatchObject([{ state: "delivered" }]);
    },
  );

  it("that fails while its webhook is turned off gets the message no more", async () => {
    const hook = await addWebhook(admin);
    await hit();
    await vendors.setFaults({ program: "receiver", agencyId: hook.name, kind: "status", code: 500 });
    const app = odin.app();
    const postToReceiver: typeof app.postToReceiver = async (call) => {
      const answer = await app.postToReceiver(call);
      const at = odin.time.now;
      await inOneStep(app.db, [cancelPending(app.db, { webhookId: hook.id, reason: "Turned off.", at })]);
      return answer;
    };
    expect(await sendToWebhooks({ ...app, postToReceiver }, [hook.id])).toEqual(new Map());
    expect(await outgoingOf(hook.id)).toMatchObject([
      { state: "cancelled", reason: "Turned off.", next_at: null },
    ]);
  });

  it("that does not answer does not delay other receivers of its batch, and is paused", async () => {
    const [dead, alive] = [await addWebhook(admin), await addWebhook(admin)];
    await vendors.setFaults({ program: "receiver", agencyId: dead.name, kind: "hold" });
    for (let i = 0; i < 5; i++) await hit();
    const acked: string[] = [];
    const messages = [dead, alive].map(({ id }) => ({
      id: unique("message"),
      timestamp: new Date(),
      attempts: 1,
      body: { v: 1, type: "webhook", id },
      ack: () => void acked.push(id),
    }));
    const batch = { queue: "odin-webhooks", messages } as unknown as MessageBatch;
    await takeBatch(batch, odin.env, { waitUntil: () => {} });
    expect(acked).toEqual([dead.id, alive.id]);
    // The run for the unresponsive receiver ended at its first timeout.
    const rows = await outgoingOf(dead.id);
    expect(rows.map(({ attempts }) => attempts).sort()).toEqual([0, 0, 0, 0, 1]);
    const silent = rows.find(({ attempts }) => attempts === 1);
    expect(silent?.reason).toBe("No answer in time");
    const reached = await outgoingOf(alive.id);
    expect(reached.map(({ state }) => state)).toEqual(Array(5).fill("delivered"));
    expect(Math.max(...reached.map(({ updated_at }) => updated_at))).toBeLessThan(silent?.updated_at ?? 0);
  });

  it("gets one message at a time from several consumers, whose time-outs count one by one", async () => {
    const hook = await addWebhook(admin);
    for (let i = 0; i < 5; i++) await hit();
    let sending = 0;
    let most = 0;
    const app: AppContext = {
      ...odin.app(),
      postToReceiver: async () => {
        most = Math.max(most, ++sending);
        // The wait is what is tested: meanwhile the other consumers could send too.
        await new Promise((resolve) => setTimeout(resolve, 100));
        sending--;
        return { kind: "unanswered", reason: "No answer in time" };
      },
    };
    await Promise.all([1, 2, 3, 4].map(() => sendToWebhooks(app, [hook.id])));
    expect(most).toBe(1);
    const row = await bindings.DB.prepare("SELECT failures, paused_until FROM outgoing_webhooks WHERE id = ?")
      .bind(hook.id)
      .first();
    expect(row).toEqual({ failures: 1, paused_until: 0 });
  });

  it("gets nothing while a consumer that died holds a lease, then everything in order", async () => {
    const hook = await addWebhook(admin);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      ids.push((await hit()).id);
      odin.time.now += SECOND;
    }
    const { now } = odin.time;
    const claim = () =>
      claimOutgoing(odin.app().db, { webhookId: hook.id, now: odin.time.now, leasedUntil: now + MINUTE });
    const died = await claim();
    // After a failed attempt too: what counts is that it is being sent now.
    const others = "webhook_id = ? AND id <> ?";
    await run(`UPDATE outgoing_deliveries SET reason = 'Status 500' WHERE ${others}`, hook.id, died?.id);
    expect(await claim()).toBeUndefined();
    odin.time.now = now + MINUTE - 1;
    odin.queue.messages.length = 0;
    await send(hook.id);
    expect(await receiver.received(hook.name)).toEqual([]);
    // Otherwise each message that arrives twice would be followed by another one.
    expect(odin.queue.messages).toEqual([]);
    odin.time.now = now + MINUTE;
    await send(hook.id);
    const messages = await receiver.received(hook.name);
    expect(messages).toHaveLength(3);
    const sent = messages.map((message) => verified(message, hook.secret).data.alert_id);
    expect(new Set(sent)).toEqual(new Set(ids));
    expect(await outgoingOf(hook.id)).toMatchObject(Array(3).fill({ state: "delivered" }));
  });

  it("gets the next message at once after one whose group is no longer stored", async () => {
    const hook = await addWebhook(admin);
    await hit();
    await run("UPDATE outgoing_deliveries SET group_id = 'gone' WHERE webhook_id = ?", hook.id);
    odin.time.now += SECOND;
    await hit();
    await send(hook.id);
    expect(await receiver.received(hook.name)).toHaveLength(1);
    const states = (await outgoingOf(hook.id)).map(({ state }) => state);
    expect(states).toEqual(["cancelled", "delivered"]);
  });

  it("that fails is called again after growing pauses, until it accepts a message", async () => {
    const hook = await addWebhook(admin);
    await vendors.setFaults({ program: "receiver", agencyId: hook.name, kind: "status", code: 503 });
    for (let i = 0; i < 6; i++) await hit();
    const calls = async () => (await vendors.calls())[`receiver/${hook.name}`] ?? 0;
    for (let i = 0; i < 3; i++) await send(hook.id);
    expect(await calls()).toBe(3);
    await send(hook.id);
    expect(await calls()).toBe(3);
    odin.time.now += MINUTE;
    await send(hook.id);
    expect(await calls()).toBe(4);
    odin.time.now += MINUTE;
    await send(hook.id);
    expect(await calls()).toBe(4);
    odin.time.now += MINUTE;
    await vendors.setFaults();
    await send(hook.id);
    odin.time.now += HOUR;
    await send(hook.id);
    expect(new Set((await outgoingOf(hook.id)).map(({ state }) => state))).toEqual(new Set(["delivered"]));
  });

  it("that fails for long is called again every quarter of an hour", async () => {
    const hook = await addWebhook(admin);
    await vendors.setFaults({ program: "receiver", agencyId: hook.name, kind: "status", code: 503 });
    for (let i = 0; i < 9; i++) await hit();
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      await send(hook.id);
      const until = await bindings.DB.prepare("SELECT paused_until FROM outgoing_webhooks WHERE id = ?")
        .bind(hook.id)
        .first<number>("paused_until");
      pauses.push(Math.max(0, (until ?? 0) - odin.time.now) / MINUTE);
      odin.time.now = Math.max(odin.time.now, until ?? 0);
    }
    expect(pauses).toEqual([0, 0, 1, 2, 4, 8, 15, 15, 15]);
  });
});

describe("a secret", () => {
  it("that was replaced still signs for a day, along with the new one", async () => {
    const hook = await addWebhook(admin);
    const renewed = (await (await admin.post(`/outgoing-webhooks/${hook.id}/secret`, {})).json()) as {
      secret: string;
    };
    expect(renewed.secret).toMatch(/^whsec_[\w+/]{43}=$/);
    await hit();
    await send(hook.id);
    const first = at(await receiver.received(hook.name), 0);
    verified(first, hook.secret);
    verified(first, renewed.secret);
    odin.time.now += DAY + MINUTE;
    await hit();
    await send(hook.id);
    const second = at(await receiver.received(hook.name), 1);
    verified(second, renewed.secret);
    expect(() => verified(second, hook.secret)).toThrow(/signature/i);
  });
});

describe("a secret that is replaced twice in a day", () => {
  it("still signs, since the answer with the first new one may have been lost", async () => {
    const hook = await addWebhook(admin);
    const renew = () => admin.post(`/outgoing-webhooks/${hook.id}/secret`, {});
    await renew();
    const renewed = (await (await renew()).json()) as { secret: string };
    await hit();
    await send(hook.id);
    const sent = at(await receiver.received(hook.name), 0);
    verified(sent, hook.secret);
    verified(sent, renewed.secret);
  });

  it("by two administrators at once is shown only if it signs", async () => {
    const hook = await addWebhook(admin);
    const renew = () => admin.post(`/outgoing-webhooks/${hook.id}/secret`, {});
    const answers = await Promise.all([renew(), renew(), renew()]);
    const shown = await Promise.all(
      answers
        .filter(({ status }) => status === 200)
        .map((answer) => answer.json() as Promise<{ secret: string }>),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual(
      [],
    );
    expect(shown.length).toBeGreaterThan(0);
    await hit();
    await send(hook.id);
    const sent = at(await receiver.received(hook.name), 0);
    for (const { secret } of shown) verified(sent, secret);
  });
});

describe("no events are sent", () => {
  const accepted = () =>
    run(
      "insert into alert_group_invitations (group_id, agency_id, state, invited_by, invited_at) values (?, ?, 'accepted', 'u', 1)",
      group.id,
      world.theirs.id,
    );

  it("for another agency before it joins the group and after it leaves, including pending events", async () => {
    const hook = await addWebhook(strangeAdmin);
    await hit();
    expect(await outgoingOf(hook.id)).toEqual([]);
    await accepted();
    await hit();
    expect(await outgoingOf(hook.id)).toHaveLength(1);
    await run("update alert_group_invitations set state = 'declined' where group_id = ?", group.id);
    await hit();
    await send(hook.id);
    expect(await outgoingOf(hook.id)).toMatchObject([
      { state: "cancelled", reason: "The group was archived, or the agency no longer participates in it." },
    ]);
    expect(await receiver.received(hook.name)).toEqual([]);
  });

  it("when the group is archived, for the group's webhook and the agency's", async () => {
    const hooks = [await addWebhook(admin), await addWebhook(admin, { group_id: group.id })];
    await hit();
    await run("update alert_groups set archived_at = 1 where id = ?", group.id);
    await hit();
    for (const { id, name } of hooks) {
      await send(id);
      expect((await outgoingOf(id)).map(({ state }) => state)).toEqual(["cancelled"]);
      expect(await receiver.received(name)).toEqual([]);
    }
  });

  it("when every user of the agency is disabled", async () => {
    const hook = await addWebhook(admin);
    await hit();
    await run("update users set disabled_at = 1 where agency_id = ?", world.ours.id);
    await hit();
    await send(hook.id);
    expect((await outgoingOf(hook.id)).map(({ state }) => state)).toEqual(["cancelled"]);
  });

  it("when the operator no longer allows the receiver's host", async () => {
    const hook = await addWebhook(admin);
    await hit();
    const strict = pushWorld({ ALLOW_LOOPBACK_VENDORS: "no" });
    await sendToWebhooks(strict.app(), [hook.id]);
    expect(at(await outgoingOf(hook.id), 0)).toMatchObject({ state: "pending", status: null });
    expect(await receiver.received(hook.name)).toEqual([]);
  });

  it("for groups and event types that the webhook does not subscribe to", async () => {
    const other = await newGroup(world.ours.id, []);
    const hooks = [
      await addWebhook(admin, { group_id: other.id }),
      await addWebhook(admin, { events: ["expiring"] }),
    ];
    await hit();
    for (const { id } of hooks) expect(await outgoingOf(id)).toEqual([]);
  });
});

describe("other events", () => {
  it("report each disposition and its removal", async () => {
    const hook = await addWebhook(admin, { events: ["disposition"] });
    const alert = await anAlert(group);
    const actor = await actorOf(admin);
    const decided = await decideAlert(odin.app(), actor, {
      id: alert.id,
      decision: { disposition: "misread", note: "A private remark", known: null },
    });
    odin.time.now += SECOND;
    await decideAlert(odin.app(), actor, {
      id: alert.id,
      decision: { disposition: null, note: "", known: decided.disposition_at },
    });
    await send(hook.id);
    const messages = (await receiver.received(hook.name)).map((message) => verified(message, hook.secret));
    expect(messages.map(({ type, data }) => [type, data])).toEqual([
      ["disposition", { alert_id: alert.id, group_id: group.id, disposition: "misread" }],
      ["disposition", { alert_id: alert.id, group_id: group.id, disposition: null }],
    ]);
    expect(JSON.stringify(messages)).not.toContain("private");
  });

  it("report expiring plates by group and stage, with the plates only if chosen", async () => {
    const number = newPlate();
    const soon = await newGroup(world.ours.id, [plate(number, { expires: isoTime(Date.now() + 6 * DAY) })]);
    const ids = await addWebhook(admin, { events: ["expiring"], group_id: soon.id });
    const plates = await addWebhook(admin, { events: ["expiring"], plate_data: true });
    await run("delete from expiry_notice_runs");
    await noticeExpiries(odin.app());
    await noticeExpiries(odin.app());
    for (const { id } of [ids, plates]) await send(id);
    const [message, ...more] = (await receiver.received(ids.name)).map((one) => verified(one, ids.secret));
    expect(more).toEqual([]);
    expect(message).toMatchObject({
      type: "expiring",
      data: { group_id: soon.id, stage: "week", entries: 1 },
    });
    expect(JSON.stringify(message)).not.toContain(number);
    const [withPlates] = (await receiver.received(plates.name)).map((one) => verified(one, plates.secret));
    expect(withPlates?.data.plates).toMatchObject([{ plate: number }]);
  });
});
