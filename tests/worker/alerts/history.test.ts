import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Alert, AlertPage, HitQuality, LiveAlerts } from "#app/entities/alerts/hit.ts";
import { DAY, isoTime, localTime, MINUTE } from "#app/lib/time/dates.ts";
import { insertDeliveries } from "#app/store/alerts/deliveries.ts";
import { inOneStep, openControl } from "#app/store/database.ts";
import {
  anAlert,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  newAgency,
  newUser,
  setUpPart,
  unique,
} from "../../factories.ts";

const JPEG = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0xff, 0xd9);

type Group = { id: string; agencyId: string };

async function newGroup(agencyId: string, members: string[] = [], name = unique("Group")): Promise<Group> {
  const id = unique("group");
  const [first] = members;
  const createdBy = first ?? (await newUser(agencyId, { hotlistAdmin: true })).id;
  await setUpPart({
    alertGroups: [{ id, agencyId, name, description: "", createdBy, members, plates: [] }],
  });
  return { id, agencyId };
}

async function people(agencyId: string) {
  const users = {
    hotadmin: await newUser(agencyId, { hotlistAdmin: true }),
    viewer: await newUser(agencyId, { hotlistViewer: true }),
    admin: await newUser(agencyId, { role: "admin" }),
  };
  const [hotadmin, viewer, admin] = await Promise.all([
    client(users.hotadmin),
    client(users.viewer),
    client(users.admin),
  ]);
  return { users, hotadmin, viewer, admin };
}

let ours: Awaited<ReturnType<typeof people>>;
let stranger: Client;
let group: Group;

beforeAll(async () => {
  const [agency, other] = await Promise.all([newAgency(), newAgency()]);
  ours = await people(agency.id);
  stranger = await client(await newUser(other.id, { role: "admin" }));
  group = await newGroup(agency.id, [ours.users.viewer.id]);
});

afterEach(() => {
  vi.useRealTimers();
});

