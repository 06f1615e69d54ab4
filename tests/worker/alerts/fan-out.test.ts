import { beforeEach, describe, expect, it } from "vitest";
import { announceAlerts, sweepAlerts } from "#app/domain/alerts/fan-out.ts";
import { PUSH_BODY } from "#app/entities/alerts/push.ts";
import { HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { anAlert, bindings, newAgency, vendors } from "../../factories.ts";
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
  await pushes.clear();
});

const run = (sql: string, ...values: unknown[]) =>
  bindings.DB.prepare(sql)
    .bind(...values)
    .run();

/** One member with pushes on, and a group. */
async function oneMember() {
  const world = pushWorld();
  const { agency, group, members } = await newPushGroup(world.app(), 1);
  const [member] = members as [(typeof members)[0]];
  return { ...world, agency, group, member, token: member.tokens[0] as string };
}

describe("a hit", () => {
  it("reaches every member once on each channel, and the list of everybody", async () => {
    const { app, group, agency, token, member } = await oneMember();
    const [reader] = (await insertUsers(agency.id, 1)) as [string];
    await run("insert into alert_group_members values (?, ?, 1, 'u')", group.id, reader);
    const subscription = await pushes.subscription();
    const address = JSON.stringify(subscription);
    await giveDevices(app(), [
      { userId: member.id, channel: "webpush", address, known: subscription.endpoint },
    ]);
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    const rows = await deliveriesOf(alert.id);
    expect(rows.map(({ user_id, channel, state }) => `${user_id} ${channel} ${state}`).sort()).toEqual(
      [
        `${member.id} apns delivered`,
        `${member.id} live delivered`,
        `${member.id} webpush delivered`,
        `${reader} live delivered`,
      ].sort(),
    );
    const taken = await pushes.taken();
    expect(taken.map(({ channel, collapse }) => `${channel} ${collapse}`).sort()).toEqual([
      `apns ${alert.id}`,
      `webpush ${alert.id}`,
    ]);
    expect(taken.find(({ channel }) => channel === "apns")?.device).toBe(token);
  });

  it("says nothing of plate, person, reason or group on a locked screen", async () => {
    const { app, group, member } = await oneMember();
    const subscription = await pushes.subscription();
    const address = JSON.stringify(subscription);
    await giveDevices(app(), [
      { userId: member.id, channel: "webpush", address, known: subscription.endpoint },
    ]);
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    const payloads = Object.fromEntries(
      (await pushes.taken()).map(({ channel, payload }) => [channel, payload]),
    );
    expect(payloads).toEqual({
      apns: {
        aps: {
          alert: { title: "Odin", body: PUSH_BODY },
          badge: 1,
          sound: "default",
          "interruption-level": "time-sensitive",
        },
        alert_id: alert.id,
      },
      webpush: { alert_id: alert.id, badge: 1 },
    });
  });

  it("counts on the badge what the member has not looked at", async () => {
    const { app, group, time, member } = await oneMember();
    const badges = async () =>
      (await pushes.taken()).map(({ payload }) => (payload.aps as { badge: number }).badge);
    for (let i = 0; i < 3; i++) {
      await fanOutAlert(app(), (await anAlert(group)).id);
      time.now += SECOND;
    }
    expect(await badges()).toEqual([1, 2, 3]);
    await run("insert into alerts_seen (user_id, seen_at) values (?, ?)", member.id, time.now);
    time.now += SECOND;
    await fanOutAlert(app(), (await anAlert(group)).id);
    expect((await badges()).at(-1)).toBe(1);
  });

  it("is told once, however often and at however many places its message comes", async () => {
    const { app } = pushWorld();
    const { group, members } = await newPushGroup(app(), 40);
    const alert = await anAlert(group);
    await Promise.all([1, 2, 3, 4, 5].map(() => fanOutAlert(app(), alert.id)));
    await fanOutAlert(app(), alert.id);
    const taken = await pushes.taken();
    expect(taken.length).toBe(members.length);
    expect(new Set(taken.map(({ device }) => device)).size).toBe(members.length);
  });

  it("of an alert that there is not wakes nobody", async () => {
    await fanOutAlert(pushWorld().app(), "no-such-alert");
    expect(await pushes.taken()).toEqual([]);
  });
});

