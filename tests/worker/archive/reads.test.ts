import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { takeAxisEvent } from "#app/domain/ingest/axis.ts";
import { parsePlatePattern, plateMatches } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { ArchivedRead } from "#app/entities/search/source.ts";
import { readAxisPush } from "#app/http/webhook-body.ts";
import { at } from "#app/lib/at.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { DAY, HOUR, isoTime, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { createAxisProvider } from "#app/providers/axis.ts";
import { partKeys, purgeReadImages, readImage } from "#app/store/archive/images.ts";
import { createReadArchive, createReadStore, type NewRead } from "#app/store/archive/reads.ts";
import { openControl } from "#app/store/database.ts";
import { removeObjects } from "#app/store/files.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import { axisCameras } from "#app/store/schema/cameras.ts";
import { testApp } from "../../factories.ts";
import { archiveParts, countReads, emptyArchive, PLAIN_READ, takeEvent } from "../../support/archive.ts";
import { expectLogged, loggedText } from "../../support/quiet-console.ts";

type Bindings = Record<"DB" | "READS_0" | "READS_1" | "READS_2" | "READS_3", D1Database> & {
  IMAGES: R2Bucket;
};
const bindings = env as unknown as Bindings;
const databases = [bindings.READS_0, bindings.READS_1, bindings.READS_2, bindings.READS_3];
const NOON = Date.UTC(2026, 5, 20, 12);
const parts = archiveParts(databases, { clock: () => NOON + DAY });
const store = createReadStore(parts);

function read(over: Partial<NewRead> = {}): NewRead {
  return {
    ...PLAIN_READ,
    plate: "AB12345",
    make: "Honda",
    color: "Blue",
    bodyType: "SUV",
    confidence: 91,
    latitude: 41.76,
    longitude: -72.67,
    carState: "new",
    eventAt: over.capturedAt ?? NOON,
    capturedAt: NOON,
    agencyId: "hartford",
    cameraId: "cam-1",
    cameraName: "I-84 East",
    carId: "7",
    ...over,
  };
}

const everything: SightingQuery = {
  plate: { kind: "any" },
  plateState: "",
  color: "",
  make: "",
  bodyType: "",
  marks: [],
  from: NOON - 90 * DAY,
  to: NOON + DAY,
};

async function search(over: {
  query?: Partial<SightingQuery>;
  agencyIds?: string[];
  cameraIds?: string[];
  maxReads?: number;
  pageSize?: number;
}) {
  const found: ArchivedRead[] = [];
  let truncated = false;
  for await (const page of store.searchReads({
    agencyIds: ["hartford"],
    cameraIds: ["cam-1", "cam-2"],
    maxReads: 10_000,
    signal: new AbortController().signal,
    ...over,
    query: { ...everything, ...over.query },
  })) {
    found.push(...page.reads);
    truncated = page.truncated;
  }
  return { found, truncated };
}

beforeEach(() => emptyArchive(databases));

describe("what is looked up before a search is recorded", () => {
  const query = { ...everything };

  async function platesOf(agencyIds: string[]): Promise<string[]> {
    const plates: string[] = [];
    const asked = {
      agencyIds,
      cameraIds: ["cam-1"],
      query,
      maxReads: 10,
      signal: AbortSignal.timeout(60_000),
    };
    for await (const { reads } of store.searchReads(asked)) plates.push(...reads.map(({ plate }) => plate));
    return plates.sort();
  }

  it("serves the next search of the same agencies, and only that one: a day that began since is found by the second", async () => {
    await store.insertReads([read({ plate: "FIRST" })]);
    expect(await platesOf(["hartford"])).toEqual(["FIRST"]);
    store.startSearch({ agencyIds: ["hartford"], query });
    const known = archiveParts(databases, { clock: () => NOON + DAY });
    await createReadStore(known).insertReads([
      read({ plate: "SECOND", capturedAt: NOON - 20 * DAY, carId: "8" }),
    ]);
    expect((await platesOf(["hartford"]))[0]).toBe("FIRST");
    expect(await platesOf(["hartford"])).toEqual(["FIRST", "SECOND"]);
  });

  it("never serves a search of other agencies", async () => {
    await store.insertReads([
      read({ plate: "OURS" }),
      read({ plate: "THEIRS", agencyId: "new-haven", carId: "8" }),
    ]);
    store.startSearch({ agencyIds: ["hartford"], query });
    expect(await platesOf(["new-haven"])).toEqual(["THEIRS"]);
    store.startSearch({ agencyIds: ["hartford", "new-haven"], query });
    expect(await platesOf(["hartford"])).toEqual(["OURS"]);
  });
});

