import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { auditOf, bodyOf, type Client, client, newWorld, type World } from "../../factories.ts";
import { alertsOf, groupDocument, newGroup, newPlate, newWebhook, plate, postRekor } from "../../live.ts";

let world: World;
let admin: Client;
let strangeAdmin: Client;
let webhook: { secret: string };
let number: string;
let theirs: { id: string };

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  world = await newWorld();
  await signIn();
  webhook = await newWebhook(world.ours.id);
  number = newPlate();
  theirs = await newGroup(world.theirs.id, [plate(`${number.slice(0, 6)}*`)], { listedAgo: 2 * DAY });
});
afterEach(() => vi.useRealTimers());

async function signIn(): Promise<void> {
  admin = await client(world.users.admin);
  strangeAdmin = await client(world.users.strangeAdmin);
}

async function passes(milliseconds: number): Promise<void> {
  vi.setSystemTime(Date.now() + milliseconds);
  await signIn();
}

/** Posts a read of a car that passes a camera of our webhook. */
async function postRead(over: object = {}): Promise<void> {
  const answer = await postRekor(webhook.secret, groupDocument({ best_plate_number: number, ...over }));
  expect(answer.status).toBe(200);
}
/** Returns how many alerts one more car creates for the agency. */
async function alertsOfACar(): Promise<number> {
  const before = (await alertsOf(theirs.id)).length;
  await postRead({ epoch_start: Date.now() });
  return (await alertsOf(theirs.id)).length - before;
}
const share = (over: object = {}) =>
  admin.post("/add-rekor-share", { agency_id: world.theirs.id, declaration: "MOU 26-14", ...over });
const stop = () => admin.post("/remove-rekor-share", { agency_id: world.theirs.id });
const until = (milliseconds: number) => ({ valid_until: isoTime(Date.now() + milliseconds) });
const msgOf = async (answer: Response) => (await bodyOf<{ msg: string }>(answer)).msg;

describe("the reads of an agency's webhook", () => {
  it("alert its own lists, but not an agency that only uses its name for a key", async () => {
    const ours = await newGroup(world.ours.id, [plate(number)]);
    const named = { agency: world.ours.name, api_key: "anything-of-12-letters" };
    expect((await strangeAdmin.post("/add-api-key", named)).status).toBe(200);
    expect(await alertsOfACar()).toBe(0);
    expect(await alertsOf(ours.id)).toHaveLength(1);
  });

  it("alert an agency that they are shared with, from the next read until sharing ends", async () => {
    expect(await alertsOfACar()).toBe(0);
    const shared = await share();
    expect(shared.status).toBe(200);
    expect(await msgOf(shared)).toBe(
      `The hotlists of ${world.theirs.name} are matched with your Rekor reads`,
    );
    expect(await alertsOfACar()).toBe(1);
    const [row] = await alertsOf(theirs.id);
    expect(row).toMatchObject({ plate: number, camera_agency_id: world.ours.id });
    const stopped = await stop();
    expect(stopped.status).toBe(200);
    expect(await msgOf(stopped)).toBe(
      `The hotlists of ${world.theirs.name} are no longer matched with your Rekor reads`,
    );
    expect(await alertsOfACar()).toBe(0);
  });

  it("alert until the terms end, even during a pass", async () => {
    expect((await share(until(30 * MINUTE))).status).toBe(200);
    await passes(29 * MINUTE);
    const pass = { epoch_start: Date.now(), best_confidence: 61 };
    await postRead({ ...pass, is_preview: true });
    await passes(MINUTE);
    await postRead({ ...pass, best_confidence: 95 });
    expect(await alertsOf(theirs.id)).toMatchObject([{ confidence: 61, amended_at: null }]);
    expect(await alertsOfACar()).toBe(0);
    expect((await share(until(HOUR))).status).toBe(200);
    expect(await alertsOfACar()).toBe(1);
  });

  it("can be shared only by their own agency, independently of Axis reads and of searches", async () => {
    expect((await strangeAdmin.post("/add-rekor-share", { agency_id: world.ours.id })).status).toBe(200);
    expect((await admin.post("/add-axis-share", { agency_id: world.theirs.id })).status).toBe(200);
    expect(await alertsOfACar()).toBe(0);
    await admin.post("/remove-axis-share", { agency_id: world.theirs.id });
    expect((await share()).status).toBe(200);
    const stranger = await client(world.users.stranger);
    const sources = async (url: string) => JSON.stringify(await (await stranger.fetch(url)).json());
    expect(await sources("/axis-authorized-agencies")).not.toContain(world.ours.id);
    for (const name of [world.ours.name, world.hartford.agency])
      expect(await sources("/api-keys-data")).not.toContain(name);
  });

  it("are shared on terms, and each change is audited once", async () => {
    await share(until(DAY));
    await share(until(DAY));
    await stop();
    await stop();
    const rows = await auditOf(world.users.admin, 9);
    const sharing = rows.filter(({ action }) => action.startsWith("sharing."));
    expect(sharing.map(({ action, object }) => [action, object])).toEqual([
      ["sharing.allow", world.theirs.id],
      ["sharing.refuse", world.theirs.id],
    ]);
    const [allowed, refused] = sharing.map(({ detail }) => JSON.parse(detail));
    const terms = { declaration: "MOU 26-14", ...until(DAY) };
    expect(allowed).toMatchObject({
      program: "Rekor",
      agency: world.theirs.name,
      before: { is_alerted: false },
      after: { is_alerted: true, ...terms },
    });
    expect(refused).toMatchObject({ before: { is_alerted: true }, after: { is_alerted: false } });
  });

  it.each([
    ["an end in the past", { valid_until: "2020-01-01T00:00:00Z" }, 400],
    ["a declaration that is too long", { declaration: "x".repeat(201) }, 400],
    ["an unknown agency", { agency_id: "none" }, 404],
  ])("cannot be shared with %s", async (_, over, status) => {
    expect((await share(over)).status).toBe(status);
    expect(await alertsOfACar()).toBe(0);
  });

  it("cannot be shared with their own agency", async () => {
    expect((await share({ agency_id: world.ours.id })).status).toBe(404);
  });
});
