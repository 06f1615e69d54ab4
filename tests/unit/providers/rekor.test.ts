import fc from "fast-check";
import { expect, test } from "vitest";
import { parsePlatePattern } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { VendorCall, VendorHttp } from "#app/providers/http.ts";
import { createRekorProvider, requestsFor } from "#app/providers/rekor.ts";
import { parseRekorLocator, sightingFromGroup, sightingFromRow } from "#app/providers/rekor-wire.ts";
import { aQuery, aSource, drained, NOW } from "./samples.ts";

type Fields = Record<string, unknown>;

const AGENT = "AGENTUID00000000000000000000000000000001";

function aRow(fields: Fields = {}, pk: unknown = 1): { pk: unknown; model: string; fields: Fields } {
  const corners = { plate_x1: 601, plate_y1: 294, plate_x2: 656, plate_y2: 284 };
  const others = { plate_x3: 659, plate_y3: 313, plate_x4: 605, plate_y4: 325 };
  return {
    pk,
    model: "alpr.plategroup",
    fields: {
      agent_uid: AGENT,
      best_plate: "AB12345",
      best_confidence: 93.2,
      best_uuid: `${AGENT}-1000-${pk}`,
      epoch_time_start: new Date(NOW - 60_000).toISOString(),
      camera: "Main St NB",
      camera_id: 1000,
      ...corners,
      ...others,
      gps_latitude: "41.7637",
      gps_longitude: "-72.6851",
      region: "us-ct",
      vehicle_color: "silver-gray",
      vehicle_make: "mercedes-benz",
      vehicle_body_type: "suv-crossover",
      ...fields,
    },
  };
}

/** A server of rows: newest first, `start` and `end` inclusive, filters by `body`, pages up to its cap. */
function aServer(rows: ReturnType<typeof aRow>[], options: { cap?: number; ignores?: string[] } = {}) {
  const { cap = Number.POSITIVE_INFINITY, ignores = [] } = options;
  const calls: Record<string, string>[] = [];
  const timeOf = (row: ReturnType<typeof aRow>) => Date.parse(String(row.fields.epoch_time_start));
  const http: VendorHttp = {
    async json({ params = {} }: VendorCall) {
      calls.push(params);
      const asked = (name: string) => (ignores.includes(name) ? undefined : params[name]);
      const end = Date.parse(asked("end") ?? "2100-01-01T00:00:00Z");
      const start = Date.parse(asked("start") ?? "1970-01-01T00:00:00Z");
      return rows
        .filter((row) => !(timeOf(row) > end || timeOf(row) < start))
        .filter((row) => asked("body") === undefined || asked("body") === row.fields.vehicle_body_type)
        .sort((a, b) => timeOf(b) - timeOf(a))
        .slice(0, Math.min(cap, Number(params.topn)));
    },
    image: () => Promise.reject(new Error("no images here")),
  };
  return { http, calls };
}

function search(
  http: VendorHttp,
  query: SightingQuery,
  options: { maxReads?: number; largest?: number; usual?: number } = {},
) {
  const { maxReads = 100_000, usual = 10, largest = 80 } = options;
  const provider = createRekorProvider({
    http,
    openSecret: async () => "key",
    pageSizes: { usual, largest },
  });
  return drained(
    provider.search({
      source: aSource(),
      together: [aSource()],
      query,
      maxReads,
      signal: new AbortController().signal,
    }),
  );
}

const at = (time: number) => ({ epoch_time_start: new Date(time).toISOString() });

test("a row becomes a sighting", () => {
  const read = sightingFromRow(aRow(), aSource());
  expect(read).toMatchObject({
    program: "Rekor",
    sourceId: "source-1",
    agency: "Hartford Police Department",
    plate: "AB12345",
    plateState: "CT",
    make: "Mercedes-Benz",
    color: "Silver/Gray",
    bodyType: "SUV",
    capturedAt: NOW - 60_000,
    cameraName: "Main St NB",
    latitude: 41.7637,
    longitude: -72.6851,
    confidence: 93.2,
    vehicleImage: `${AGENT}|${AGENT}-1000-1`,
    plateImage: `${AGENT}|${AGENT}-1000-1|601|284|58|41`,
    plateCorners: [601, 294, 656, 284, 659, 313, 605, 325],
  });
  expect(read?.id).toMatch(/^[0-9a-f]{32}$/);
  expect(sightingFromRow(aRow({ camera: 7 }), aSource({ id: "other" }))?.id).toBe(read?.id);
  expect(sightingFromRow(aRow(), aSource({ baseUrl: "https://police.example" }))?.id).not.toBe(read?.id);
});