describe("who is told", () => {
  it("is decided when the message is taken, not when the alert was made", async () => {
    const { app, group, member } = await oneMember();
    const alert = await anAlert(group);
    await run("delete from alert_group_members where user_id = ?", member.id);
    await fanOutAlert(app(), alert.id);
    expect(await deliveriesOf(alert.id)).toEqual([]);
    expect(await pushes.taken()).toEqual([]);
  });

  it.each([
    ["disabled", "update users set disabled_at = 1 where id = ?"],
    ["deleted", "update users set deleted_at = 1, disabled_at = 1 where id = ?"],
    ["without a right to hotlists", "update users set hotlist_viewer = 0 where id = ?"],
    [
      "of a group that was archived",
      "update alert_groups set archived_at = 1 where id in (select group_id from alert_group_members where user_id = ?)",
    ],
  ])("is not a member who is %s", async (_, sql) => {
    const { app, group, member } = await oneMember();
    const alert = await anAlert(group);
    await run(sql, member.id);
    await fanOutAlert(app(), alert.id);
    expect(await deliveriesOf(alert.id)).toEqual([]);
  });

  it("is of another agency only while that agency takes part", async () => {
    const { app, group } = await oneMember();
    const other = await newAgency();
    const [guest] = (await insertUsers(other.id, 1)) as [string];
    await run("insert into alert_group_members values (?, ?, 1, 'u')", group.id, guest);
    const told = async () => {
      const alert = await anAlert(group);
      await fanOutAlert(app(), alert.id);
      return (await deliveriesOf(alert.id)).map(({ user_id }) => user_id).includes(guest);
    };
    expect(await told()).toBe(false);
    await run(
      "insert into alert_group_invitations (group_id, agency_id, state, invited_by, invited_at) values (?, ?, 'accepted', 'u', 1)",
      group.id,
      other.id,
    );
    expect(await told()).toBe(true);
    await run("update alert_group_invitations set state = 'withdrawn' where agency_id = ?", other.id);
    expect(await told()).toBe(false);
  });

  it("is not woken where pushes are off, in quiet hours, or where the channel is not set up", async () => {
    const { app, group, member, time, env } = await oneMember();
    time.now = Date.UTC(2026, 10, 21, 23, 30);
    const reasonOf = async (on = app()) => {
      const alert = await anAlert(group, { createdAt: time.now });
      await fanOutAlert(on, alert.id);
      const [row] = await deliveriesOf(alert.id, "apns");
      return `${row?.state}: ${row?.reason}`;
    };
    await wantsPushes(app(), member.id, { enabled: false });
    expect(await reasonOf()).toBe("suppressed: Push alerts are off");
    await wantsPushes(app(), member.id, { quietFrom: 22 * 60, quietUntil: 6 * 60, timeZone: "UTC" });
    expect(await reasonOf()).toBe("suppressed: Quiet hours");
    await wantsPushes(app(), member.id);
    expect(await reasonOf(pushWorld({ ...env, APNS_KEY_ID: "" }).app())).toBe("suppressed: Not configured");
    expect(await pushes.taken()).toEqual([]);
  });

  it("is looked at again before each further attempt", async () => {
    const { app, group, member, time, queue } = await oneMember();
    await vendors.setFaults({ program: "apns", kind: "status", code: 503, times: 1 });
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]?.state).toBe("pending");
    await run("delete from alert_group_members where user_id = ?", member.id);
    time.now = queue.take()?.at ?? 0;
    await fanOutAlert(app(), alert.id);
    const [row] = await deliveriesOf(alert.id, "apns");
    expect(row).toMatchObject({ state: "suppressed", reason: "No longer a member" });
    expect(await pushes.taken()).toEqual([]);
  });

  it("is not woken for a hit of an hour ago", async () => {
    const { app, group, time } = await oneMember();
    const alert = await anAlert(group, { createdAt: time.now - HOUR });
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({
      state: "suppressed",
      reason: "Too old",
    });
  });
});

