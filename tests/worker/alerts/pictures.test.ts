import { beforeAll, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { sweepVendorImages } from "#app/domain/alerts/images.ts";
import { takeRekorEvent } from "#app/domain/ingest/rekor.ts";
import { purgeExpired } from "#app/domain/operations/retention.ts";
import { purgeOldRecords, RUNS_EVERY } from "#app/domain/operations/retention-records.ts";
import { readRekorDocument } from "#app/http/webhook-body.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { failure } from "#app/providers/failures.ts";
import type { Provider } from "#app/providers/provider.ts";
import {
  anAlert,
  bindings,
  jsonInit,
  newAgency,
  newWorld,
  setUpPart,
  testApp,
  unique,
} from "../../factories.ts";
import { alertsOf, groupDocument, newGroup, newPlate, newWebhook, plate } from "../../live.ts";
import { expectLogged } from "../../support/quiet-console.ts";

const JPEG = btoa(String.fromCharCode(0xff, 0xd8, 0xff, 0xe0, 1, 2, 0xff, 0xd9));

let agency: { id: string };
let webhook: { secret: string };

beforeAll(async () => {
  agency = await newAgency();
  webhook = await newWebhook(agency.id);
});

/** Posts an event of a car with an image at a given time. */
async function postEvent(
  number: string,
  at: number,
  over: object = {},
  images = bindings.IMAGES,
): Promise<void> {
  const document = groupDocument({ best_plate_number: number, vehicle_crop_jpeg: JPEG, ...over });
  const request = new Request("https://odin.test/", jsonInit(document));
  await takeRekorEvent(
    testApp(() => at, { IMAGES: images }),
    { secrets: [webhook.secret], document: () => readRekorDocument(request) },
  );
}

const pictureOf = async (group: { id: string }) => (await alertsOf(group.id))[0]?.vehicle_image_key ?? null;
const isThere = async (key: string | null) => (await bindings.IMAGES.head(key ?? "")) !== null;

/** Returns the bucket of images, which refuses the first puts. */
function bucketThatFails(times: number): R2Bucket {
  let failing = times;
  return new Proxy(bindings.IMAGES, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...values: unknown[]) => {
        if (name === "put" && failing-- > 0) throw new Error("injected: the bucket is down");
        return Reflect.apply(value, target, values);
      };
    },
  });
}