describe("searching the archive", () => {
  const MAKES = ["Honda", "Ford", ""] as const;
  const COLORS = ["Blue", "White"] as const;

  function someReads(count: number): NewRead[] {
    const plates = fc.sample(fc.stringMatching(/^[AB1Ö]{1,7}$/), { numRuns: 90, seed: 7 });
    return Array.from({ length: count }, (_, i) =>
      read({
        plate: at(plates, (i * 31) % plates.length),
        capturedAt: NOON - Math.floor((((i * 7919) % count) / count) * 40 * DAY),
        make: at(MAKES, i % 3),
        color: at(COLORS, i % 2),
        agencyId: i % 5 === 0 ? "new-haven" : "hartford",
        cameraId: `cam-${1 + (i % 3)}`,
        carId: String(i),
      }),
    );
  }

  it("returns the same reads as a simple filter, in the same order, in pages", async () => {
    const reads = someReads(400);
    await store.insertReads(reads);
    expect(await countReads(databases)).toBe(400);
    const query = fc.record({
      plate: fc
        .stringMatching(/^[AB1Ö*?]{0,6}$/)
        .map((text) => parsePlatePattern(text) ?? { kind: "any" as const }),
      make: fc.constantFrom("" as const, "Honda" as const),
      color: fc.constantFrom("" as const, "White" as const),
      from: fc.integer({ min: NOON - 40 * DAY, max: NOON }),
      // Most days are more than a search takes from a database at first.
      span: fc.constantFrom(2 * HOUR, DAY, 3 * DAY, 12 * DAY, 40 * DAY),
    });
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.constantFrom<string[]>(["cam-1"], ["cam-1", "cam-2"]),
        fc.constantFrom(1, 3, 1000),
        async ({ plate, make, color, from, span }, cameraIds, pageSize) => {
          const to = from + span;
          const naive = reads.filter(
            (r) =>
              r.agencyId === "hartford" &&
              cameraIds.includes(r.cameraId) &&
              r.capturedAt >= from &&
              r.capturedAt <= to &&
              (make === "" || r.make === make) &&
              (color === "" || r.color === color) &&
              plateMatches(plate, r.plate),
          );
          const { found } = await search({ query: { plate, make, color, from, to }, cameraIds, pageSize });
          const told = (r: { plate: string; capturedAt: number; make: string }) => [
            r.capturedAt,
            r.plate,
            r.make,
          ];
          const times = found.map((r) => r.capturedAt);
          expect(times).toEqual([...times].sort((a, b) => b - a));
          expect(found.map(told).sort()).toEqual(naive.map(told).sort());
        },
      ),
      { numRuns: 40 },
    );
  });

  it("reports that there are more reads and stops", async () => {
    await store.insertReads(someReads(200).map((r) => ({ ...r, agencyId: "hartford", cameraId: "cam-1" })));
    const some = await search({ maxReads: 150, pageSize: 40 });
    expect(some.found).toHaveLength(150);
    expect(some.truncated).toBe(true);
    const all = await search({ maxReads: 200, pageSize: 40 });
    expect(all.found).toHaveLength(200);
    expect(all.truncated).toBe(false);
    expect(new Set(all.found.map((r) => r.id)).size).toBe(200);
  });

  it("returns each read of one instant once, with any page size", async () => {
    await store.insertReads(Array.from({ length: 12 }, (_, i) => read({ carId: String(i) })));
    const { found } = await search({ pageSize: 5 });
    expect(new Set(found.map((r) => r.id)).size).toBe(12);
  });

  it("finds the other reads if one cannot be opened, and names the days of its database", async () => {
    const days = [0, 4, 8].map((ago) => NOON - ago * DAY);
    await store.insertReads(days.map((capturedAt) => read({ capturedAt })));
    for (const database of databases)
      await database
        .prepare("UPDATE sealed_reads SET sealed = 'AAAA' WHERE captured_at = ?")
        .bind(days[1])
        .run();
    const found: number[] = [];
    const missed: number[] = [];
    for await (const page of store.searchReads({
      agencyIds: ["hartford"],
      cameraIds: ["cam-1"],
      query: everything,
      maxReads: 10,
      signal: new AbortController().signal,
    })) {
      found.push(...page.reads.map(({ capturedAt }) => capturedAt));
      missed.push(...(page.missedDays ?? []));
    }
    expect(found).toEqual([days[0], days[2]]);
    expect(missed).toContain(utcDay(at(days, 1)));
    expectLogged(/did not answer a search completely/);
  });

  it("returns exactly the requested number of reads if very many plates match", async () => {
    const many = Array.from({ length: 10_500 }, (_, i) =>
      read({ plate: `AB${10_000 + i}`, carId: String(i), capturedAt: NOON - (i % 1000) }),
    );
    await store.insertReads(many);
    const { found, truncated } = await search({
      query: { plate: { kind: "contains", text: "AB1" } },
      maxReads: 2500,
    });
    expect(found).toHaveLength(2500);
    expect(truncated).toBe(true);
  });

  it("accepts every text that the plate field accepts", async () => {
    await store.insertReads([read({ plate: "京A12345" }), read({ plate: "ẞÖ1", carId: "8" })]);
    for (const text of ["京A", "京A1", "?A12*", `${"*京".repeat(10)}`, "ÖÖÖÖÖÖÖÖÖÖÖÖÖÖÖ", "*Ö1"]) {
      await search({ query: { plate: parsePlatePattern(text) ?? { kind: "any" } } });
    }
    const { found } = await search({ query: { plate: { kind: "contains", text: "京A1" } } });
    expect(found.map((r) => r.plate)).toEqual(["京A12345"]);
  });

  it("throws the reason of its signal when it is aborted", async () => {
    const signal = AbortSignal.abort(new Error("given up"));
    const pages = store.searchReads({
      agencyIds: ["a"],
      cameraIds: ["c"],
      query: everything,
      maxReads: 1,
      signal,
    });
    await expect(pages.next()).rejects.toThrow("given up");
  });
});

