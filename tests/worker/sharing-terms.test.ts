import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY, isoTime, MINUTE } from "#app/lib/dates.ts";
import { listMaySearch } from "#app/store/may-search.ts";
import {
  auditOf,
  bindings,
  type Client,
  client,
  newWorld,
  pushRead,
  search,
  searchBody,
  testApp,
  type World,
} from "../factories.ts";
import { alertsOf, newGroup, newPlate, plate } from "../live.ts";

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

/** Lets the time pass, and the stranger sign in anew where it was long. */
async function passes(milliseconds: number): Promise<void> {
  vi.setSystemTime(Date.now() + milliseconds);
  stranger = await client(world.users.stranger);
  admin = await client(world.users.admin);
}

const share = (over: object = {}) =>
  admin.post("/add-axis-share", { agency_id: world.theirs.id, declaration: "MOU 26-14", ...over });
const until = (milliseconds: number) => ({ valid_until: isoTime(Date.now() + milliseconds) });
const sharedWithStranger = async () =>
  ((await (await stranger.fetch("/axis-authorized-agencies")).json()) as { id: string }[]).some(
    ({ id }) => id === world.ours.id,
  );
const mayBeTold = async () =>
  (
    await listMaySearch(testApp().db, {
      origins: [{ program: "Axis", agencyId: world.ours.id, integrationId: "" }],
      tenants: [world.theirs.id],
      now: Date.now(),
    })
  ).length === 1;

describe("sharing that ends on a day (R19)", () => {
  it("ends in the middle of a session: the next search finds nothing, images are refused, hits are not told", async () => {
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
    await passes(MINUTE);
    expect(await status()).toBe(404);
    expect(await sharedWithStranger()).toBe(false);
    expect(await mayBeTold()).toBe(false);
    expect((await stranger.post("/search-data", body)).status).toBe(403);
    expect(await auditOf(world.users.stranger)).toMatchObject([{ action: "search", outcome: "refused" }]);
    await pushRead(world.camera, { plate: number, at: Date.now() });
    expect(await alertsOf(group.id)).toHaveLength(1);
    const past = await client(world.users.strangeAdmin);
    const looked = await past.post("/hotlist/past-reads", { plate_number: number });
    expect(JSON.stringify(await looked.json())).not.toContain(number);
  });

  it("goes on when the terms are renewed, each change being written down with them", async () => {
    const first = until(MINUTE);
    expect((await share(first)).status).toBe(200);
    await passes(2 * MINUTE);
    expect(await sharedWithStranger()).toBe(false);
    expect((await share({ declaration: "MOU 27-02", ...until(DAY) })).status).toBe(200);
    expect(await sharedWithStranger()).toBe(true);
    const [row] = await auditOf(world.users.admin);
    expect(row).toMatchObject({ action: "sharing.allow", object: world.theirs.id });
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({
      before: { may_search: true, declaration: "MOU 26-14", ...first },
      after: { may_search: true, declaration: "MOU 27-02", valid_until: isoTime(Date.now() + DAY) },
    });
    // The same terms once more change nothing, and so nothing is written down.
    const before = await bindings.DB.prepare("SELECT count(*) AS n FROM audit_log").first<number>("n");
    expect((await share({ declaration: "MOU 27-02", ...until(DAY) })).status).toBe(200);
    expect(await bindings.DB.prepare("SELECT count(*) AS n FROM audit_log").first<number>("n")).toBe(before);
  });

  it("without an end goes on until it is stopped", async () => {
    expect((await share()).status).toBe(200);
    await passes(300 * DAY);
    expect(await sharedWithStranger()).toBe(true);
    await admin.post("/remove-axis-share", { agency_id: world.theirs.id });
    expect(await sharedWithStranger()).toBe(false);
  });

  it.each([
    ["an end that is past", { valid_until: "2020-01-01T00:00:00Z" }],
    ["an end that is no time", { valid_until: "tomorrow" }],
    ["an end of another type", { valid_until: 5 }],
    ["a declaration that is a book", { declaration: "x".repeat(201) }],
  ])("is refused with %s", async (_, over) => {
    expect((await share(over)).status).toBe(400);
    expect(await sharedWithStranger()).toBe(false);
  });
});