describe("images of hits", () => {
  it("are stored per alert: deleting the copy of one agency or case keeps the others", async () => {
    const number = newPlate();
    const held = unique("case");
    const [kept, loose] = [
      await newGroup(agency.id, [plate(number, { case_number: held })]),
      await newGroup(agency.id, [plate(number)]),
    ];
    await bindings.DB.prepare(
      `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
        requested_by_name, requested_at) VALUES (?, ?, ?, '', '[]', 0, 0, 'active', '', '', 0)`,
    )
      .bind(unique("hold"), agency.id, held)
      .run();
    await postEvent(number, Date.now());
    const before = [await pictureOf(kept), await pictureOf(loose)];
    expect([await isThere(before[0] ?? null), await isThere(before[1] ?? null)]).toEqual([true, true]);

    await purgeExpired(testApp(() => Date.now() + 100 * DAY));
    expect(await pictureOf(loose)).toBeNull();
    expect(await pictureOf(kept)).toBe(before[0]);
    expect([await isThere(before[0] ?? null), await isThere(before[1] ?? null)]).toEqual([true, false]);
  });

  it("are kept if an agent that was offline reports them days after the hit", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const now = Date.now();
    const pass = { epoch_start: now - 1000, agent_uid: unique("agent") };
    await postEvent(number, now, { ...pass, is_preview: true, vehicle_crop_jpeg: "" });
    expect(await pictureOf(group)).toBeNull();
    await postEvent(number, now + 2 * DAY, pass);
    const key = await pictureOf(group);
    expect(await isThere(key)).toBe(true);
    for (let run = 0; run < 5; run++) await purgeOldRecords(testApp(() => now + 6 * DAY + run * RUNS_EVERY));
    expect(await pictureOf(group)).toBe(key);
    expect(await isThere(key)).toBe(true);
  });

  it("that fail to be stored do not affect the others, and are stored at the next attempt", async () => {
    const world = await newWorld();
    const group = { id: unique("group"), agencyId: world.ours.id };
    for (let i = 0; i < 12; i++)
      await anAlert(group, {
        program: "Axon",
        createdAt: Date.now() - MINUTE,
        vendorImages: { program: "Axon", source: world.axon.id, vehicle: `${i}|vehicle`, plate: null },
      });
    // The bucket fails for as many images as are stored concurrently.
    const calm = testApp(Date.now, { IMAGES: bucketThatFails(6) });
    const bytes = Uint8Array.from(atob(JPEG), (character) => character.charCodeAt(0));
    const image = async () => ({ bytes, type: "image/jpeg" as const });
    const app: AppContext = {
      ...calm,
      providers: { ...calm.providers, Axon: { ...calm.providers.Axon, image } },
    };
    const pictured = async () =>
      (await alertsOf(group.id)).filter((row) => row.vehicle_image_key !== null).length;
    await expect(sweepVendorImages(app)).rejects.toThrow("6 of 12 hits");
    expect(await pictured()).toBe(6);
    await sweepVendorImages(app);
    expect(await pictured()).toBe(12);
  });

  it("that came with an event are stored although the bucket refuses them three times", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    await postEvent(number, Date.now(), {}, bucketThatFails(3));
    const key = await pictureOf(group);
    expect(key).toMatch(/^alerts\//);
    expect(await isThere(key)).toBe(true);
  });

  it("that came with an event and fail to be stored delay no hit, and are fetched from the vendor", async () => {
    const { hartford } = await newWorld();
    const watcher = await newAgency();
    await setUpPart({
      rekorKeys: [{ ...hartford, id: unique("rekor"), tenantId: watcher.id, agency: watcher.name }],
    });
    const { secret } = await newWebhook(watcher.id);
    const number = newPlate();
    const group = await newGroup(watcher.id, [plate(number)]);
    const calm = testApp(Date.now, { IMAGES: bucketThatFails(4) });
    const bytes = Uint8Array.from(atob(JPEG), (character) => character.charCodeAt(0));
    const image = async () => ({ bytes, type: "image/jpeg" as const });
    const Rekor = { ...calm.providers.Rekor, image };
    const document = groupDocument({ best_plate_number: number, vehicle_crop_jpeg: JPEG });
    const request = new Request("https://odin.test/", jsonInit(document));
    expectLogged(/the picture of a hit was not stored/);
    await takeRekorEvent(
      { ...calm, providers: { ...calm.providers, Rekor } },
      { secrets: [secret], document: () => readRekorDocument(request) },
    );
    expect(await alertsOf(group.id)).toHaveLength(1);
    await expect.poll(() => pictureOf(group), { timeout: 60_000 }).toMatch(/^alerts\//);
  });

  it("are fetched with the key of the camera's agency only while it shares its reads", async () => {
    const { ours, theirs, hartford } = await newWorld();
    const group = { id: unique("group"), agencyId: theirs.id };
    const waiting = () =>
      anAlert(group, {
        program: "Rekor",
        createdAt: Date.now() - MINUTE,
        cameraAgencyId: ours.id,
        vendorImages: { program: "Rekor", source: hartford.agency, vehicle: "uuid", plate: null },
      });
    const calm = testApp();
    const asked: string[] = [];
    const bytes = Uint8Array.from(atob(JPEG), (character) => character.charCodeAt(0));
    const image: Provider["image"] = async ({ source }) => {
      asked.push(source.id);
      return { bytes, type: "image/jpeg" };
    };
    const app = { ...calm, providers: { ...calm.providers, Rekor: { ...calm.providers.Rekor, image } } };
    const run = (sql: string) => bindings.DB.prepare(sql).bind(ours.id, theirs.id).run();
    await run("INSERT INTO rekor_shares (owner_agency_id, viewer_agency_id, created_at) VALUES (?, ?, 0)");
    await waiting();
    await sweepVendorImages(app);
    await run("DELETE FROM rekor_shares WHERE owner_agency_id = ? AND viewer_agency_id = ?");
    await waiting();
    await sweepVendorImages(app);
    const keys = (await alertsOf(group.id)).map((row) => row.vehicle_image_key !== null);
    expect([keys, asked]).toEqual([[true, false], [hartford.id]]);
  });

  it("are not delayed by another vendor that is down, which is skipped until the next run", async () => {
    const [world, other] = [await newWorld(), await newWorld()];
    const group = { id: unique("group"), agencyId: world.ours.id };
    const waiting = (source: string, i: number) =>
      anAlert(group, {
        program: "Axon",
        createdAt: Date.now() - 30 * MINUTE + i,
        vendorImages: { program: "Axon", source, vehicle: `${i}|vehicle`, plate: null },
      });
    for (let i = 0; i < 70; i++) await waiting(other.axon.id, i);
    for (let i = 70; i < 75; i++) await waiting(world.axon.id, i);
    const calm = testApp();
    let askedInVain = 0;
    const bytes = Uint8Array.from(atob(JPEG), (character) => character.charCodeAt(0));
    const image: Provider["image"] = async ({ source }) => {
      if (source.id === world.axon.id) return { bytes, type: "image/jpeg" };
      askedInVain += 1;
      throw failure("timeout", "Axon");
    };
    const axon = { ...calm.providers.Axon, image };
    const sweepIn = (ms: number) => {
      const app = testApp(() => Date.now() + ms);
      return sweepVendorImages({ ...app, providers: { ...app.providers, Axon: axon } });
    };
    await sweepIn(0);
    const rows = await alertsOf(group.id);
    expect(rows.slice(70).every((row) => row.vehicle_image_key !== null)).toBe(true);
    expect(rows.slice(0, 70).every((row) => row.vehicle_image_key === null)).toBe(true);
    // Three failures, and the calls already in progress.
    expect(askedInVain).toBeLessThan(10);
    expect(askedInVain).toBeGreaterThan(2);
    const waitingNow = async () => (await alertsOf(group.id)).filter((row) => row.vendor_images !== null);
    expect(await waitingNow()).toHaveLength(70);
    // The vendor was not asked for most of them, so that they are given up an hour later than the others.
    await sweepIn(HOUR);
    expect((await waitingNow()).length).toBeGreaterThan(60);
    await sweepIn(2 * HOUR);
    expect((await waitingNow()).length).toBeLessThan(20);
  });
});
