import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { listLiveAlerts, markAlertsSeen } from "#app/domain/alerts/live.ts";
import { bulkUpload } from "#app/domain/hotlists/bulk-upload.ts";
import { listOwnNotices, noticeExpiries } from "#app/domain/hotlists/expiry-notices.ts";
import { archiveGroup, createGroup, editGroup } from "#app/domain/hotlists/group-changes.ts";
import { addPlate, removePlate, renewPlates } from "#app/domain/hotlists/plate-changes.ts";
import { pagePlates } from "#app/domain/hotlists/plates.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { AddPlate, GroupForm, NewPlate } from "#app/entities/hotlists/calls.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { findExpiringIn, insertNotices } from "#app/store/hotlists/expiry-notices.ts";
import { countExpired, countExpiring } from "#app/store/hotlists/list-parts.ts";
import {
  bindings,
  bodyOf,
  client,
  newAgency,
  newUser,
  quietApp,
  sessionActorOf,
  setExpiryDays,
  testApp,
  unique,
} from "../../factories.ts";
import { plansOf } from "../../support/workerd/queries.ts";

let now = 0;
let app: AppContext;
let actor: SessionActor;
let colleague: SessionActor;
let group: string;

async function newActor(agency: { id: string; name: string }): Promise<SessionActor> {
  const user = await newUser(agency.id, { hotlistAdmin: true });
  return sessionActorOf(user, agency.name);
}

async function newGroup(): Promise<string> {
  const form = GroupForm.parse({ group_name: "Stolen" });
  return (await createGroup(app, actor, { form, image: null, plates: [] })).group_id;
}

beforeEach(async () => {
  await bindings.DB.prepare("DELETE FROM expiry_notice_runs").run();
  now = Date.UTC(2026, 10, 20, 12);
  app = quietApp(() => now);
  const agency = await newAgency();
  [actor, colleague] = [await newActor(agency), await newActor(agency)];
  group = await newGroup();
  await noticeExpiries(app);
});

function add(plate_number: string, over: object = {}, who = actor) {
  const call = AddPlate.parse({ plate_number, reason: "Stolen", state: "CT", group_id: group, ...over });
  return addPlate(app, who, call);
}

/** Runs the cron job at intervals up to a given time. */
async function runCronUntil(until: number, step = 6 * HOUR): Promise<void> {
  while (now < until) {
    now = Math.min(now + step, until);
    await noticeExpiries(app);
  }
}

const notices = async (who = actor) =>
  (await listOwnNotices(app, who)).map(({ stage, plates, plate, seen }) => ({ stage, plates, plate, seen }));
const rows = () =>
  bindings.DB.prepare("SELECT count(*) AS n FROM expiry_notices WHERE group_id = ?")
    .bind(group)
    .first<number>("n");

describe("an expiry", () => {
  it("is not set by default, however a plate is added", async () => {
    await add("AA1");
    const plate = NewPlate.parse({ number: "BB2" });
    const form = GroupForm.parse({ group_name: "Stolen" });
    await editGroup(app, actor, { id: group, form, image: null, plates: [{ plate, file: null }] });
    const csv = new TextEncoder().encode("plate,state,reason\nCC3,CT,Stolen\n");
    const file = { name: "a.csv", bytes: csv };
    await bulkUpload(app, actor, { groupId: group, mode: "add", file });
    const { plates } = await pagePlates(app, actor, { groupId: group });
    expect(plates.map(({ plate_number, expires_at }) => [plate_number, expires_at])).toEqual([
      ["AA1", null],
      ["BB2", null],
      ["CC3", null],
    ]);
    await setExpiryDays(actor.agencyId, 14);
    await add("DD4");
    const last = (await pagePlates(app, actor, { groupId: group })).plates.at(-1);
    expect(last?.expires_at).toBe(isoTime(now + 14 * DAY));
  });
});