test("two vehicles in one image are two reads", async () => {
  // Rekor names an image, not a vehicle: `best_index` is the number of the plate in it.
  const image = { best_uuid: `${AGENT}-1000-7` };
  const rows = [
    aRow({ ...image, best_index: 0, best_plate: "AB12345" }, 1),
    aRow({ ...image, best_index: 1, best_plate: "CD67890" }, 2),
  ];
  const { reads } = await search(aServer(rows).http, aQuery());
  expect(reads.map(({ plate }) => plate).sort()).toEqual(["AB12345", "CD67890"]);
  // Also if the server ignores the plate that it is asked for.
  for (const plate of ["AB12345", "CD67890"]) {
    const found = await search(aServer(rows).http, aQuery({ plate: { kind: "contains", text: plate } }));
    expect(found.reads.map((read) => read.plate)).toEqual([plate]);
  }
  // A webhook's document of the second vehicle has the id that the search returns.
  const group = {
    data_type: "alpr_group",
    ...image,
    best_plate_number: "CD67890",
    best_plate: { plate: "CD67890", plate_index: 1 },
  };
  expect(sightingFromGroup(group, { source: aSource() })?.id).toBe(
    reads.find(({ plate }) => plate === "CD67890")?.id,
  );
});

test("values of unexpected types are dropped, and the read is kept", () => {
  const odd = sightingFromRow(
    aRow({
      best_confidence: "150",
      camera: 1000,
      gps_latitude: null,
      gps_longitude: "-72.6",
      region: 5,
      vehicle_color: { name: "white" },
      vehicle_make: null,
      vehicle_body_type: "antique",
      epoch_time_start: "yesterday",
      plate_x1: "601",
    }),
    aSource(),
  );
  expect(odd).toMatchObject({
    confidence: 100,
    cameraName: "Camera 1000",
    latitude: null,
    longitude: null,
    plateState: "",
    color: "",
    make: "",
    bodyType: "Antique",
    capturedAt: null,
    plateCorners: [601, 294, 656, 284, 659, 313, 605, 325],
  });
});

test("a read needs a plate and an id, and a crop needs its agent, image and all eight corners", () => {
  const { best_uuid: _, ...withoutUuid } = aRow().fields;
  for (const row of [
    null,
    7,
    [],
    {},
    aRow({ best_plate: "" }),
    aRow({ best_plate: "A".repeat(16) }),
    { pk: null, fields: withoutUuid },
  ]) {
    expect(sightingFromRow(row, aSource())).toBeUndefined();
  }
  expect(sightingFromRow({ pk: 3, fields: withoutUuid }, aSource())).toMatchObject({
    vehicleImage: null,
    plateImage: null,
  });
  expect(sightingFromRow(aRow({ agent_uid: null }), aSource())).toMatchObject({
    vehicleImage: null,
    plateImage: null,
  });
  for (const corner of ["plate_x1", "plate_y4"]) {
    const read = sightingFromRow(aRow({ [corner]: undefined }), aSource());
    expect(read).toMatchObject({ plateImage: null, plateCorners: null });
    expect(read?.vehicleImage).not.toBeNull();
  }
  expect(sightingFromRow(aRow({ agent_uid: "../../api" }), aSource())?.vehicleImage).toBeNull();
});

test("a locator is parsed as it was created, and any other text is refused", () => {
  expect(parseRekorLocator("A1|B-2")).toEqual({ agent: "A1", uuid: "B-2" });
  expect(parseRekorLocator("A1|B-2|1|2|3|4")).toEqual({
    agent: "A1",
    uuid: "B-2",
    crop: { x: "1", y: "2", width: "3", height: "4" },
  });
  for (const text of [
    "",
    "A",
    "A|",
    "A|..",
    "A|b/c",
    "A|B|1|2|3",
    "A|B|1|2|3|x",
    "A|B|1|2|3|4|5",
    "A|B?api_key=x",
  ]) {
    expect(parseRekorLocator(text)).toBeUndefined();
  }
});

