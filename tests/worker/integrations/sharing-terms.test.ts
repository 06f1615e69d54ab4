import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { listSourcesWithoutCameras } from "#app/store/integrations/sources.ts";
import { listMaySearch } from "#app/store/search/permission.ts";
import {
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  newUser,
  newWorld,
  pushRead,
  search,
  searchBody,
  testApp,
  type World,
} from "../../factories.ts";
import { alertsOf, newGroup, newPlate, plate } from "../../live.ts";

let world: World;
let admin: Client;
let stranger: Client;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  world = await newWorld();
  admin = await client(world.users.admin);
  stranger = await client(world.users.stranger);
});
afterEach(() => vi.useRealTimers());

/** Advances the clock, and signs both users in again, because their sessions may have expired. */
async function passes(milliseconds: number): Promise<void> {
  vi.setSystemTime(Date.now() + milliseconds);
  stranger = await client(world.users.stranger);
  admin = await client(world.users.admin);
}

const share = (over: object = {}) =>
  admin.post("/add-axis-share", { agency_id: world.theirs.id, declaration: "MOU 26-14", ...over });
const until = (milliseconds: number) => ({ valid_until: isoTime(Date.now() + milliseconds) });
const sharedWithStranger = async () =>
  (await bodyOf<{ id: string }[]>(stranger.fetch("/axis-authorized-agencies"))).some(
    ({ id }) => id === world.ours.id,
  );
/** Returns how each way to see a stored result answers: its status, and the message of an error. */
async function viewsOf(who: Client, id: string, readId: string): Promise<string[]> {
  const record = { records: [{ id: readId }], justification: "Stolen vehicle" };
  const answers = await Promise.all([
    who.fetch(`/results/${id}/summary`),
    who.fetch(`/results/${id}/columns`),
    who.fetch(`/results?id=${id}`),
    who.fetch(`/results/${id}/table?page=1`),
    who.fetch(`/results/${id}/sightings/0`),
    who.fetch(`/results/${id}/sightings/0/address`),
    who.post("/export-zip", { ...record, result_id: id }),
    who.post("/export-zip", record),
  ]);
  return Promise.all(
    answers.map(async (answer) => {
      const text = answer.ok ? "" : await answer.text();
      return `${answer.status}${text.includes("no longer shares reads with your agency.") ? " ended" : ""}`;
    }),
  );
}

const mayBeTold = async () =>
  (
    await listMaySearch(testApp().db, {
      origins: [{ program: "Axis", agencyId: world.ours.id, integrationId: "" }],
      tenants: [world.theirs.id],
      now: Date.now(),
    })
  ).length === 1;

/** Whether a running export of the stranger's agency may request pictures of ours. */
const mayExport = async () => {
  const tenant = { tenantId: world.theirs.id, now: Date.now() };
  const sources = await listSourcesWithoutCameras(testApp().db, tenant);
  return sources.some(({ program, id }) => program === "Axis" && id === world.ours.id);
};