describe("the user who added a plate", () => {
  it("is notified once a week before it expires, once a day before, and once when it has expired", async () => {
    const end = now + 20 * DAY;
    await add("AA1", { expires: isoTime(end) });
    await add("BB2", { expires: "never" });
    await runCronUntil(end - 7 * DAY - MINUTE);
    expect(await notices()).toEqual([]);
    await runCronUntil(end - 7 * DAY);
    expect(await notices()).toEqual([{ stage: "week", plates: 1, plate: "AA1", seen: false }]);
    await runCronUntil(end - DAY - MINUTE);
    expect(await notices()).toEqual([{ stage: "week", plates: 1, plate: "AA1", seen: false }]);
    await runCronUntil(end - DAY);
    expect(await notices()).toEqual([{ stage: "day", plates: 1, plate: "AA1", seen: false }]);
    await runCronUntil(end);
    expect(await notices()).toEqual([{ stage: "expired", plates: 1, plate: "AA1", seen: false }]);
    expect(await rows()).toBe(3);
    await runCronUntil(end + 29 * DAY, DAY);
    expect(await notices()).toHaveLength(1);
    await runCronUntil(end + 31 * DAY, DAY);
    expect(await notices()).toEqual([]);
    expect(await rows()).toBe(0);
  });

  it("is notified once, even if a run is retried, overlaps another, or is late", async () => {
    const end = now + 8 * DAY;
    await add("AA1", { expires: isoTime(end) });
    now = end - 6 * DAY;
    await Promise.all([1, 2, 3].map(() => noticeExpiries(app)));
    await noticeExpiries(app);
    expect(await rows()).toBe(1);
    // A run that read its start time before another run, with a later clock, finished.
    const late = insertNotices(app.db, { since: end - 9 * DAY, now: now + 5, lastRun: end - 9 * DAY });
    await expect(inOneStep(app.db, nonEmpty(late))).rejects.toThrow();
    expect(await rows()).toBe(1);
    // The job does not run for a whole week.
    now = end + HOUR;
    await noticeExpiries(app);
    expect(await notices()).toEqual([{ stage: "expired", plates: 1, plate: "AA1", seen: false }]);
  });

  it("is notified of plates that were already about to expire at the first run", async () => {
    for (const [plate, days] of [
      ["AA1", 0.5],
      ["BB2", 3],
      ["CC3", 30],
    ] as const)
      await add(plate, { expires: isoTime(now + days * DAY) });
    await bindings.DB.prepare("DELETE FROM expiry_notice_runs").run();
    await noticeExpiries(app);
    expect(await notices()).toEqual([
      { stage: "day", plates: 1, plate: "AA1", seen: false },
      { stage: "week", plates: 1, plate: "BB2", seen: false },
    ]);
  });

  it("gets one notice per group and stage for any number of plates; no one else gets it", async () => {
    const end = now + 10 * DAY;
    await setExpiryDays(actor.agencyId, 10);
    const lines = Array.from({ length: 3000 }, (_, i) => `E${i},CT,Stolen`);
    const text = `plate,state,reason\n${lines.join("\n")}\n`;
    const file = { name: "a.csv", bytes: new TextEncoder().encode(text) };
    await bulkUpload(app, actor, { groupId: group, mode: "add", file });
    await add("ZZ1", { expires: isoTime(end - HOUR) });
    await add("HERS", { expires: isoTime(end - HOUR) }, colleague);
    const stranger = await newActor(await newAgency());
    await runCronUntil(end - 6 * DAY, HOUR);
    expect(await notices()).toEqual([{ stage: "week", plates: 1000, plate: "", seen: false }]);
    expect(await notices(colleague)).toEqual([{ stage: "week", plates: 1, plate: "HERS", seen: false }]);
    expect(await notices(stranger)).toEqual([]);
    // Users who moved to another agency no longer see the notice.
    expect(await notices({ ...actor, agencyId: stranger.agencyId })).toEqual([]);
    const own = await newGroup();
    expect(await listOwnNotices(app, actor, own)).toEqual([]);
    expect(await listOwnNotices(app, actor, group)).toMatchObject([{ group_id: group, group: "Stolen" }]);
  });

  it.each([
    "disabled_at = 1",
    "disabled_at = 1, deleted_at = 1",
    "hotlist_admin = 0",
    "hotlist_admin = 0, hotlist_viewer = 1",
  ])(
    "is replaced by those who manage the list once the user has left or may no longer change it: %s",
    async (left) => {
      const set = (sql: string, who: SessionActor) =>
        bindings.DB.prepare(`UPDATE users SET ${sql} WHERE id = ?`).bind(who.userId).run();
      const admin = sessionActorOf(await newUser(actor.agencyId, { role: "admin" }), actor.agencyName);
      const viewer = await newUser(actor.agencyId, { hotlistViewer: true });
      const stranger = await newActor(await newAgency());
      const away = await newActor({ id: actor.agencyId, name: actor.agencyName });
      const end = now + 10 * DAY;
      for (const plate of ["AA1", "BB2"]) await add(plate, { expires: isoTime(end) });
      await add("CC3", { expires: isoTime(end) }, colleague);
      await set(left, actor);
      await set("disabled_at = 1", away);
      await runCronUntil(end - 7 * DAY);
      expect(await notices(colleague)).toEqual([{ stage: "week", plates: 3, plate: "", seen: false }]);
      expect(await notices(admin)).toEqual([{ stage: "week", plates: 2, plate: "", seen: false }]);
      for (const who of [sessionActorOf(viewer, actor.agencyName), stranger])
        expect(await notices(who)).toEqual([]);
      const { results } = await bindings.DB.prepare(
        "SELECT user_id AS id FROM expiry_notices WHERE group_id = ?",
      )
        .bind(group)
        .all();
      expect(results.map(({ id }) => id)).not.toContain(away.userId);
      await markAlertsSeen(app, admin, { until: "", notices_until: isoTime(now) });
      await runCronUntil(end - DAY);
      expect(await notices(admin)).toEqual([{ stage: "day", plates: 2, plate: "", seen: false }]);
    },
  );

  it("gets no notice for plates that were renewed or removed, or whose group was archived", async () => {
    const end = now + 8 * DAY;
    for (const plate of ["AA1", "BB2", "CC3"]) await add(plate, { expires: isoTime(end) });
    await runCronUntil(end - 3 * DAY);
    expect((await notices())[0]).toMatchObject({ plates: 3 });
    const [first] = (await pagePlates(app, actor, { groupId: group })).plates;
    await removePlate(app, actor, { groupId: group, plateId: String(first?.id) });
    expect((await notices())[0]).toMatchObject({ plates: 2 });
    await renewPlates(app, actor, { groupId: group, part: "near" });
    expect(await notices()).toEqual([]);
    await add("DD4", { expires: isoTime(now + DAY + HOUR) });
    await runCronUntil(now + 2 * HOUR);
    expect(await notices()).toHaveLength(1);
    await archiveGroup(app, actor, group);
    expect(await notices()).toEqual([]);
    await runCronUntil(now + 2 * DAY);
    expect(await rows()).toBeLessThan(3);
  });
});