test("no row makes the provider throw", () => {
  fc.assert(
    fc.property(
      fc.record({
        pk: fc.anything(),
        fields: fc.dictionary(fc.constantFrom(...Object.keys(aRow().fields)), fc.anything()),
      }),
      (row) => {
        const read = sightingFromRow(row, aSource());
        if (read) expect(read.plate).toMatch(/^[\p{L}\p{N}]{1,15}$/u);
      },
    ),
  );
});

test("filters are sent in Rekor's vocabulary, an SUV as three requests", () => {
  const plate = (text: string) =>
    requestsFor(aQuery({ plate: parsePlatePattern(text) ?? { kind: "any" } }))[0];
  expect(plate("")).toEqual({});
  expect(plate("b 12-3")).toEqual({ plate: "*B123*" });
  expect(plate("AB?1*")).toEqual({ plate: "AB?1*" });
  const suv = requestsFor(
    aQuery({ bodyType: "SUV", make: "Land Rover", color: "Gold/Beige", plateState: "CT" }),
  );
  expect(suv.map((filters) => filters.body)).toEqual(["suv-standard", "suv-crossover", "suv-wagon"]);
  expect(suv[0]).toMatchObject({ make: "land-rover", color: "gold-beige", region: "us-ct" });
});

test("a whole plate is found also by a server that takes wildcards literally", async () => {
  const rows = [aRow(at(NOW - 1000), 1), aRow({ ...at(NOW - 2000), best_plate: "XY98765" }, 2)];
  const server = aServer(rows);
  const http: VendorHttp = {
    ...server.http,
    json: async (call) => {
      const found = (await server.http.json(call)) as typeof rows;
      return found.filter(({ fields }) => fields.best_plate === call.params?.plate);
    },
  };
  const { reads } = await search(http, aQuery({ plate: { kind: "contains", text: "AB12345" } }));
  expect(reads.map(({ plate }) => plate)).toEqual(["AB12345"]);
});

test("pages without a match are yielded, since they show that the vendor still answers", async () => {
  const rows = Array.from({ length: 500 }, (_, i) => aRow(at(NOW - i * 1000), i));
  const { http } = aServer(rows);
  for (const query of [aQuery({ make: "Honda" }), aQuery({ make: "Honda", bodyType: "SUV" })]) {
    const options = { usual: 100, largest: 100 };
    const { pages, reads } = await search(http, query, options);
    expect(pages).toBeGreaterThan(3);
    expect(reads).toEqual([]);
  }
});

test("every read is returned exactly once, newest first, for any page size, equal times and server cap", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 150 }),
      fc.constantFrom(1, 100, 700, 5000),
      fc.integer({ min: 2, max: 12 }),
      fc.boolean(),
      async (times, step, usual, capped) => {
        const rows = times.map((time, index) => aRow(at(NOW - time * step), index));
        const { http } = aServer(rows, capped ? { cap: 150 } : {});
        const { reads, truncated } = await search(http, aQuery(), { usual, largest: 200 });
        expect(truncated).toBe(false);
        expect(reads).toHaveLength(rows.length);
        expect(new Set(reads.map((read) => read.id)).size).toBe(rows.length);
        const order = reads.map((read) => Number(read.capturedAt));
        expect(order).toEqual([...order].sort((a, b) => b - a));
      },
    ),
    { numRuns: 60 },
  );
});

test("a server that caps pages below the requested size is read to the end", async () => {
  const rows = Array.from({ length: 730 }, (_, index) => aRow(at(NOW - index * 4000), index));
  const { reads, truncated } = await search(aServer(rows, { cap: 100 }).http, aQuery(), {
    usual: 1000,
    largest: 8000,
  });
  expect([reads.length, truncated]).toEqual([730, false]);
});