describe("a push that does not arrive", () => {
  it("is sent again to the device that has not taken it, and to no other", async () => {
    const { app, group, member, token, time, queue } = await oneMember();
    const second = newToken();
    await giveDevices(app(), [{ userId: member.id, channel: "apns", address: second }]);
    await vendors.setFaults({ program: "apns", agencyId: second, kind: "status", code: 500, times: 1 });
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    const [waiting] = await deliveriesOf(alert.id, "apns");
    expect(waiting).toMatchObject({ state: "pending", attempts: 1 });
    const again = queue.take();
    expect(again?.body).toEqual({ v: 1, type: "alert", id: alert.id });
    expect(again?.at).toBeGreaterThan(time.now);
    time.now = again?.at ?? 0;
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({ state: "delivered", attempts: 2 });
    expect((await pushes.taken()).map(({ device }) => device)).toEqual([token, second]);
  });

  it("waits as long as the push service asks", async () => {
    const { app, group, time, queue } = await oneMember();
    const fault = { program: "apns", kind: "status", code: 429, retryAfter: 120, times: 1 } as const;
    await vendors.setFaults(fault);
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    const [row] = await deliveriesOf(alert.id, "apns");
    expect(row?.next_at).toBeGreaterThanOrEqual(time.now + 120 * SECOND);
    time.now += MINUTE;
    await fanOutAlert(app(), alert.id);
    expect(await pushes.taken()).toEqual([]);
    time.now = queue.take()?.at ?? 0;
    await fanOutAlert(app(), alert.id);
    expect((await pushes.taken()).length).toBe(1);
  });

  it("is given up where the push service asks for more time than a hit is worth", async () => {
    const { app, group } = await oneMember();
    await vendors.setFaults({ program: "apns", kind: "status", code: 429, retryAfter: 3600 });
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({ state: "dead", reason: "Status 429" });
  });

  it("is dead after some attempts, within ten minutes", async () => {
    const { app, group, time, queue } = await oneMember();
    await vendors.setFaults({ program: "apns", kind: "status", code: 500 });
    const alert = await anAlert(group);
    const began = time.now;
    await fanOutAlert(app(), alert.id);
    for (let message = queue.take(); message; message = queue.take()) {
      time.now = message.at;
      await fanOutAlert(app(), alert.id);
    }
    const [row] = await deliveriesOf(alert.id, "apns");
    expect(row).toMatchObject({ state: "dead", reason: "Status 500", attempts: 6, next_at: null });
    expect(time.now - began).toBeLessThan(10 * MINUTE);
  });

  it("goes out under the same id where only the answer was lost", async () => {
    const { app, group, time, queue } = await oneMember();
    await vendors.setFaults({ program: "apns", kind: "lostAnswer", times: 1 });
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    time.now = queue.take()?.at ?? 0;
    await fanOutAlert(app(), alert.id);
    const taken = await pushes.taken();
    expect(taken.length).toBe(2);
    expect(taken[0]?.id).toBe(taken[1]?.id);
    expect(taken[0]?.collapse).toBe(taken[1]?.collapse);
    expect((await deliveriesOf(alert.id, "apns"))[0]?.state).toBe("delivered");
  });

  it("counts as not arrived where the push service is silent for five seconds", async () => {
    const { app, group } = await oneMember();
    await vendors.setFaults({ program: "apns", kind: "delay", ms: 5600, times: 1 });
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    const [row] = await deliveriesOf(alert.id, "apns");
    expect(row).toMatchObject({ state: "pending", reason: "No answer" });
  });

  it("is taken for sent by nobody who died over it: the next sends it under the same id", async () => {
    const { app, group, time, token } = await oneMember();
    const alert = await anAlert(group);
    const dying = app();
    const apns = dying.push.apns;
    dying.push.apns = async (address, message) => {
      await apns?.(address, message);
      throw new Error("the isolate is gone");
    };
    await expect(fanOutAlert(dying, alert.id)).rejects.toThrow("the isolate is gone");
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]?.state).toBe("pending");
    time.now += 2 * MINUTE;
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]?.state).toBe("delivered");
    const taken = await pushes.taken();
    expect(taken.map(({ device }) => device)).toEqual([token, token]);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(1);
  });
});