describe("storing events", () => {
  it("creates one read per pass from concurrent, duplicate and late events", async () => {
    const events = (["new", "update", "lost", "new", "lost"] as const).map((carState, i) =>
      read({
        carState,
        capturedAt: NOON + i * 1000,
        eventAt: NOON + i * 1000,
        plate: carState === "lost" ? "AB12346" : "AB12345",
        direction: carState === "lost" ? "out" : "",
      }),
    );
    const taken = await Promise.all([...events, ...events].map((event) => takeEvent(store, event)));
    expect(new Set(taken.map(({ id }) => id)).size).toBe(1);
    expect(taken.filter(({ created }) => created)).toHaveLength(1);
    const { found } = await search({});
    expect(found.map((r) => r.plate)).toEqual(["AB12346"]);
    await takeEvent(store, read({ capturedAt: NOON + 11 * MINUTE }));
    await takeEvent(store, read({ cameraId: "cam-2" }));
    expect(await countReads(databases)).toBe(3);
  });

  it("distinguishes cars with numeric ids and cars with other ids", async () => {
    const carIds = [
      "0",
      "1",
      "2",
      "01",
      "4095",
      "4096",
      "8192",
      "1|",
      "0x1",
      "1e3",
      "-1",
      "",
      "9".repeat(20),
      "a",
    ];
    const events = carIds.flatMap((carId) => [
      read({ carId }),
      read({ carId, cameraId: "cam-2" }),
      read({ carId, capturedAt: NOON + MINUTE, carState: "lost" }),
    ]);
    const taken = await Promise.all([store.takeEvents(events), store.takeEvents(events)]);
    expect(await countReads(databases)).toBe(2 * carIds.length);
    expect(new Set(taken.flat().map(({ id }) => id)).size).toBe(2 * carIds.length);
  });

  it("stores a pass across midnight as one read, on the day of its first event", async () => {
    const midnight = NOON + 12 * HOUR;
    const offsets = [-30_000, 20_000, -1, 0, 5 * MINUTE];
    const taken = await Promise.all(
      offsets.map((offset) => takeEvent(store, read({ capturedAt: midnight + offset, carState: "update" }))),
    );
    expect(new Set(taken.map(({ id }) => id)).size).toBe(1);
    expect(await countReads(databases)).toBe(1);
  });

  it("returns the objects of images that no read uses", async () => {
    await takeEvent(store, read({ vehicleImageKey: "v1", plateImageKey: "p1" }));
    const retry = await takeEvent(store, read({ vehicleImageKey: "v2", plateImageKey: "p2" }));
    expect(retry).toMatchObject({ created: false, unused: ["v2", "p2"] });
    const lost = await takeEvent(store, read({ carState: "lost", vehicleImageKey: "v3" }));
    expect(lost.unused).toEqual(["v1"]);
  });

  it("returns an object with two images only when no read uses either", async () => {
    const keysIn = (object: string) => {
      const { vehicle, plate } = partKeys(object, { vehicle: 5, plate: 6 });
      return { vehicleImageKey: vehicle, plateImageKey: plate };
    };
    const [first, second, third] = ["axis/d/c/1", "axis/d/c/2", "axis/d/c/3"].map(keysIn);
    await takeEvent(store, read({ ...first }));
    expect((await takeEvent(store, read({ ...second }))).unused).toEqual(["axis/d/c/2"]);
    const vehicle = { vehicleImageKey: "axis/d/c/v.jpg" };
    expect((await takeEvent(store, read({ carState: "update", ...vehicle }))).unused).toEqual([]);
    expect((await takeEvent(store, read({ carState: "lost", ...third }))).unused).toEqual([
      "axis/d/c/v.jpg",
      "axis/d/c/1",
    ]);
  });
});