test("a server that cuts off fractions of a second returns the reads of the range's last second", async () => {
  const rows = [aRow(at(NOW + 900), 1), aRow(at(NOW + 400), 2), aRow(at(NOW - 1000), 3)];
  const server = aServer(rows);
  const cutOff = (time = "") => time.replace(/\.\d+/, "");
  const http: VendorHttp = {
    ...server.http,
    json: ({ params, ...call }) =>
      server.http.json({ ...call, params: { ...params, end: cutOff(params?.end) } }),
  };
  const { reads } = await search(http, aQuery({ to: NOW + 500 }));
  expect(reads.map((read) => read.capturedAt)).toEqual([NOW + 400, NOW - 1000]);
});

test("reads with the same timestamp that exceed a page are skipped and reported as missing", async () => {
  const crowd = Array.from({ length: 100 }, (_, index) => aRow(at(NOW - 5000), index));
  const older = Array.from({ length: 5 }, (_, index) => aRow(at(NOW - 9000 - index), 200 + index));
  const { reads, truncated } = await search(aServer([...crowd, ...older]).http, aQuery());
  expect(truncated).toBe(true);
  expect(reads.filter((read) => Number(read.capturedAt) < NOW - 5000)).toHaveLength(5);
});

test("pages of rows whose plate could not be read do not end the search", async () => {
  const unread = Array.from({ length: 200 }, (_, i) => aRow({ ...at(NOW - i * 100), best_plate: "" }, i));
  const older = Array.from({ length: 5 }, (_, i) => aRow(at(NOW - 60_000 - i), 300 + i));
  const { reads, truncated } = await search(aServer([...unread, ...older]).http, aQuery());
  expect([reads.length, truncated]).toEqual([5, false]);
  const crowd = unread.map((row) => ({ ...row, fields: { ...row.fields, ...at(NOW - 5000) } }));
  const crowded = await search(aServer([...crowd, ...older]).http, aQuery());
  expect([crowded.reads.length, crowded.truncated]).toEqual([5, true]);
});

test("a server that ignores the range is abandoned after a few requests, and only reads in the range are returned", async () => {
  const rows = Array.from({ length: 500 }, (_, index) => aRow(at(NOW + 1000 - index * 10), index));
  const server = aServer(rows, { ignores: ["end", "start"] });
  const { reads, truncated } = await search(server.http, aQuery());
  expect(truncated).toBe(true);
  expect(server.calls.length).toBeLessThan(20);
  for (const read of reads) expect(read.capturedAt).toBeLessThanOrEqual(NOW);
});

test("reads that do not match the filters are dropped, and SUVs returned three times are listed once", async () => {
  const rows = [
    aRow({ vehicle_body_type: "suv-standard", ...at(NOW - 1000) }, 1),
    aRow({ vehicle_body_type: "sedan-standard", ...at(NOW - 2000) }, 2),
    aRow({ vehicle_body_type: "suv-wagon", ...at(NOW - 3000) }, 3),
    aRow({ vehicle_body_type: "suv-crossover", best_plate: "ZZ999", ...at(NOW - 4000) }, 4),
  ];
  const query = aQuery({ bodyType: "SUV", plate: { kind: "contains", text: "B123" } });
  for (const ignores of [[], ["body"]]) {
    const { reads } = await search(aServer(rows, { ignores }).http, query);
    expect(reads.map((read) => read.capturedAt)).toEqual([NOW - 1000, NOW - 3000]);
  }
});

test("reads without a time come last, once", async () => {
  const rows = [
    aRow({ epoch_time_start: null }, 1),
    aRow(at(NOW - 1000), 2),
    aRow({ epoch_time_start: "" }, 3),
  ];
  const { reads } = await search(aServer(rows).http, aQuery());
  expect(reads.map((read) => read.capturedAt)).toEqual([NOW - 1000, null, null]);
});

test("at most the requested number of reads is returned, and the last page says whether there were more", async () => {
  const rows = Array.from({ length: 25 }, (_, index) => aRow(at(NOW - index * 2000), index));
  for (const [maxReads, more] of [
    [24, true],
    [25, false],
    [26, false],
    [1, true],
    [10, true],
  ] as const) {
    const { reads, truncated } = await search(aServer(rows).http, aQuery(), { maxReads });
    expect([reads.length, truncated]).toEqual([Math.min(25, maxReads), more]);
  }
});

