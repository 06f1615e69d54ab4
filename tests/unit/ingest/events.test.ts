import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  axisImage,
  formImageKinds,
  isAxisHeartbeat,
  parseAxisEvent,
} from "#app/entities/ingest/axis-event.ts";
import { isAppError } from "#app/lib/errors.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { atMost, inTurn, joinNewestFirst } from "#app/store/archive/merge.ts";
import { CUT_OFF, JPEG, NOW, refusal, wire } from "./samples.ts";

describe("an Axis event", () => {
  it("is parsed into Odin's terms", () => {
    expect(parseAxisEvent(wire(), NOW)).toMatchObject({
      carId: "34939",
      carState: "new",
      capturedAt: NOW - 5000,
      plate: "AB12345",
      plateState: "CT",
      confidence: 73,
      make: "Volkswagen",
      color: "Silver/Gray",
      bodyType: "sedan-standard",
      direction: "in",
      latitude: 41.76,
      longitude: -72.67,
      images: [{ kind: "plate", type: "image/jpeg" }],
    });
  });

  it("is parsed with its alternative field names", () => {
    const event = parseAxisEvent(
      wire({
        capture_timestamp: NOW,
        carID: 7,
        plateUTF8: "",
        plateText: null,
        plateUnicode: "T\\u00d6LSL123",
        ImageArray: undefined,
        imageArray: [{ BinaryImage: JPEG }, { BinaryImage: JPEG }, { ImageType: "frame", BinaryImage: JPEG }],
        vehicle_info: { type: "PICKUP", color: "SILVER", make: "Chevy" },
        geotag: { lat: "41.5", lon: "-72.5" },
      }),
      NOW,
    );
    expect(event).toMatchObject({
      carId: "7",
      plate: "TÖLSL123",
      make: "Chevrolet",
      bodyType: "truck-standard",
    });
    expect(event).toMatchObject({ latitude: 41.5, longitude: -72.5 });
    expect(event.images.map((image) => image.kind)).toEqual(["plate", "vehicle"]);
  });

  it("reads the state from any field in which cameras send it, and takes the country into account", () => {
    const state = (over: Record<string, unknown>) =>
      parseAxisEvent(wire({ "plateISO3166-2": "", plateRegion: "", plateRegionCode: "", ...over }), NOW)
        .plateState;
    expect(state({ plateRegionCode: "WA" })).toBe("WA");
    expect(state({ plateRegion: "New York" })).toBe("NY");
    expect(state({ "plateISO3166-2": "us-ma" })).toBe("MA");
    expect(state({ plateCountry: "DEU", plateRegionCode: "AL" })).toBe("");
    expect(state({ plateCountry: "MEX", plateRegionCode: "AL" })).toBe("");
    expect(state({ "plateISO3166-2": "CA-ON", plateCountry: "CAN", plateRegionCode: "ON" })).toBe("CA-ON");
    expect(state({ plateCountry: "CAN", plateRegion: "Ontario" })).toBe("CA-ON");
    expect(state({ plateCountry: "MEX", plateRegionCode: "NL" })).toBe("MX-NLE");
    expect(state({ plateCountry: "XX", plateRegionCode: "CT" })).toBe("CT");
    expect(state({ "plateISO3166-2": "DE-BY", plateCountry: "USA", plateRegionCode: "CT" })).toBe("");
  });

  it("is refused with the name of the invalid field", () => {
    expect(refusal({ carID: "", packetCounter: "" })).toContain("carID");
    expect(refusal({ capture_timestamp: NOW + 6 * 60_000 })).toContain("capture_timestamp is in the future");
    expect(refusal({ capture_timestamp: "946684799999" })).toContain("before the year 2000");
    expect(refusal({ capture_timestamp: String(NOW - 92 * DAY) })).toContain(
      "capture_timestamp is more than 90 days ago",
    );
    expect(refusal({ capture_timestamp: "1e12" })).toContain("capture_timestamp");
    expect(refusal({ plateUTF8: "ABCDEFGH12345678" })).toContain("plateUTF8 is longer");
    expect(refusal({ plateUTF8: "A".repeat(500) })).toContain("plateUTF8");
    expect(refusal({ ImageArray: [{ BinaryImage: "%%%" }] })).toContain("base64");
    expect(refusal({ ImageArray: [{ BinaryImage: btoa("<svg onload=alert(1)>") }] })).toContain("JPEG");
    expect(refusal({ vehicle_info: { type: { a: 1 } } })).toContain("vehicle_info.type");
    expect(() => parseAxisEvent(JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`), NOW)).toThrow(
      "event",
    );
    expect(() => axisImage("plate", new Uint8Array(6_000_000), "image")).toThrow("5 MB");
  });

  it("is accepted with a plate or an id that contains invalid text", () => {
    for (const wrong of ["\u0000", "\ud800", "\ufffd", "\u0085"]) {
      const event = parseAxisEvent(wire({ plateUTF8: `AB${wrong}12`, carID: `7${wrong}` }), NOW);
      expect(event).toMatchObject({ plate: "AB12", carId: `7${wrong}`.trim() });
    }
  });

  it("is accepted as late as the longest retention policy allows", () => {
    const capturedAt = NOW - 90 * DAY;
    expect(parseAxisEvent(wire({ capture_timestamp: String(capturedAt) }), NOW)).toMatchObject({
      capturedAt,
    });
  });

  it("is accepted without a truncated image, with a caveat", () => {
    const ImageArray = [{ BinaryImage: CUT_OFF }, { BinaryImage: JPEG }];
    const event = parseAxisEvent(wire({ ImageArray }), NOW);
    expect(event.caveats).toEqual(["A picture that came with the read could not be read"]);
    // The second image is still of the other kind.
    expect(event.images.map(({ kind }) => kind)).toEqual(["vehicle"]);
    expect(parseAxisEvent(wire(), NOW).caveats).toEqual([]);
  });

  it("falls back to the packet counter, which never collides with a car id", () => {
    expect(parseAxisEvent(wire({ carID: "" }), NOW).carId).toBe("packet 8104955");
  });

  it("throws only refusals, whatever the input", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(wire())), fc.jsonValue()), (over) => {
        try {
          parseAxisEvent({ ...wire(), ...over }, NOW);
        } catch (error) {
          expect(isAppError(error)).toBe(true);
        }
      }),
    );
  });

  it("without a capture time gets its time of arrival, with a caveat", () => {
    for (const capture_timestamp of [undefined, null, "", " "])
      expect(parseAxisEvent(wire({ capture_timestamp }), NOW)).toMatchObject({
        capturedAt: NOW,
        timeIsArrival: true,
        caveats: ["Time is that of arrival: the read has none"],
      });
    const inNanoseconds = wire({ capture_timestamp: "", capture_ts: `${NOW - 3000}000000` });
    expect(parseAxisEvent(inNanoseconds, NOW)).toMatchObject({
      capturedAt: NOW - 3000,
      timeIsArrival: false,
      caveats: [],
    });
  });

  it("is distinguished from a heartbeat", () => {
    expect(isAxisHeartbeat({ system: {}, identify: {}, ALPV: { device_ID: "1", numberOfReads: 3 } })).toBe(
      true,
    );
    expect(isAxisHeartbeat({ system: {}, identify: { MACAddress: "ACCC8E000000" } })).toBe(true);
    expect(isAxisHeartbeat({ system: {} })).toBe(true);
    expect(isAxisHeartbeat({ system: {}, ALPV: {}, carState: "new" })).toBe(false);
    expect(isAxisHeartbeat({ system: null })).toBe(false);
    expect(isAxisHeartbeat({})).toBe(false);
    expect(isAxisHeartbeat(wire())).toBe(false);
    expect(isAxisHeartbeat(null)).toBe(false);
  });
});

describe("the images of a form", () => {
  const kinds = (event: object, names: { image?: string; image2?: string } = {}) => {
    const { image, image2 } = formImageKinds(event, { image: "", image2: "", ...names });
    return [image, image2];
  };

  it("have the kind that the event states; the second image has its own stated kind or the other kind", () => {
    expect(kinds({})).toEqual(["vehicle", "plate"]);
    expect(kinds({ imageType: "vehicle" })).toEqual(["vehicle", "plate"]);
    expect(kinds({ imageType: "frame" })).toEqual(["vehicle", "plate"]);
    expect(kinds({ imageType: "Plate" })).toEqual(["plate", "vehicle"]);
    expect(kinds({ imageType: 7 })).toEqual(["vehicle", "plate"]);
    expect(kinds({ imageType: "frame", second_image_type: "vehicle" })).toEqual(["vehicle", "vehicle"]);
  });

  it("are of the kind plate if their file name contains that word, whatever the event states", () => {
    expect(kinds({ imageType: "plate" }, { image: "vehicle.jpg", image2: "plate.jpg" })).toEqual([
      "vehicle",
      "plate",
    ]);
    expect(kinds({ imageType: "vehicle" }, { image: "plate.jpg" })).toEqual(["plate", "vehicle"]);
    // If both file names contain "plate", they are ignored.
    expect(kinds({}, { image: "plate-1.jpg", image2: "plate-2.jpg" })).toEqual(["vehicle", "plate"]);
  });
});

describe("merging", () => {
  it("returns all rows newest first, one page at a time, and reports where it stopped", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(50), { maxLength: 30 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 0, max: 60 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        async (lists, pageSize, maxRows, inTurn, oneIn) => {
          const all = lists.flatMap((times, s) => times.sort((a, b) => b - a).map((at, i) => ({ at, i, s })));
          const next = (s: number) => {
            const rest = all.filter((row) => row.s === s);
            return async (limit: number) => {
              const rows = rest.splice(0, limit);
              // An answer may be short although there are more rows, and then says when the next ones are at most.
              const ended = rest.length === 0 && rows.length < limit;
              return { rows, ended, rest: rest[0] && rest[0].at + (s % 3) };
            };
          };
          const isWanted = (row: { i: number }) => row.i % oneIn === 0;
          const sources = lists.map((times, s) => ({
            newest: inTurn ? (times[0] ?? 50) + (s % 2) : Number.POSITIVE_INFINITY,
            next: next(s),
          }));
          const { signal } = new AbortController();
          const given = [];
          let truncated = false;
          for await (const page of joinNewestFirst({
            sources,
            pageSize,
            maxRows,
            timeOf: (row) => row.at,
            idOf: (row) => `${row.s}.${row.i}`,
            open: async (rows) => rows.filter(isWanted).map((row) => row.at),
            signal,
          })) {
            expect(truncated).toBe(false);
            expect(page.rows.length).toBeLessThanOrEqual(pageSize);
            given.push(...page.rows);
            truncated = page.truncated;
          }
          const wanted = all.filter(isWanted).map((row) => row.at);
          expect(given).toEqual(wanted.sort((a, b) => b - a).slice(0, maxRows));
          expect(truncated).toBe(wanted.length > maxRows);
        },
      ),
    );
  });

  it("of parts in turn returns all rows in their order, and a bound for the next ones", async () => {
    const sizes = fc.array(fc.nat(20), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 30 }), async (lists, limit) => {
        const newest = lists.length * 100;
        const parts = lists.map((count, n) =>
          Array.from({ length: count }, (_, i) => newest - 100 * n - 1 - i),
        );
        const asked: (string | undefined)[] = [];
        const fetch = inTurn<number, string>(
          parts.map((rows, n) => ({
            newest: newest - 100 * n,
            prepare: async () => {
              const rest = [...rows];
              return async (most, check) => {
                asked.push(check);
                const page = rest.splice(0, most);
                return { rows: page, ended: page.length < most };
              };
            },
          })),
        );
        const given: number[] = [];
        for (let first: string | undefined = "first"; ; first = undefined) {
          const answer = await fetch(limit, first);
          given.push(...(answer?.rows ?? []));
          if (answer?.ended) break;
          const next = parts.flat()[given.length] ?? Number.NEGATIVE_INFINITY;
          expect(answer?.rest ?? Number.POSITIVE_INFINITY).toBeGreaterThan(next);
        }
        expect(given).toEqual(parts.flat());
        expect(asked.filter((check) => check !== undefined)).toEqual(["first"]);
      }),
    );
  });

  it("stops waiting when it is aborted", async () => {
    const controller = new AbortController();
    const pages = joinNewestFirst<number, number>({
      sources: [{ newest: 0, next: () => new Promise(() => {}) }],
      pageSize: 10,
      maxRows: 10,
      timeOf: (row) => row,
      idOf: String,
      open: async (rows) => rows,
      signal: controller.signal,
    });
    const first = pages.next();
    controller.abort(new Error("given up"));
    await expect(first).rejects.toThrow("given up");
  });

  it("runs at most the given number at once", async () => {
    const connect = atMost(2);
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 9 }, () =>
        connect(async () => {
          most = Math.max(most, ++running);
          await new Promise((go) => setTimeout(go, 1));
          running--;
        }),
      ),
    );
    expect(most).toBe(2);
  });
});