async function read<T>(who: Client, path: string): Promise<T> {
  const response = await who.fetch(path);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Delivers an alert to a user's open app, as the fan-out does at that time. */
async function deliver(alert: { id: string }, user: { id: string }, at: number): Promise<void> {
  const db = openControl(bindings.DB);
  const row = { userId: user.id, channel: "live", state: "delivered", reason: "" } as const;
  await inOneStep(db, [insertDeliveries(db, { alertId: alert.id, rows: [row], at })]);
}

describe("an alert", () => {
  it("has the documented fields and lists the differences to verify", async () => {
    const row = await anAlert(group, {
      differences: ["state NY, listed CT", "Entry is 27 days old"],
      matchKind: "lookalike",
      vehicleImageKey: "axis/2026-11-20/c/abcdefgh1234.jpg",
    });
    const alert = await read<Alert>(ours.viewer, `/api/alerts/${row.id}`);
    expect(alert).toMatchObject({
      id: row.id,
      plate: "AB12345",
      state: "CT",
      timestamp: isoTime(row.capturedAt),
      camera: "Main St",
      agency: "Some Police",
      justification: "Stolen vehicle",
      notes: "Seen with another car",
      date_added: isoTime(row.listedAt),
      image_url: `/api/alerts/${row.id}/image/vehicle?v=abcdefgh`,
      plate_image_url: null,
      latitude: 41.7637,
      longitude: -72.6851,
      source_program: "Axis",
      match_kind: "lookalike",
      differences: ["state NY, listed CT", "Entry is 27 days old"],
      group: { id: group.id },
      disposition: null,
    });
  });

  it("lists trips between it and the group's other hits of the plate that no car could drive", async () => {
    const [own, other] = await Promise.all([newGroup(group.agencyId), newGroup(group.agencyId)]);
    const at = Date.now() - DAY;
    const plate = "TRIP123";
    const first = await anAlert(own, { plate, capturedAt: at, make: "Honda", cameraName: "Maple Ave" });
    const far = { plate, latitude: 41_308_000, longitude: -72_928_000, cameraName: "Elm St", make: "Ford" };
    const second = await anAlert(own, { ...far, capturedAt: at + 5 * MINUTE });
    // A possible trip and a hit of another group are not listed.
    await anAlert(own, { ...far, capturedAt: at + 10 * MINUTE });
    await anAlert(other, { ...far, capturedAt: at + MINUTE });
    const tripsOf = async (id: string) =>
      (await read<Alert>(ours.hotadmin, `/api/alerts/${id}`)).impossible_trips;
    const trips = await tripsOf(first.id);
    expect(trips).toMatchObject([
      {
        from: { time: at, camera: "Maple Ave" },
        to: { time: at + 5 * MINUTE, camera: "Elm St" },
        cause: { kind: "clone", differs: ["make"] },
      },
    ]);
    expect(trips[0]?.mph).toBeGreaterThan(400);
    expect(await tripsOf(second.id)).toEqual(trips);
    // The browser, too, first renders the page in this zone.
    const page = await (await ours.hotadmin.fetch(`/alert-history-detail/${first.id}`)).text();
    const [from, to] = [at, at + 5 * MINUTE].map((time) =>
      localTime(time, "America/New_York")?.slice(11, 16),
    );
    expect(page).toContain(`from Maple Ave ${from} to Elm St ${to}`);
    expect(await tripsOf((await anAlert(own, { plate: "LONE123" })).id)).toEqual([]);
  });

  it("is audited when it is viewed", async () => {
    const row = await anAlert(group);
    await read(ours.viewer, `/api/alerts/${row.id}`);
    expect(await auditOf(ours.users.viewer)).toMatchObject([
      { action: "alert.view", outcome: "ok", object: row.id, plate: "AB12345", case_number: "26-1044" },
    ]);
  });

  it("is audited when only its address is asked for, once in ten minutes if the hit is viewed too", async () => {
    const viewer = await newUser(group.agencyId, { hotlistViewer: true });
    const who = await client(viewer);
    const [seen, asked] = [await anAlert(group), await anAlert(group)];
    await read(who, `/api/alerts/${seen.id}`);
    await read(who, `/api/alerts/${seen.id}/address`);
    await read(who, `/api/alerts/${asked.id}/address`);
    await read(who, `/api/alerts/${asked.id}/address`);
    const views = (await auditOf(viewer, 5)).filter(({ action }) => action === "alert.view");
    expect(views.map(({ object, plate }) => [object, plate])).toEqual([
      [seen.id, "AB12345"],
      [asked.id, "AB12345"],
    ]);
  });

  it("is not found by other agencies in any endpoint", async () => {
    const row = await anAlert(group, { vehicleImageKey: "axis/2026-11-20/c/strange.jpg" });
    const paths = ["", "/image/vehicle", "/address"].map((end) => `/api/alerts/${row.id}${end}`);
    for (const path of [...paths, `/alerts/group/${group.id}/data`, `/alert-history-detail/${row.id}`])
      expect([path, (await stranger.fetch(path)).status]).toEqual([path, 404]);
    const decided = await stranger.post(`/api/alerts/${row.id}/disposition`, { disposition: "correct" });
    expect(decided.status).toBe(404);
  });

  it("is hidden when its group is archived, except from hotlist administrators", async () => {
    const own = await newGroup(group.agencyId, [ours.users.viewer.id]);
    const row = await anAlert(own);
    await ours.admin.post("/archive-group", { group_id: own.id });
    const paths = [`/api/alerts/${row.id}`, `/alerts/group/${own.id}/data`, `/alerts/group/${own.id}`];
    for (const path of paths) {
      const statuses = [ours.viewer, stranger, ours.hotadmin].map(
        async (who) => (await who.fetch(path)).status,
      );
      expect([path, await Promise.all(statuses)]).toEqual([path, [404, 404, 200]]);
    }
    expect((await read<LiveAlerts>(ours.hotadmin, "/live-alerts")).alerts).toEqual([]);
  });

  it("has a nearest address only if its camera has a location", async () => {
    const here = await anAlert(group);
    const nowhere = await anAlert(group, { latitude: null, longitude: null });
    const address = (id: string) =>
      read<{ address: string | null }>(ours.viewer, `/api/alerts/${id}/address`);
    expect((await address(here.id)).address).toMatch(/Hartford/);
    expect((await address(nowhere.id)).address).toBeNull();
  });
});

describe("an image of an alert", () => {
  it("is served to permitted users with a private cache, and audited", async () => {
    const key = `axis/2026-11-20/c/${unique("image")}.jpg`;
    await bindings.IMAGES.put(key, JPEG);
    const row = await anAlert(group, { vehicleImageKey: key });
    const response = await ours.viewer.fetch(`/api/alerts/${row.id}/image/vehicle`);
    expect(response.headers.get("content-type")).toBe("image/jpeg");
    expect(response.headers.get("cache-control")).toBe("private, max-age=3600, immutable");
    expect(response.headers.get("vary")).toBe("cookie, authorization");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(JPEG);
    expect(await auditOf(ours.users.viewer)).toMatchObject([
      { action: "image.view", object: row.id, plate: "AB12345" },
    ]);
    expect((await stranger.fetch(`/api/alerts/${row.id}/image/vehicle`)).status).toBe(404);
  });

  it("is not found if the alert has none or the stored file is not an image", async () => {
    const key = `axis/2026-11-20/c/${unique("text")}.jpg`;
    await bindings.IMAGES.put(key, "<script>alert(1)</script>");
    const row = await anAlert(group, { vehicleImageKey: key });
    for (const kind of ["vehicle", "plate", "other", "..%2Fvehicle"])
      expect((await ours.viewer.fetch(`/api/alerts/${row.id}/image/${kind}`)).status).toBe(404);
  });
});

describe("the history of a group", () => {
  const pageOf = (id: string, query = "") =>
    read<AlertPage>(ours.viewer, `/alerts/group/${id}/data?limit=50${query.replace("?", "&")}`);

  it("pages from newest to oldest and back, with each alert once", async () => {
    const own = await newGroup(group.agencyId);
    const start = Date.now() - DAY;
    const wanted: string[] = [];
    // Pairs of alerts share a capture time; the id orders them.
    for (let i = 0; i < 120; i++) {
      const capturedAt = start + Math.floor(i / 2) * 1000;
      wanted.push((await anAlert(own, { capturedAt })).id);
    }
    const seen: string[] = [];
    let page = await pageOf(own.id);
    expect(page.newer).toBeNull();
    const first = page.alerts.map(({ id }) => id);
    for (;;) {
      seen.push(...page.alerts.map(({ id }) => id));
      const times = page.alerts.map(({ timestamp }) => timestamp ?? "");
      expect(times).toEqual([...times].sort().reverse());
      if (page.older === null) break;
      page = await pageOf(own.id, `?older=${page.older}`);
    }
    expect(seen).toHaveLength(120);
    expect(new Set(seen)).toEqual(new Set(wanted));
    for (let steps = 0; page.newer !== null && steps < 5; steps++)
      page = await pageOf(own.id, `?newer=${page.newer}`);
    expect(page.alerts.map(({ id }) => id)).toEqual(first);
  });

  it("is filtered by plate, source, camera, time and disposition", async () => {
    const own = await newGroup(group.agencyId);
    const at = Date.UTC(2026, 10, 20, 12);
    const one = await anAlert(own, { plate: "XYZ789", listedPlate: "XYZ7B9", capturedAt: at });
    const two = await anAlert(own, { program: "Rekor", cameraId: "bridge", capturedAt: at + MINUTE });
    await ours.viewer.post(`/api/alerts/${two.id}/disposition`, { disposition: "misread" });
    const ids = async (query: string) => (await pageOf(own.id, query)).alerts.map(({ id }) => id);
    expect(await ids("?plate=yz-78")).toEqual([one.id]);
    expect(await ids("?plate=*7b9")).toEqual([one.id]);
    expect(await ids("?plate=yz?")).toEqual([]);
    expect(await ids("?program=Rekor")).toEqual([two.id]);
    expect(await ids("?camera=bridge")).toEqual([two.id]);
    expect(await ids(`?until=${isoTime(at)}`)).toEqual([one.id]);
    expect(await ids(`?from=${isoTime(at + 1)}`)).toEqual([two.id]);
    expect(await ids("?disposition=misread")).toEqual([two.id]);
    expect(await ids("?disposition=none")).toEqual([one.id]);
    expect(await ids("")).toEqual([two.id, one.id]);
  });

  it("is filtered by plates of any letters, and by none that are too long for a pattern of the database", async () => {
    const own = await newGroup(group.agencyId);
    const alert = await anAlert(own, { plate: "京".repeat(15) });
    const find = async (plate: string) => {
      const answer = await ours.viewer.post(`/alerts/group/${own.id}/find`, {
        filter: String(new URLSearchParams({ plate })),
      });
      return { status: answer.status, ids: ((await answer.json()) as AlertPage).alerts?.map(({ id }) => id) };
    };
    expect(await find("京".repeat(15))).toEqual({ status: 200, ids: [alert.id] });
    expect(await find(`${"京".repeat(15)}*`)).toEqual({ status: 200, ids: [alert.id] });
    expect(await find("京".repeat(20))).toMatchObject({ status: 400 });
    expect(await find(`?${"京".repeat(17)}`)).toMatchObject({ status: 400 });
  });

  it("is audited when a plate is looked up in it, however that is asked", async () => {
    const own = await newGroup(group.agencyId);
    await anAlert(own, { plate: "XYZ789" });
    const { users, viewer } = ours;
    const path = `/alerts/group/${own.id}`;
    const asked = [
      () => viewer.fetch(`${path}/data?plate=xyz78*`),
      () => viewer.fetch(`${path}/data?plate=xyz78*&limit=5`),
      () => viewer.post(`${path}/find`, { filter: "plate=xyz78*" }),
      () => viewer.post(`${path}/find`, { filter: String(new URLSearchParams({ plate: " X.Y·Z-7 ８*" })) }),
    ];
    for (const ask of asked) {
      const [before] = await auditOf(users.viewer);
      const response = await ask();
      await response.text();
      expect(response.status).toBe(200);
      const [row] = await auditOf(users.viewer);
      expect(row).toMatchObject({ action: "hits.view", outcome: "ok", object: own.id, plate: "XYZ78*" });
      expect(row?.seq).not.toBe(before?.seq);
    }
    const [last] = await auditOf(users.viewer);
    await pageOf(own.id, "?program=Rekor");
    expect((await auditOf(users.viewer))[0]?.seq).toBe(last?.seq);
  });

  it("is audited when hits on a plate are counted, once in ten minutes for the same plate", async () => {
    const own = await newGroup(group.agencyId);
    await anAlert(own, { plate: "XYZ789" });
    const { users, viewer } = ours;
    const path = `/alerts/group/${own.id}/new`;
    const counts = {
      byAddress: (plate: string) => viewer.fetch(`${path}?latest=0&plate=${plate}`),
      byBody: (plate: string) => viewer.post(path, { filter: `latest=0&plate=${plate}` }),
    };
    const lookedUp = async () =>
      (await auditOf(users.viewer, 10))
        .filter(
          ({ action, outcome, object }) => `${action} ${outcome} ${object}` === `hits.view ok ${own.id}`,
        )
        .map(({ plate }) => plate);
    for (const plate of ["xyz78*", "XYZ789"]) {
      expect(await (await counts.byAddress(plate)).json()).toEqual({ count: 1 });
      expect(await (await counts.byBody(plate)).json()).toEqual({ count: 1 });
    }
    expect(await lookedUp()).toEqual(["XYZ78*", "XYZ789"]);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 11 * MINUTE);
    await counts.byBody("XYZ789");
    expect(await lookedUp()).toEqual(["XYZ78*", "XYZ789", "XYZ789"]);
  });

  it.each([
    "plate=%27%3B--",
    "program=Nobody",
    "disposition=maybe",
    "from=yesterday",
    `from=${isoTime(2)}&until=${isoTime(1)}`,
  ])("rejects an invalid filter: %s", async (query) => {
    expect((await ours.viewer.fetch(`/alerts/group/${group.id}/data?${query}`)).status).toBe(400);
  });

  it("treats an invalid cursor as the first page", async () => {
    for (const cursor of ["older=x", "newer=-", "older=9e99.a", `older=${"1".repeat(40)}.a`])
      expect((await ours.viewer.fetch(`/alerts/group/${group.id}/data?${cursor}`)).status).toBe(200);
  });

  it("counts newer alerts that pass the filter", async () => {
    const own = await newGroup(group.agencyId);
    await anAlert(own, { createdAt: Date.now() - MINUTE });
    const { latest } = await pageOf(own.id);
    const since = (query = "") =>
      read<{ count: number }>(ours.viewer, `/alerts/group/${own.id}/new?latest=${latest}${query}`);
    expect(await since()).toEqual({ count: 0 });
    await anAlert(own, { program: "Rekor" });
    await anAlert(own);
    expect(await since()).toEqual({ count: 2 });
    expect(await since("&program=Rekor")).toEqual({ count: 1 });
    expect((await ours.viewer.fetch(`/alerts/group/${own.id}/new?latest=soon`)).status).toBe(400);
  });
});