test("a row whose plate is empty or too long is left out, even if it is the only row", async () => {
  for (const best_plate of ["", "---", "A".repeat(16), null]) {
    const http: VendorHttp = {
      json: async () => [{ pk: 1, fields: { best_uuid: "a", best_plate } }],
      image: () => Promise.reject(new Error()),
    };
    expect(await search(http, aQuery())).toMatchObject({ reads: [], truncated: false });
  }
});

test("a response that is not a list, or has no readable row, is a failure and not an empty result", async () => {
  for (const answer of [{}, "no", null, [{ pk: 1, fields: { renamed_plate: "AB123" } }]]) {
    const http = { json: async () => answer, image: () => Promise.reject(new Error()) } as VendorHttp;
    await expect(search(http, aQuery())).rejects.toMatchObject({
      name: "ProviderFailure",
      kind: "bad-answer",
    });
  }
});

test("Rekor supports no vehicle marks", () => {
  const { unsupported } = createRekorProvider({ http: aServer([]).http, openSecret: async () => "key" });
  expect(unsupported(aQuery({ marks: ["window_stickers", "top_rack"] }))).toEqual([
    "top_rack",
    "window_stickers",
  ]);
  expect(unsupported(aQuery({ color: "Pink", bodyType: "SUV" }))).toEqual([]);
});

function aGroup(changes: Fields = {}): Fields {
  return {
    data_type: "alpr_group",
    version: 3,
    epoch_start: NOW,
    epoch_end: NOW + 3000,
    agent_uid: AGENT,
    agent_type: "alprd",
    camera_id: 1000,
    gps_latitude: 41.7637,
    gps_longitude: -72.6851,
    country: "us",
    best_plate: {
      plate: "AB12345",
      confidence: 93.25,
      region: "us-ct",
      coordinates: [
        { x: 601, y: 294 },
        { x: 656, y: 284 },
        { x: 659, y: 313 },
        { x: 605, y: 325 },
      ],
      plate_crop_jpeg: "/9j/",
    },
    best_plate_number: "AB12345",
    best_confidence: 93.25,
    best_region: "us-ct",
    best_uuid: `${AGENT}-1000-1`,
    is_preview: false,
    vehicle: {
      color: [{ name: "white", confidence: 99.1 }],
      make: [{ name: "land-rover", confidence: 30 }],
      body_type: [{ name: "suv-standard", confidence: 99.8 }],
    },
    web_server_config: { camera_label: "Park St WB", agent_label: "HQ" },
    ...changes,
  };
}

test("a group document of the webhook gives the same read as its row in the search", () => {
  const read = sightingFromGroup(aGroup(), { source: aSource() });
  expect(read).toMatchObject({
    plate: "AB12345",
    plateState: "CT",
    color: "White",
    make: "",
    bodyType: "SUV",
    capturedAt: NOW,
    cameraName: "Park St WB",
    latitude: 41.7637,
    confidence: 93.25,
    plateImage: `${AGENT}|${AGENT}-1000-1|601|284|58|41`,
  });
  expect(read?.id).toBe(sightingFromRow(aRow(), aSource())?.id);
  expect(
    sightingFromGroup({ data_type: "alpr_alert", version: 1, group: aGroup() }, { source: aSource() }),
  ).toEqual(read);
});

test("a group of version 2, which has fewer fields, is parsed; other documents are not reads", () => {
  const { web_server_config: _w, best_plate_number: _p, best_region: _r, ...older } = aGroup({ version: 2 });
  expect(sightingFromGroup(older, { source: aSource() })).toMatchObject({
    plate: "AB12345",
    plateState: "CT",
    cameraName: "Camera 1000",
  });
  for (const document of [
    null,
    1,
    "x",
    [],
    {},
    { data_type: "heartbeat" },
    { data_type: "alpr_alert" },
    aGroup({ best_plate: null, best_plate_number: null }),
  ]) {
    expect(sightingFromGroup(document, { source: aSource() })).toBeUndefined();
  }
});
