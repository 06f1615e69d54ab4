import { beforeEach, describe, expect, it } from "vitest";
import { announceAlerts, sweepAlerts } from "#app/domain/alerts/fan-out.ts";
import { PUSH_BODY } from "#app/entities/alerts/push.ts";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
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

/** Creates one member with pushes on, and a group. */
async function oneMember() {
  const world = pushWorld();
  const { agency, group, members } = await newPushGroup(world.app(), 1);
  const member = at(members, 0);
  return { ...world, agency, group, member, token: at(member.tokens, 0) };
}

describe("a hit", () => {
  it("reaches every member once per channel, and every member's live list", async () => {
    const { app, group, agency, token, member } = await oneMember();
    const reader = at(await insertUsers(agency.id, 1), 0);
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

  it("shows no plate, person, reason or group on a locked screen", async () => {
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

  it("counts the member's unseen hits on the badge", async () => {
    const { app, group, time, member } = await oneMember();
    const badges = async () => (await pushes.taken()).map(({ payload }) => payload.aps);
    for (let i = 0; i < 3; i++) {
      await fanOutAlert(app(), (await anAlert(group)).id);
      time.now += SECOND;
    }
    expect(await badges()).toMatchObject([{ badge: 1 }, { badge: 2 }, { badge: 3 }]);
    await run("insert into alerts_seen (user_id, seen_at) values (?, ?)", member.id, time.now);
    time.now += SECOND;
    await fanOutAlert(app(), (await anAlert(group)).id);
    expect((await badges()).at(-1)).toMatchObject({ badge: 1 });
  });

  it("counts only hits on the badge that the live list has too", async () => {
    const { app, agency, group, time, member } = await oneMember();
    const other = await newGroup(agency.id, [member.id]);
    const badge = async () => {
      await pushes.clear();
      time.now += SECOND;
      await fanOutAlert(app(), (await anAlert(other)).id);
      return (await pushes.taken()).map(({ payload }) => payload.aps);
    };
    await fanOutAlert(app(), (await anAlert(group)).id);
    await run("delete from alert_group_members where group_id = ? and user_id = ?", group.id, member.id);
    expect(await badge()).toMatchObject([{ badge: 1 }]);
    // Hits older than a week are no longer in the list.
    await run("update deliveries set created_at = created_at - ? where user_id = ?", 8 * DAY, member.id);
    expect(await badge()).toMatchObject([{ badge: 1 }]);
  });

  it("is delivered once, even if its message is processed repeatedly and concurrently", async () => {
    const { app } = pushWorld();
    const { group, members } = await newPushGroup(app(), 40);
    const alert = await anAlert(group);
    await Promise.all([1, 2, 3, 4, 5].map(() => fanOutAlert(app(), alert.id)));
    await fanOutAlert(app(), alert.id);
    const taken = await pushes.taken();
    expect(taken.length).toBe(members.length);
    expect(new Set(taken.map(({ device }) => device)).size).toBe(members.length);
  });

  it("sends nothing if the alert does not exist", async () => {
    await fanOutAlert(pushWorld().app(), "no-such-alert");
    expect(await pushes.taken()).toEqual([]);
  });
});

describe("the recipients of a hit", () => {
  it("are determined when the message is processed, not when the alert was created", async () => {
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
  ])("exclude a member who is %s", async (_, sql) => {
    const { app, group, member } = await oneMember();
    const alert = await anAlert(group);
    await run(sql, member.id);
    await fanOutAlert(app(), alert.id);
    expect(await deliveriesOf(alert.id)).toEqual([]);
  });

  it("include members of another agency only while that agency participates", async () => {
    const { app, group } = await oneMember();
    const other = await newAgency();
    const guest = at(await insertUsers(other.id, 1), 0);
    await run("insert into alert_group_members values (?, ?, 1, 'u')", group.id, guest);
    const isNotified = async () => {
      const alert = await anAlert(group);
      await fanOutAlert(app(), alert.id);
      return (await deliveriesOf(alert.id)).map(({ user_id }) => user_id).includes(guest);
    };
    expect(await isNotified()).toBe(false);
    await run(
      "insert into alert_group_invitations (group_id, agency_id, state, invited_by, invited_at) values (?, ?, 'accepted', 'u', 1)",
      group.id,
      other.id,
    );
    expect(await isNotified()).toBe(true);
    await run("update alert_group_invitations set state = 'withdrawn' where agency_id = ?", other.id);
    expect(await isNotified()).toBe(false);
  });

  it("get no push if pushes are off, in quiet hours, or if the channel is not configured", async () => {
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

  it("are checked again before each retry", async () => {
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

  it("who leave before a retry have got the hit if one of their devices has", async () => {
    const { app, group, member, time, queue } = await oneMember();
    const second = newToken();
    await giveDevices(app(), [{ userId: member.id, channel: "apns", address: second }]);
    await vendors.setFaults({ program: "apns", agencyId: second, kind: "status", code: 503, times: 1 });
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    await run("delete from alert_group_members where user_id = ?", member.id);
    time.now = queue.take()?.at ?? 0;
    await fanOutAlert(app(), alert.id);
    const [row] = await deliveriesOf(alert.id, "apns");
    expect(row).toMatchObject({ state: "delivered", reason: "No longer a member" });
  });

  it("get no push for a hit that is an hour old", async () => {
    const { app, group, time } = await oneMember();
    const alert = await anAlert(group, { createdAt: time.now - HOUR });
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({
      state: "suppressed",
      reason: "Too old",
    });
  });
});

describe("a push that fails", () => {
  it("is retried only for the device that has not accepted it", async () => {
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

  it("waits as long as the push service requests", async () => {
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

  it("waits longer than ten minutes if the push service requests it and the hit is still useful then", async () => {
    const { app, group, time, queue } = await oneMember();
    const fault = { program: "apns", kind: "status", code: 429, retryAfter: 30 * 60, times: 1 } as const;
    await vendors.setFaults(fault);
    const alert = await anAlert(group, { createdAt: time.now });
    const began = time.now;
    await fanOutAlert(app(), alert.id);
    const message = queue.take();
    expect(message?.at).toBeGreaterThanOrEqual(began + 30 * MINUTE);
    // Cron does not touch the waiting row, and ends it only if it is not sent when it is due.
    for (time.now = began + 11 * MINUTE; time.now < (message?.at ?? 0); time.now += 5 * MINUTE) {
      await sweepAlerts(app());
      expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({ state: "pending" });
    }
    time.now = message?.at ?? 0;
    await sweepAlerts(app());
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({ state: "delivered", attempts: 2 });
    expect((await pushes.taken()).length).toBe(1);
  });

  it("that has to wait is ended by cron if it is not sent when it is due", async () => {
    const { app, group, time, queue } = await oneMember();
    await vendors.setFaults({ program: "apns", kind: "status", code: 429, retryAfter: 30 * 60, times: 1 });
    const alert = await anAlert(group, { createdAt: time.now });
    await fanOutAlert(app(), alert.id);
    time.now = (queue.take()?.at ?? 0) + 3 * MINUTE;
    await sweepAlerts(app());
    const [row] = await deliveriesOf(alert.id, "apns");
    expect(row).toMatchObject({ state: "dead", reason: "Not sent in time" });
  });

  it("is given up if the push service requests a delay longer than a hit stays useful", async () => {
    const { app, group } = await oneMember();
    await vendors.setFaults({ program: "apns", kind: "status", code: 429, retryAfter: 3600 });
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({ state: "dead", reason: "Status 429" });
  });

  it("fails permanently after several attempts, within ten minutes", async () => {
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

  it("is repeated with the same id if only the response was lost", async () => {
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

  it("stays ended if cron ends it during the send", async () => {
    const { app, group } = await oneMember();
    const alert = await anAlert(group);
    const slow = app();
    slow.push.apns = async () => {
      await run("update deliveries set state = 'dead', next_at = null where alert_id = ?", alert.id);
      return { kind: "later", reason: "Status 503" };
    };
    await fanOutAlert(slow, alert.id);
    expect((await deliveriesOf(alert.id, "apns"))[0]).toMatchObject({ state: "dead", next_at: null });
  });

  it("counts as failed if the push service does not answer within five seconds", async () => {
    const { app, group, token } = await oneMember();
    await vendors.setFaults({ program: "apns", agencyId: token, kind: "hold" });
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    const [row] = await deliveriesOf(alert.id, "apns");
    expect(row).toMatchObject({ state: "pending", reason: "No answer" });
  });

  it("is repeated with the same id if the process died before recording it", async () => {
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
    // The previous test's push, for which no one waits, may still arrive.
    const taken = (await pushes.taken()).filter(({ device }) => device === token);
    expect(taken.length).toBe(2);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(1);
  });
});

describe("a device that no longer exists", () => {
  it("is removed without a call if its stored endpoint no longer belongs to a push service", async () => {
    const { app } = pushWorld({ ALLOW_LOOPBACK_VENDORS: "no" });
    const agency = await newAgency();
    const user = at(await insertUsers(agency.id, 1), 0);
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
  ])("is removed with the reason %s and not called again", async (reason, token) => {
    const { app } = pushWorld();
    const agency = await newAgency();
    const user = at(await insertUsers(agency.id, 1), 0);
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

  it("is removed if its browser unsubscribed, while its owner's phone still gets pushes", async () => {
    const { app, group, member } = await oneMember();
    const gone = { endpoint: `${vendors.url}/wpush/gone`, keys: (await pushes.subscription()).keys };
    await giveDevices(app(), [{ userId: member.id, channel: "webpush", address: JSON.stringify(gone) }]);
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    const states = (await deliveriesOf(alert.id)).map(({ channel, state }) => `${channel} ${state}`);
    expect(states).toEqual(["apns delivered", "live delivered", "webpush suppressed"]);
  });
});

describe("a browser that subscribed with a former key", () => {
  const browser = async (id?: string) => {
    const { endpoint, keys } = await pushes.subscription();
    return { keys, endpoint: id ? `${vendors.url}/wpush/${id}` : endpoint };
  };
  const dropped = async (device: string | undefined) =>
    bindings.DB.prepare("select dropped from push_devices where id = ?").bind(device).first("dropped");

  it("is removed if its push service takes the push to another browser, and its owner is told what to do", async () => {
    const { app, group, member } = await oneMember();
    const both = [await browser(`former-${newToken()}`), await browser()];
    const devices = await giveDevices(
      app(),
      both.map((one) => ({ userId: member.id, channel: "webpush", address: JSON.stringify(one) })),
    );
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    expect(await deliveriesOf(alert.id, "webpush")).toMatchObject([{ state: "delivered", reason: "" }]);
    expect(await Promise.all(devices.map(dropped))).toEqual(["Turn on again in this browser", null]);
  });

  it("stays if no browser is reached: the server's own key may be wrong", async () => {
    const { app, group, member } = await oneMember();
    const address = JSON.stringify(await browser(`former-${newToken()}`));
    const [device] = await giveDevices(app(), [{ userId: member.id, channel: "webpush", address }]);
    const alert = await anAlert(group);
    await fanOutAlert(app(), alert.id);
    expect(await deliveriesOf(alert.id, "webpush")).toMatchObject([{ state: "dead", reason: "Status 403" }]);
    expect(await dropped(device)).toBeNull();
  });
});

describe("an alert whose queue message was lost", () => {
  it("is created without an error and delivered by cron", async () => {
    const { app, group, time, queue } = await oneMember();
    const alert = await anAlert(group, { createdAt: time.now });
    expectLogged(/the sweep/);
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

  it("has its pending pushes ended by cron if the queue remains unavailable", async () => {
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

  it("is queued in batches of at most a hundred", async () => {
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