describe("sharing with an end date", () => {
  it("ends during a session: the next search finds nothing, images are refused, hits are not sent", async () => {
    const number = newPlate();
    const group = await newGroup(world.theirs.id, [plate(number)], { listedAgo: 2 * DAY });
    expect((await share(until(30 * MINUTE))).status).toBe(200);
    await pushRead(world.camera, { plate: number, at: Date.now() });
    expect(await alertsOf(group.id)).toHaveLength(1);
    const body = searchBody([world.ours.id], { plate: number });
    const { rows } = await search(stranger, body);
    expect(rows).toHaveLength(1);
    const image = `/proxy-axis-image?path=${encodeURIComponent(rows[0]?.image_path ?? "")}`;
    const status = async () => (await stranger.fetch(image)).status;
    expect(await status()).toBe(200);

    await passes(29 * MINUTE);
    expect(await sharedWithStranger()).toBe(true);
    expect(await mayBeTold()).toBe(true);
    expect(await mayExport()).toBe(true);
    await passes(MINUTE);
    expect(await status()).toBe(404);
    expect(await sharedWithStranger()).toBe(false);
    expect(await mayBeTold()).toBe(false);
    expect(await mayExport()).toBe(false);
    expect((await stranger.post("/search-data", body)).status).toBe(403);
    expect(await auditOf(world.users.stranger)).toMatchObject([{ action: "search", outcome: "refused" }]);
    await pushRead(world.camera, { plate: number, at: Date.now() });
    expect(await alertsOf(group.id)).toHaveLength(1);
    const past = await client(world.users.strangeAdmin);
    const looked = await past.post("/hotlist/past-reads", { plate_number: number });
    expect(JSON.stringify(await looked.json())).not.toContain(number);
  });

  it("ends results that have reads of the agency, and leaves others", async () => {
    expect((await share(until(MINUTE))).status).toBe(200);
    const number = newPlate();
    await pushRead(world.camera, { plate: number, at: Date.now() });
    const theirs = await search(stranger, searchBody([world.ours.id, world.axon.id]));
    const others = await search(stranger, searchBody([world.axon.id]));
    const read = theirs.rows.find((row) => row.plate === number)?.id ?? "";
    const other = others.rows[0]?.id ?? "";
    const seen = Array(8).fill("200");
    expect(await viewsOf(stranger, theirs.resultId, read)).toEqual(seen);
    vi.setSystemTime(Date.now() + MINUTE);
    const ended = Array(8).fill("410 ended");
    // Without the id of a result, the read is in none of those that are left.
    expect(await viewsOf(stranger, theirs.resultId, read)).toEqual([...ended.slice(1), "404"]);
    expect(await viewsOf(stranger, others.resultId, other)).toEqual(seen);
    expect((await share(until(MINUTE))).status).toBe(200);
    expect(await viewsOf(stranger, theirs.resultId, read)).toEqual(seen);
  });

  it("continues if the terms are renewed, with an audit row for each change", async () => {
    const first = until(MINUTE);
    expect((await share(first)).status).toBe(200);
    await passes(2 * MINUTE);
    expect(await sharedWithStranger()).toBe(false);
    expect((await share({ declaration: "MOU 27-02", ...until(DAY) })).status).toBe(200);
    expect(await sharedWithStranger()).toBe(true);
    const [row] = await auditOf(world.users.admin);
    expect(row).toMatchObject({ action: "sharing.allow", object: world.theirs.id });
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({
      before: { may_search: false, declaration: "MOU 26-14", ...first },
      after: { may_search: true, declaration: "MOU 27-02", valid_until: isoTime(Date.now() + DAY) },
    });
    // Setting the same terms again changes nothing, so no audit row is written.
    const before = await bindings.DB.prepare("SELECT count(*) AS n FROM audit_log").first<number>("n");
    expect((await share({ declaration: "MOU 27-02", ...until(DAY) })).status).toBe(200);
    expect(await bindings.DB.prepare("SELECT count(*) AS n FROM audit_log").first<number>("n")).toBe(before);
  });

  it("continues until it is removed if the terms have no end", async () => {
    expect((await share()).status).toBe(200);
    await passes(300 * DAY);
    expect(await sharedWithStranger()).toBe(true);
    await admin.post("/remove-axis-share", { agency_id: world.theirs.id });
    expect(await sharedWithStranger()).toBe(false);
  });

  it.each([
    ["an end in the past", { valid_until: "2020-01-01T00:00:00Z" }],
    ["an end that is not a time", { valid_until: "tomorrow" }],
    ["an end of another type", { valid_until: 5 }],
    ["a declaration that is too long", { declaration: "x".repeat(201) }],
  ])("is refused with %s", async (_, over) => {
    expect((await share(over)).status).toBe(400);
    expect(await sharedWithStranger()).toBe(false);
  });
});

