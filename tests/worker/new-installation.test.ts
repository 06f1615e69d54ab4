// What the first users of an installation are told: one agency, no sources, no backup, no push services.

import { beforeAll, describe, expect, it } from "vitest";
import { listOwnDevices } from "#app/domain/alerts/push-devices.ts";
import firstDay from "../../docs/first-day.md?raw";
import { actorOf, type Client, client, newAgency, newUser, send, setUpPart, testApp } from "../factories.ts";

let owner: Client;
let officer: Client;

beforeAll(async () => {
  const { id } = await newAgency();
  owner = await client(await newUser(id, { username: "owner", role: "admin" }));
  officer = await client(await newUser(id));
});

/** Returns the words of a screen, without its tags. */
async function words(who: Client, path: string): Promise<string> {
  const html = await (await who.fetch(path)).text();
  const main = html.slice(html.indexOf("<main"), html.indexOf("</main>"));
  return main.replaceAll("<!-- -->", "").replaceAll(/<[^>]+>/g, " ");
}

describe("an installation with one agency", () => {
  it.each(["/integrations/axis", "/integrations/rekor"])(
    "%s says that there is no other one",
    async (path) => {
      const shown = await words(owner, path);
      expect(shown.match(/There is no other agency\./g)).toHaveLength(2);
      expect(shown).not.toMatch(/every agency|any agency/);
    },
  );

  it("has no backup that is too old", async () => {
    const shown = await words(owner, "/status");
    expect(shown).toContain("No backup has finished yet.");
    expect(shown).not.toMatch(/Too old|recent backup/);
  });
});

describe("the search form without sources", () => {
  it("sends an administrator to the integrations, and everyone else to an administrator", async () => {
    expect(await words(owner, "/search")).toContain("Add Rekor keys, an Axon integration or Axis cameras.");
    expect(await (await owner.fetch("/search")).text()).toContain('href="/api-keys"');
    expect(await words(officer, "/search")).toContain("Ask an administrator of your agency to add");
  });

  it("says of each program what it lacks, once another one has a source", async () => {
    const camera = { id: "first", name: "Elm St", latitude: 41.7, longitude: -72.6, secret: "s".repeat(32) };
    const agencyId = officer.user?.agencyId ?? "";
    await setUpPart({ axisCameras: [{ ...camera, agencyId }] });
    const shown = await words(officer, "/search");
    expect(shown).toContain("Your agency has no Rekor API keys.");
    expect(shown).toContain("No agency shares Axon reads with yours.");
    expect(shown).not.toContain("No Rekor agency shares");
  });
});

describe("the camera's test event of docs/first-day.md", () => {
  const event = firstDay.match(/-d '(\{[^']+\})'/)?.[1] ?? "";
  const post = (secret: string, type = "application/json") =>
    send(`/ingest/axis/${secret}`, { method: "POST", headers: { "content-type": type }, body: event });

  it("is taken as documented", async () => {
    const agencyId = officer.user?.agencyId ?? "";
    const secret = "t".repeat(32);
    await setUpPart({
      axisCameras: [{ id: "test", agencyId, name: "Pole", latitude: 41.7, longitude: -72.6, secret }],
    });
    expect(await (await post(secret)).json()).toEqual({ id: expect.stringMatching(/^\d+\.\d+$/) });
    expect((await post("x".repeat(32))).status).toBe(401);
    expect((await post(secret, "application/x-www-form-urlencoded")).status).toBe(415);
  });
});

describe("the push services", () => {
  it.each([
    ["neither", { VAPID_KEYS: "" }, { apns: false, webpush: false }],
    ["only browsers'", {}, { apns: false, webpush: true }],
  ])("that are not set up are named with the devices: %s", async (_, over, channels) => {
    const app = testApp(Date.now, over);
    expect(await listOwnDevices(app, await actorOf(owner))).toEqual({ devices: [], channels });
  });

  it("that are missing are named above the groups", async () => {
    expect(await words(owner, "/alerts")).toContain("Pushes to iPhones are not set up in this installation.");
  });
});