describe("a device that is no more", () => {
  it("is dropped without a call where its stored endpoint is no longer one of a push service", async () => {
    const { app } = pushWorld({ ALLOW_LOOPBACK_VENDORS: "no" });
    const agency = await newAgency();
    const [user] = (await insertUsers(agency.id, 1)) as [string];
    const group = await newGroup(agency.id, [user]);
    await wantsPushes(app(), user);
    const { keys } = await pushes.subscription();
    const address = JSON.stringify({ endpoint: `${vendors.url}/wpush/gone`, keys });
    const [device] = await giveDevices(app(), [{ userId: user, channel: "webpush", address }]);
    await vendors.clearCalls();
    await fanOutAlert(app(), (await anAlert(group)).id);
    expect((await vendors.calls()).webpush).toBeUndefined();
    const stored = await bindings.DB.prepare("select dropped from push_devices where id = ?").bind(device);
    expect(await stored.first()).toEqual({ dropped: "Address not allowed" });
  });

  it.each([
    ["Unregistered", newToken("dead")],
    ["BadDeviceToken", newToken("bad")],
  ])("is dropped with the reason %s and not asked again", async (reason, token) => {
    const { app } = pushWorld();
    const agency = await newAgency();
    const [user] = (await insertUsers(agency.id, 1)) as [string];
    const group = await newGroup(agency.id, [user]);
    await wantsPushes(app(), user);
    const [device] = await giveDevices(app(), [{ userId: user, channel: "apns", address: token }]);
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({
      state: "suppressed",
      reason: "No registered device",
    });
    const stored = await bindings.DB.prepare("select dropped, dropped_at from push_devices where id = ?")
      .bind(device)
      .first<{ dropped: string; dropped_at: number }>();
    expect(stored).toMatchObject({ dropped: reason });
    const next = await anAlert(group);
    await fanOutAlert(app(), next.id);
    expect((await deliveriesOf(next.id)).map(({ channel }) => channel)).toEqual(["live"]);
  });

  it("of a browser that unsubscribed is dropped, while its owner's phone rings", async () => {
    const { app, group, member } = await oneMember();
    const gone = { endpoint: `${vendors.url}/wpush/gone`, keys: (await pushes.subscription()).keys };
    await giveDevices(app(), [{ userId: member.id, channel: "webpush", address: JSON.stringify(gone) }]);
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    const states = (await deliveriesOf(alert.id)).map(({ channel, state }) => `${channel} ${state}`);
    expect(states).toEqual(["apns delivered", "live delivered", "webpush suppressed"]);
  });
});

describe("an alert whose message was lost", () => {
  it("is taken up by cron, and nobody who made it noticed", async () => {
    const { app, group, time, queue } = await oneMember();
    const alert = await anAlert(group, { createdAt: time.now });
    expectLogged(/wait for the sweep/);
    queue.isDown = true;
    await announceAlerts(app(), [alert.id]);
    queue.isDown = false;
    await sweepAlerts(app());
    expect(queue.messages.filter(({ body }) => body.id === alert.id)).toEqual([]);
    time.now += MINUTE;
    await sweepAlerts(app());
    expect(queue.messages.filter(({ body }) => body.id === alert.id).length).toBe(1);
    await fanOutAlert(app(), alert.id);
    queue.messages.length = 0;
    time.now += MINUTE;
    await sweepAlerts(app());
    expect(queue.messages.filter(({ body }) => body.id === alert.id)).toEqual([]);
  });

  it("has its waiting pushes ended by cron where the queue stays silent", async () => {
    const { app, group, time, queue } = await oneMember();
    await vendors.setFaults({ program: "apns", kind: "status", code: 500 });
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    queue.messages.length = 0;
    time.now += 10 * MINUTE;
    await sweepAlerts(app());
    expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({
      state: "dead",
      reason: "Not sent in time",
    });
  });

  it("goes to the queue in parcels of a hundred at most", async () => {
    const sizes: number[] = [];
    const ALERTS = {
      sendBatch: async (batch: unknown[]) => void sizes.push(batch.length),
    } as unknown as ReturnType<typeof pushWorld>["env"]["ALERTS"];
    await announceAlerts(
      pushWorld({ ALERTS }).app(),
      Array.from({ length: 250 }, (_, i) => `a${i}`),
    );
    expect(sizes).toEqual([100, 100, 50]);
  });
});