describe("a disposition", () => {
  const decide = (who: Client, id: string, body: object) => who.post(`/api/alerts/${id}/disposition`, body);

  it("is stored with its author, time and note, and audited with the previous one", async () => {
    const row = await anAlert(group);
    const first = await decide(ours.viewer, row.id, { disposition: "misread", note: " It was an 8. " });
    const alert: Alert = await first.json();
    expect(alert).toMatchObject({
      disposition: "misread",
      disposition_note: "It was an 8.",
      disposition_by: ours.users.viewer.name,
    });
    const known = alert.disposition_at;
    const second = await decide(ours.hotadmin, row.id, { disposition: "correct", known });
    expect(second.status).toBe(200);
    const [audited] = await auditOf(ours.users.hotadmin);
    expect(audited).toMatchObject({ action: "alert.disposition", object: row.id, plate: "AB12345" });
    expect(JSON.parse(audited?.detail ?? "")).toMatchObject({
      before: { disposition: "misread", note: "It was an 8.", by: ours.users.viewer.name },
      after: { disposition: "correct", note: "" },
    });
  });

  it("is rejected if another user decided first, and the message names that decision", async () => {
    const row = await anAlert(group);
    const answers = await Promise.all([
      decide(ours.viewer, row.id, { disposition: "misread" }),
      decide(ours.hotadmin, row.id, { disposition: "correct" }),
      decide(ours.admin, row.id, { disposition: "dismissed" }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(await refused?.text()).toMatch(/Name of \S+ marked this hit \\"(Misread|Correct|Dismissed)\\" /);
    const { results } = await bindings.DB.prepare(
      "SELECT seq FROM audit_log WHERE action = 'alert.disposition' AND object = ?",
    )
      .bind(row.id)
      .all();
    expect(results).toHaveLength(1);
  });

  it("is saved once if it is sent again because its answer was lost", async () => {
    const row = await anAlert(group);
    const sent = { disposition: "misread", note: "It was an 8.", known: null };
    const first: Alert = await (await decide(ours.viewer, row.id, sent)).json();
    const again = await Promise.all([decide(ours.viewer, row.id, sent), decide(ours.viewer, row.id, sent)]);
    expect(again.map(({ status }) => status)).toEqual([200, 200]);
    expect(await bodyOf(again[0])).toMatchObject({ disposition_at: first.disposition_at });
    const audited = await auditOf(ours.users.viewer);
    expect(audited.filter(({ object }) => object === row.id)).toHaveLength(1);
    for (const [who, other] of [
      [ours.viewer, { ...sent, note: "It was a B." }],
      [ours.viewer, { ...sent, disposition: "correct" }],
      [ours.hotadmin, sent],
    ] as const)
      expect((await decide(who, row.id, other)).status).toBe(409);
    const other = await anAlert(group);
    const together = await Promise.all([1, 2, 3].map(() => decide(ours.viewer, other.id, sent)));
    expect(together.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("is removed only by hotlist administrators", async () => {
    const row = await anAlert(group);
    const made: Alert = await (await decide(ours.viewer, row.id, { disposition: "correct" })).json();
    const back = { disposition: null, known: made.disposition_at };
    expect((await decide(ours.viewer, row.id, back)).status).toBe(403);
    const cleared: Alert = await (await decide(ours.hotadmin, row.id, back)).json();
    expect(cleared).toMatchObject({ disposition: null, disposition_by: null, disposition_note: "" });
  });

  it.each([
    {},
    { disposition: "maybe" },
    { disposition: "correct", note: "x".repeat(501) },
    { disposition: 1 },
  ])("refuses %j", async (body) => {
    const row = await anAlert(group);
    expect((await decide(ours.viewer, row.id, body)).status).toBe(400);
  });
});

describe("live hits in the open app", () => {
  const live = (who: Client, after?: string) =>
    read<LiveAlerts>(who, `/live-alerts${after === undefined ? "" : `?after=${after}`}`);

  it("arrive when they are delivered, and are returned once", async () => {
    const own = await newGroup(group.agencyId, [ours.users.viewer.id], "Watched");
    const before = await live(ours.viewer);
    expect(before).toMatchObject({ member: true });
    const vendorImages = { program: "Axon" as const, source: "one", vehicle: null, plate: "p" };
    const images = { vehicleImageKey: "alerts/1/abc.jpg", vendorImages };
    const row = await anAlert(own, { priority: "high", plateState: "", plate: "AB1234S", ...images });
    expect((await live(ours.viewer, before.cursor)).alerts.map(({ id }) => id)).not.toContain(row.id);
    await deliver(row, ours.users.viewer, Date.now());
    const news = await live(ours.viewer, before.cursor);
    expect(news.alerts[0]).toMatchObject({
      id: row.id,
      plate: "AB1234S",
      reason: "Stolen vehicle",
      match: "1 character differs, state not read",
      image_url: `/api/alerts/${row.id}/image/vehicle?v=abc`,
      images_pending: true,
      group: "Watched",
      group_id: own.id,
      camera: "Main St",
      priority: "high",
      seen: false,
    });
    expect(news.unread).toBe((before.unread ?? 0) + 1);
  });

  it("are counted as unread only in a response with new hits", async () => {
    const user = await newUser(group.agencyId, { hotlistViewer: true });
    const who = await client(user);
    const row = await anAlert(await newGroup(group.agencyId, [user.id]));
    const { cursor } = await live(who);
    await deliver(row, user, Date.now());
    const news = await live(who, cursor);
    expect(news).toMatchObject({ alerts: [{ id: row.id }], unread: 1 });
    expect(await live(who, news.cursor)).toMatchObject({ alerts: [], unread: null });
  });

  it.each([
    ["moments", 2],
    ["minutes", 10 * MINUTE],
  ])("are new and unread even if they are committed %s after a newer one", async (_, late) => {
    const { user, who, own, at } = await memberWithTwoHits();
    const [newest] = (await live(who)).alerts;
    await who.post("/live-alerts/seen", { until: newest?.arrived_at });
    const { cursor } = await live(who);
    const row = await anAlert(own);
    await deliver(row, user, at + MINUTE - late);
    const news = await live(who, cursor);
    expect(news).toMatchObject({ alerts: [{ id: row.id, seen: false }], unread: 1 });
    expect((await live(who)).alerts.map(({ seen }) => seen)).toEqual([false, true, true]);
    await who.post("/live-alerts/seen", { until: news.alerts[0]?.arrived_at });
    expect((await live(who)).unread).toBe(0);
  });

  /** Creates a member with two unseen hits, a minute apart. */
  async function memberWithTwoHits() {
    const user = await newUser(group.agencyId, { hotlistViewer: true });
    const own = await newGroup(group.agencyId, [user.id]);
    const at = Date.now() - 5 * MINUTE;
    await deliver(await anAlert(own), user, at);
    await deliver(await anAlert(own), user, at + MINUTE);
    return { user, own, at, who: await client(user) };
  }

  it("are marked as seen and never become unseen again", async () => {
    const { user, who, own, at } = await memberWithTwoHits();
    expect((await live(who)).unread).toBe(2);
    await who.post("/live-alerts/seen", { until: isoTime(at) });
    expect(await live(who)).toMatchObject({ unread: 1, alerts: [{ seen: false }, { seen: true }] });
    await who.post("/live-alerts/seen", { until: isoTime(at + MINUTE) });
    await who.post("/live-alerts/seen", { until: isoTime(at) });
    await who.post("/live-alerts/seen", { until: "long ago" });
    expect((await live(who)).unread).toBe(0);
    await who.post("/live-alerts/seen", { until: isoTime(at + 365 * DAY) });
    await deliver(await anAlert(own), user, Date.now() + MINUTE);
    expect((await live(who)).unread).toBe(1);
  });

  it("are unseen if they arrive after the mark, even in the second that a client wrote without its fraction", async () => {
    const user = await newUser(group.agencyId, { hotlistViewer: true });
    const own = await newGroup(group.agencyId, [user.id]);
    const second = Math.floor((Date.now() - MINUTE) / 1000) * 1000;
    await deliver(await anAlert(own), user, second + 300);
    const who = await client(user);
    for (const until of [isoTime(second).replace(".000", ""), isoTime(second + 300)]) {
      await who.post("/live-alerts/seen", { until });
      expect((await live(who)).unread).toBe(0);
    }
    await deliver(await anAlert(own), user, second + 300);
    expect((await live(who)).unread).toBe(1);
  });

  it("are seen up to the time that the answer names, also after an earlier or no time", async () => {
    const { who, at } = await memberWithTwoHits();
    const mark = async (body: object) => (await bodyOf(who.post("/live-alerts/seen", body))).seen_at;
    const newest = isoTime(at + MINUTE);
    expect(await mark({ until: newest })).toBe(newest);
    expect(await mark({ until: isoTime(at) })).toBe(newest);
    expect(await mark({ until: null, notices_until: isoTime(at) })).toBe(newest);
    expect((await live(who)).seen_at).toBe(newest);
  });

  it("that are marked as seen are seen in every window", async () => {
    const { who, at } = await memberWithTwoHits();
    const { cursor } = await live(who);
    await who.post("/live-alerts/seen", { until: isoTime(at) });
    const answer = await live(who, cursor);
    expect(answer).toMatchObject({ alerts: [], unread: 1, seen_at: isoTime(at) });
    expect((await live(who, answer.cursor)).unread).toBeNull();
  });

  it("are delivered and marked as seen even after a delivery by a worker whose clock is ahead", async () => {
    const { user, who, own } = await memberWithTwoHits();
    await deliver(await anAlert(own), user, Date.now() + DAY);
    const early = await live(who);
    await who.post("/live-alerts/seen", { until: early.alerts[0]?.arrived_at });
    expect(await live(who, early.cursor)).toMatchObject({ alerts: [], unread: 0 });
    const row = await anAlert(own);
    await deliver(row, user, Date.now());
    expect(await live(who, early.cursor)).toMatchObject({ alerts: [{ id: row.id }], unread: 1 });
  });

  it("are all returned once to a window with a cursor from an earlier version of Odin", async () => {
    const { who } = await memberWithTwoHits();
    const answer = await live(who, `${Date.now()}.0`);
    expect(answer).toMatchObject({ unread: 2, alerts: [{ seen: false }, { seen: false }] });
    expect(await live(who, answer.cursor)).toMatchObject({ alerts: [], unread: null });
  });

  it("are not shown to users who are not members of the group or have left it", async () => {
    const user = await newUser(group.agencyId, { hotlistViewer: true });
    const who = await client(user);
    expect(await live(who)).toMatchObject({ member: false, alerts: [], unread: 0 });
    const own = await newGroup(group.agencyId, [user.id]);
    const row = await anAlert(own);
    await deliver(row, user, Date.now());
    expect((await live(who)).alerts).toHaveLength(1);
    await bindings.DB.prepare("DELETE FROM alert_group_members WHERE group_id = ?").bind(own.id).run();
    expect((await live(who, "0")).alerts).toEqual([]);
  });

  it("do not extend a session when polled in the background", async () => {
    const user = await newUser(group.agencyId, { hotlistViewer: true });
    const who = await client(user);
    const lastSeen = async () =>
      (
        await bindings.DB.prepare("SELECT last_seen_at AS at FROM sessions WHERE user_id = ?")
          .bind(user.id)
          .first<{ at: number }>()
      )?.at;
    await bindings.DB.prepare("UPDATE sessions SET last_seen_at = last_seen_at - 300000 WHERE user_id = ?")
      .bind(user.id)
      .run();
    const before = await lastSeen();
    await who.fetch("/live-alerts", { headers: { "odin-background": "1" } });
    expect(await lastSeen()).toBe(before);
    await who.fetch("/live-alerts");
    expect(await lastSeen()).toBeGreaterThan(before ?? 0);
  });
});

describe("hit quality", () => {
  it("names a camera as the user's own groups know it, not as another agency does", async () => {
    const [agency, other] = [await newAgency(), await newAgency()];
    const us = await people(agency.id);
    const [own, theirs] = [await newGroup(agency.id), await newGroup(other.id)];
    // Senders choose the ids of Rekor's cameras, so two agencies may name the same one.
    const cameraId = unique("agent/camera");
    const at = Date.now();
    await anAlert(own, { cameraId, cameraName: "Former name", createdAt: at - 3000, disposition: "misread" });
    await anAlert(own, { cameraId, cameraName: "Elm St", createdAt: at - 2000 });
    await anAlert(theirs, { cameraId, cameraName: "Covert van", createdAt: at - 1000 });
    const { cameras } = await read<{ cameras: HitQuality[] }>(us.admin, "/alerts/quality-data");
    expect(cameras.map(({ id, name, hits }) => [id, name, hits])).toEqual([[cameraId, "Elm St", 2]]);
    const screen = await (await us.admin.fetch(`/alerts/group/${own.id}`)).text();
    expect(screen).toContain("Elm St");
    expect(screen).not.toContain("Covert van");
  });

  it("counts dispositions by camera and by group, over the groups that the user may see", async () => {
    const agency = await newAgency();
    const us = await people(agency.id);
    const [one, two] = [await newGroup(agency.id, [], "One"), await newGroup(agency.id, [], "Two")];
    const found = { dispositionAt: 1, dispositionBy: "somebody" } as const;
    await anAlert(one, { ...found, cameraId: "q-a", cameraName: "A", disposition: "correct" });
    await anAlert(one, { ...found, cameraId: "q-a", cameraName: "A", disposition: "misread" });
    await anAlert(two, { ...found, cameraId: "q-a", cameraName: "A", disposition: "correct" });
    await anAlert(two, { cameraId: "q-b", cameraName: "B" });
    await anAlert(two, { cameraId: "q-b", cameraName: "B", createdAt: Date.now() - 100 * DAY });
    type Quality = { groups: HitQuality[]; cameras: HitQuality[] };
    const figures = await read<Quality>(us.admin, "/alerts/quality-data");
    expect(figures.cameras).toEqual([
      { id: "q-a", name: "A", hits: 3, counts: { correct: 2, "wrong-state": 0, misread: 1, dismissed: 0 } },
      { id: "q-b", name: "B", hits: 1, counts: { correct: 0, "wrong-state": 0, misread: 0, dismissed: 0 } },
    ]);
    expect(figures.groups.map(({ name, hits, counts }) => [name, hits, counts.correct])).toEqual([
      ["One", 2, 1],
      ["Two", 2, 1],
    ]);
    expect((await read<Quality>(stranger, "/alerts/quality-data")).cameras).toEqual([]);
  });
});