describe("the Axis webhook", () => {
  const db = openControl(bindings.DB);
  const app = { ...testApp(() => NOON + MINUTE), reads: store };
  const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 0xff, 0xd9]);
  const picture = btoa(String.fromCharCode(...jpeg));
  const event = (over: object = {}) => ({
    capture_timestamp: String(NOON),
    plateUTF8: "ab-12345",
    carState: "new",
    carID: "5",
    imageType: "vehicle",
    ...over,
  });

  function post(body: object) {
    return new Request("https://odin.test/ingest/axis/x", {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify(body),
    });
  }

  async function images() {
    return (await bindings.IMAGES.list({ prefix: "axis/" })).objects.map((object) => object.key);
  }

  beforeEach(async () => {
    await purgeReadImages(bindings.IMAGES, NOON);
    await db.insert(agencies).values({ id: "a1", name: "Elm Police", createdAt: 0 }).onConflictDoNothing();
    await db
      .insert(axisCameras)
      .values({
        id: "cam-1",
        agencyId: "a1",
        name: "Elm St",
        secretHash: await sha256("s3cret"),
        createdAt: 0,
      })
      .onConflictDoNothing();
  });

  it("accepts JSON and forms, stores their images once, and makes their reads searchable", async () => {
    const body = event({ ImageArray: [{ ImageType: "vehicle", BinaryImage: picture }] });
    const first = await takeAxisEvent(app, { secrets: ["s3cret"], push: () => readAxisPush(post(body)) });
    expect(await takeAxisEvent(app, { secrets: ["s3cret"], push: () => readAxisPush(post(body)) })).toEqual(
      first,
    );
    const form = new FormData();
    form.set(
      "event",
      JSON.stringify(event({ carState: "lost", imageType: "plate", carMoveDirection: "out" })),
    );
    form.set("image", new File([jpeg], "plate.jpg", { type: "image/jpeg" }));
    const request = new Request("https://odin.test/", { method: "POST", body: form });
    expect(await takeAxisEvent(app, { secrets: ["s3cret"], push: () => readAxisPush(request) })).toEqual(
      first,
    );
    expect(await images()).toHaveLength(2);

    const axis = createAxisProvider(createReadArchive({ ...parts, reads: store, images: bindings.IMAGES }));
    const source = {
      id: "a1",
      program: "Axis" as const,
      agency: "Elm Police",
      integrationId: "a1",
      baseUrl: "",
      sealedSecret: "",
      clientId: "",
      partnerId: "",
      cameraIds: ["cam-1"],
    };
    const { signal } = new AbortController();
    const sightings = [];
    for await (const page of axis.search({
      source,
      together: [source],
      query: everything,
      maxReads: 10,
      signal,
    })) {
      sightings.push(...page.sightings);
    }
    expect(sightings).toMatchObject([
      { plate: "AB12345", agency: "Elm Police", cameraName: "Elm St", capturedAt: NOON },
    ]);
    const locator = sightings[0]?.plateImage ?? "";
    expect(await axis.image({ source, locator, signal })).toEqual({ bytes: jpeg, type: "image/jpeg" });
    await expect(axis.image({ source, locator: "results/1/columns", signal })).rejects.toThrow("no longer");
  });

  /** Returns the image bucket with some methods replaced, to record calls or make them fail. */
  function bucketWith(over: Partial<R2Bucket>): R2Bucket {
    return new Proxy(bindings.IMAGES, {
      get(target, name) {
        const value: unknown = Reflect.get(over, name) ?? Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  it("gives an export thousands of images with one query for their retention, and another after five minutes", async () => {
    const key = `axis/${isoTime(NOON).slice(0, 10)}/cam-1/${NOON.toString(36)}-many.jpg`;
    await bindings.IMAGES.put(key, jpeg);
    // As many as a call is repeated.
    let [now, asked, failures] = [NOON + DAY, 0, 4];
    const archive = createReadArchive({
      ...parts,
      clock: () => now,
      async retentionDays(ids) {
        asked += 1;
        if (failures-- > 0) throw new Error("D1_ERROR: Network connection lost.");
        return parts.retentionDays(ids);
      },
      reads: store,
      images: bindings.IMAGES,
    });
    const image = () => archive.image({ key, agencyId: "a1" });
    await expect(image()).rejects.toThrow("lost");
    asked = 0;
    const all = await Promise.all(Array.from({ length: 30 }, image));
    expect(all.every((bytes) => bytes?.length === jpeg.length)).toBe(true);
    expect(asked).toBe(1);
    now += 5 * MINUTE;
    await image();
    expect(asked).toBe(2);
  });

  it("gives an image although the bucket fails for a moment", async () => {
    const key = `axis/${isoTime(NOON).slice(0, 10)}/cam-1/${NOON.toString(36)}-once.jpg`;
    await bindings.IMAGES.put(key, jpeg);
    let failures = 1;
    const get = async (name: string) => {
      if (failures-- > 0) throw new Error("We encountered an internal error. Please try again. (10001)");
      return bindings.IMAGES.get(name);
    };
    const images = bucketWith({ get: get as R2Bucket["get"] });
    const archive = createReadArchive({ ...parts, reads: store, images });
    expect(await archive.image({ key, agencyId: "a1" })).toEqual(jpeg);
  });

  const pictured = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      event({ carID: `p${i}`, ImageArray: [{ ImageType: "vehicle", BinaryImage: picture }] }),
    );

  it("stores the images of a list six at a time", async () => {
    let [now, most] = [0, 0];
    const put = async (key: string, bytes: Uint8Array<ArrayBuffer>) => {
      most = Math.max(most, ++now);
      await new Promise((go) => setTimeout(go, 2));
      now--;
      return bindings.IMAGES.put(key, bytes);
    };
    const counted = { ...app, images: bucketWith({ put: put as never }) };
    await takeAxisEvent(counted, { secrets: ["s3cret"], push: () => readAxisPush(post(pictured(20))) });
    expect(most).toBe(6);
    expect(await images()).toHaveLength(20);
  });

  it("deletes unused images, as many per call as R2 allows", async () => {
    const calls: number[] = [];
    const images = bucketWith({ delete: (async (keys: string[]) => void calls.push(keys.length)) as never });
    await removeObjects(
      images,
      Array.from({ length: 2300 }, (_, i) => `axis/${i}`),
    );
    await removeObjects(images, []);
    expect(calls).toEqual([1000, 1000, 300]);
  });

  it("accepts a repeated list even if deleting its images fails", async () => {
    expectLogged(/kept until their day is purged/);
    const list = pictured(3);
    const first = await takeAxisEvent(app, { secrets: ["s3cret"], push: () => readAxisPush(post(list)) });
    const images = bucketWith({ delete: () => Promise.reject(new Error("R2 is away")) });
    expect(
      await takeAxisEvent({ ...app, images }, { secrets: ["s3cret"], push: () => readAxisPush(post(list)) }),
    ).toEqual(first);
    expect(loggedText()).toContain("R2 is away");
  });

  it("accepts only one event in a form, because its images belong to one car", async () => {
    const form = new FormData();
    form.set("event", JSON.stringify([event(), event({ carID: "6" })]));
    form.set("image", new File([jpeg], "a.jpg", { type: "image/jpeg" }));
    const request = new Request("https://odin.test/", { method: "POST", body: form });
    await expect(
      takeAxisEvent(app, { secrets: ["s3cret"], push: () => readAxisPush(request) }),
    ).rejects.toMatchObject({
      code: "bad_request",
      message: "A list of events is sent as JSON, not in a form.",
    });
    expect(await images()).toEqual([]);
  });

  /** Posts a form. Returns the byte before the end marker of each stored image, which identifies it. */
  async function shown(over: object, parts: [string, Uint8Array<ArrayBuffer>, string][]) {
    const form = new FormData();
    form.set("event", JSON.stringify(event({ carID: crypto.randomUUID(), ...over })));
    for (const [field, bytes, name] of parts) form.append(field, new File([bytes], name));
    const request = new Request("https://odin.test/", { method: "POST", body: form });
    await takeAxisEvent(app, { secrets: ["s3cret"], push: () => readAxisPush(request) });
    const { found } = await search({ agencyIds: ["a1"] });
    const bytesAt = async (key: string | null) =>
      key === null ? null : (await readImage(bindings.IMAGES, key))?.at(-3);
    const [read] = found;
    await emptyArchive(databases);
    return [await bytesAt(read?.vehicleImageKey ?? null), await bytesAt(read?.plateImageKey ?? null)];
  }

  it("identifies a form's images by field name, by the event's data, and by file name", async () => {
    const numbered = (n: number) => Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, n, 0xff, 0xd9);
    const [one, two, none] = [numbered(1), numbered(2), new Uint8Array()];
    const both = (first: string, second: string): [string, Uint8Array<ArrayBuffer>, string][] => [
      ["image", one, first],
      ["image2", two, second],
    ];
    expect(await shown({ imageType: "vehicle" }, both("a.jpg", "b.jpg"))).toEqual([1, 2]);
    expect(await shown({ imageType: "plate" }, both("a.jpg", "b.jpg"))).toEqual([2, 1]);
    expect(await shown({ imageType: "frame" }, both("plate.jpg", "b.jpg"))).toEqual([2, 1]);
    expect(
      await shown({}, [
        ["image", none, "a.jpg"],
        ["image2", two, "b.jpg"],
      ]),
    ).toEqual([null, 2]);
    // Some cameras send both images under one name.
    expect(
      await shown({}, [
        ["image", one, "plate.jpg"],
        ["image", two, "a.jpg"],
      ]),
    ).toEqual([2, 1]);
    expect(await shown({ imageType: "plate" }, [["image", one, "a.jpg"]])).toEqual([null, 1]);
    // A truncated image is not stored.
    expect(
      await shown({}, [
        ["image", one.slice(0, 5), "a.jpg"],
        ["image2", two, "b.jpg"],
      ]),
    ).toEqual([null, 2]);
  });

  it("stores a read without a capture time with its time of arrival, and marks it in searches", async () => {
    await takeAxisEvent(app, {
      secrets: ["s3cret"],
      push: () => readAxisPush(post(event({ capture_timestamp: undefined }))),
    });
    await takeAxisEvent(app, { secrets: ["s3cret"], push: () => readAxisPush(post(event({ carID: "6" }))) });
    // A later event with a capture time amends the read but does not change its time.
    const later = event({ carState: "lost", capture_timestamp: String(NOON + MINUTE) });
    await takeAxisEvent(app, { secrets: ["s3cret"], push: () => readAxisPush(post(later)) });
    const { found } = await search({ agencyIds: ["a1"] });
    expect(found.map(({ capturedAt, timeIsArrival }) => [capturedAt, timeIsArrival])).toEqual([
      [NOON + MINUTE, true],
      [NOON, false],
    ]);
  });

  it("records heartbeats", async () => {
    const beat = post({ system: {}, identify: {}, ALPV: { device_ID: "1", numberOfReads: 3 } });
    expect(await takeAxisEvent(app, { secrets: ["s3cret"], push: () => readAxisPush(beat) })).toEqual({
      id: null,
    });
    expect((await db.query.axisCameras.findFirst())?.lastHeartbeatAt).toBe(NOON + MINUTE);
  });

  it("refuses unknown senders, other content types, large bodies and invalid bodies, and stores nothing", async () => {
    const refused = async (secret: string, request: Request) =>
      takeAxisEvent(app, { secrets: [secret], push: () => readAxisPush(request) }).then(
        () => "taken",
        (error: { code?: string }) => error.code,
      );
    const as = (type: string, body: BodyInit) =>
      new Request("https://odin.test/", { method: "POST", headers: { "content-type": type }, body });
    expect(await refused("other", post(event()))).toBe("unauthenticated");
    expect(await refused("s3cret", as("text/html", "{}"))).toBe("unsupported_media");
    expect(await refused("s3cret", as("application/json", "{"))).toBe("bad_request");
    expect(await refused("s3cret", as("application/json", "x".repeat(5_300_000)))).toBe("too_large");
    expect(await refused("s3cret", as("multipart/form-data; boundary=x", "nothing"))).toBe("bad_request");
    expect(await refused("s3cret", post(event({ carID: "", packetCounter: "" })))).toBe("bad_request");
    await db.update(axisCameras).set({ revokedAt: 1 });
    expect(await refused("s3cret", post(event()))).toBe("unauthenticated");
    await db.update(axisCameras).set({ revokedAt: null });
    expect(await images()).toEqual([]);
    expect(await countReads(databases)).toBe(0);
  });
});