describe("the bell", () => {
  const live = (after: string | null = null) => listLiveAlerts(app, actor, after);

  it("shows the notices of a user who is not a member of any group, until the user opens it", async () => {
    expect((await live()).member).toBe(false);
    await add("AA1", { expires: isoTime(now + 8 * DAY) });
    await runCronUntil(now + 2 * DAY);
    const first = await live();
    expect(first).toMatchObject({ member: true, alerts: [], unread: 0 });
    expect(first.notices).toMatchObject([{ plate: "AA1", stage: "week", seen: false, group_id: group }]);
    expect((await live(first.cursor)).notices).toBeNull();
    await markAlertsSeen(app, actor, { until: "", notices_until: first.notices?.[0]?.noticed_at ?? "" });
    expect((await live()).notices).toMatchObject([{ seen: true }]);
    await runCronUntil(now + 5.5 * DAY);
    const second = await live(first.cursor);
    expect(second.notices).toMatchObject([{ stage: "day", seen: false }]);
    await markAlertsSeen(app, actor, { until: "", notices_until: isoTime(now - 2 * DAY) });
    expect((await live()).notices).toMatchObject([{ stage: "day", seen: false }]);
  });

  it("ignores cursors from an earlier version of Odin", async () => {
    await add("AA1", { expires: isoTime(now + 8 * DAY) });
    await runCronUntil(now + 2 * DAY);
    for (const old of ["5-5", "5.5", "x"]) expect((await live(old)).notices).toHaveLength(1);
  });

  it("and the group's page show the notice in the built product", async () => {
    const agency = await newAgency();
    const user = await newUser(agency.id, { hotlistAdmin: true });
    const who = await client(user);
    const name = unique("Group");
    const body = new FormData();
    body.set("group_name", name);
    const made = await who.fetch("/groups/create-mobile", { method: "POST", body });
    const { group_id } = await bodyOf<{ group_id: string }>(made);
    const plate = { plate_number: "SOON1", reason: "x", state: "", notes: "", group_id };
    await who.post("/hotlist/add-plate-direct", { ...plate, expires: isoTime(Date.now() + 3 * DAY) });
    await bindings.DB.prepare("DELETE FROM expiry_notice_runs").run();
    await noticeExpiries(testApp());
    const answer = await (await who.fetch("/live-alerts")).json();
    expect(answer).toMatchObject({ member: true, notices: [{ group: name, plate: "SOON1", stage: "week" }] });
    const words = /SOON1 in (&quot;|")[^"&]+(&quot;|") expires within a week\./;
    for (const path of [`/groups/${group_id}`, `/groups/${group_id}/edit`])
      expect(await (await who.fetch(path)).text()).toMatch(words);
    const seen = { until: "", notices_until: new Date().toISOString() };
    expect((await who.post("/live-alerts/seen", seen)).status).toBe(200);
    expect(await (await who.fetch("/live-alerts")).json()).toMatchObject({ notices: [{ seen: true }] });
  });
});

describe("the queries of expiries", () => {
  afterAll(async () => {
    await bindings.DB.prepare("DELETE FROM sqlite_stat1").run();
    await bindings.DB.prepare("ANALYZE sqlite_schema").run();
  });

  it("stay in the range of their group also with the statistics of ANALYZE, which Odin never runs", async () => {
    // What ANALYZE finds in five groups with 120,000 plates each.
    await bindings.DB.prepare("ANALYZE expiry_notice_runs").run();
    await bindings.DB.prepare("INSERT INTO sqlite_stat1 VALUES (?, ?, '600000 120000 120000 2 2')")
      .bind("hotlist_entries", "hotlist_entries_expiry")
      .run();
    await bindings.DB.prepare("ANALYZE sqlite_schema").run();
    await add("AA1", { expires: isoTime(now + 7 * DAY + 30 * MINUTE) });
    now += HOUR;
    const { database: DB, plans } = plansOf(bindings.DB);
    const counting = testApp(() => now, { DB });
    await noticeExpiries(counting);
    await listOwnNotices(counting, actor);
    await countExpiring(counting.db, { groupId: group, now });
    await countExpired(counting.db, { groupIds: [group], now });
    await findExpiringIn(counting.db, { groupId: group, after: now, until: now + DAY, platesMost: 5 });
    const touching = await plans("hotlist_entries_expiry");
    expect(touching.length).toBeGreaterThan(8);
    for (const { text, plan } of touching) {
      expect(plan, text).not.toContain("ANY(");
    }
  });
});