describe("Axon reads that are shared on terms", () => {
  let east: Client;
  let eastName: string;
  /** The agency that has connected Axon. */
  let owner: string | null;
  const authorize = (over: object = {}) =>
    east.post("/remove-from-blacklist", { agency_id: world.theirs.id, ...over });
  const terms = (milliseconds: number) => ({ declaration: "MOU 26-14", ...until(milliseconds) });
  type Listed = { id: string; declaration?: string; valid_until?: number | null; expired?: boolean };
  type Lists = { authorized_agencies: Listed[]; blacklisted_agencies: Listed[] };
  const listed = async () => {
    const lists = await bodyOf<Lists>(east.fetch("/get-authorized-and-blacklisted-agencies"));
    const of = (agencies: Listed[]) => agencies.find(({ id }) => id === world.theirs.id);
    return { authorized: of(lists.authorized_agencies), blacklisted: of(lists.blacklisted_agencies) };
  };
  const isOpen = async () => {
    const answer = await stranger.fetch("/axon-authorized-integrations");
    const sources = await bodyOf<{ agency_name: string }[]>(answer);
    const found = sources.some(({ agency_name }) => agency_name === owner);
    const told = await listMaySearch(testApp().db, {
      origins: [{ program: "Axon", agencyId: world.axon.agencyId, integrationId: world.axon.id }],
      tenants: [world.theirs.id],
      now: Date.now(),
    });
    expect(told.length === 1).toBe(found);
    return found;
  };

  /** An administrator of that agency, with a recent sign-in. */
  async function eastSignsIn(): Promise<string> {
    const admin = await newUser(world.axon.agencyId, { role: "admin" });
    east = await client(admin);
    return admin.username;
  }

  beforeEach(async () => {
    eastName = await eastSignsIn();
    owner = await bindings.DB.prepare("SELECT name FROM agencies WHERE id = ?")
      .bind(world.axon.agencyId)
      .first<string>("name");
  });

  it("end during a session: the next search and images are refused, hits are not sent", async () => {
    const from = Date.now();
    expect((await authorize(terms(30 * MINUTE))).status).toBe(200);
    const shown = { declaration: "MOU 26-14", valid_until: from + 30 * MINUTE };
    expect(await listed()).toMatchObject({
      authorized: { ...shown, expired: false },
      blacklisted: undefined,
    });
    const body = searchBody([world.axon.id]);
    const { rows, resultId } = await search(stranger, body);
    const reference = rows.find((row) => row.image_path)?.image_path ?? "";
    const status = async () =>
      (await stranger.fetch(`/proxy-axon-image?url=${encodeURIComponent(reference)}`)).status;
    expect(await status()).toBe(200);

    await passes(29 * MINUTE);
    expect(await isOpen()).toBe(true);
    await passes(MINUTE);
    expect(await isOpen()).toBe(false);
    expect(await status()).toBe(404);
    expect(await viewsOf(stranger, resultId, rows[0]?.id ?? "")).toEqual([
      ...Array(7).fill("410 ended"),
      "404",
    ]);
    expect((await stranger.post("/search-data", body)).status).toBe(403);
    expect(await auditOf(world.users.stranger)).toMatchObject([{ action: "search", outcome: "refused" }]);
    await eastSignsIn();
    expect(await listed()).toMatchObject({ authorized: undefined, blacklisted: { ...shown, expired: true } });
  });

  it("are separate from the blacklist: authorizing removes a past end and keeps a future one", async () => {
    expect((await authorize(terms(30 * MINUTE))).status).toBe(200);
    expect((await authorize()).status).toBe(200);
    expect((await listed()).authorized).toMatchObject({ declaration: "MOU 26-14" });
    await passes(30 * MINUTE);
    expect(await isOpen()).toBe(false);
    await eastSignsIn();
    expect((await authorize()).status).toBe(200);
    expect(await isOpen()).toBe(true);
    expect((await listed()).authorized).toEqual(world.theirs);

    expect((await authorize(terms(DAY))).status).toBe(200);
    expect((await east.post("/add-to-blacklist", { agency_id: world.theirs.id })).status).toBe(200);
    expect(await isOpen()).toBe(false);
    expect(await listed()).toEqual({ authorized: undefined, blacklisted: world.theirs });
    expect((await authorize({ declaration: "MOU 27-02", valid_until: null })).status).toBe(200);
    await passes(300 * DAY);
    expect(await isOpen()).toBe(true);
  });

  it("are audited once per change, with what changed", async () => {
    await authorize(terms(DAY));
    await authorize(terms(DAY));
    const rows = await auditOf({ username: eastName }, 5);
    expect(rows.map(({ action }) => action)).toEqual(["sign-in", "sharing.allow"]);
    await authorize(terms(2 * DAY));
    expect((await listed()).authorized).toMatchObject({ valid_until: Date.now() + 2 * DAY });
    expect(await auditOf({ username: eastName }, 5)).toHaveLength(3);
    expect(JSON.parse(rows[1]?.detail ?? "")).toMatchObject({
      program: "Axon",
      before: { may_search: true },
      after: { may_search: true, ...terms(DAY) },
    });
  });

  it.each([
    ["an end in the past", { valid_until: "2020-01-01T00:00:00Z" }],
    ["an end that is not a time", { valid_until: "tomorrow" }],
    ["a declaration that is too long", { declaration: "x".repeat(201) }],
  ])("are refused with %s", async (_, over) => {
    await east.post("/add-to-blacklist", { agency_id: world.theirs.id });
    expect((await authorize(over)).status).toBe(400);
    expect(await isOpen()).toBe(false);
  });

  it("can be changed only by their own agency", async () => {
    await authorize(terms(30 * MINUTE));
    expect((await admin.post("/remove-from-blacklist", { agency_id: world.theirs.id })).status).toBe(404);
    expect((await listed()).authorized).toMatchObject({ declaration: "MOU 26-14" });
  });
});
