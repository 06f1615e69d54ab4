import { describe, expect, it } from "vitest";
import { axisImage, isAxisHeartbeat, parseAxisEvent } from "#app/entities/ingest/axis-event.ts";
import { clockNotice } from "#app/entities/ingest/camera-clock.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { CUT_OFF, JPEG, NOW, refusal, wire } from "./samples.ts";

const parse = (over: Record<string, unknown>) => parseAxisEvent(wire(over), NOW);

const PNG_START = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const PNG_END = [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82];
const WEBP = [0x52, 0x49, 0x46, 0x46, 4, 0, 0, 0, 0x57, 0x45, 0x42, 0x50];

/** Returns a complete JPEG of a number of bytes. */
function jpegOf(length: number) {
  const bytes = new Uint8Array(length);
  bytes.set([0xff, 0xd8, 0xff]);
  bytes.set([0xff, 0xd9], length - 2);
  return bytes;
}

describe("a refused Axis event", () => {
  it.each([
    [{ carID: { a: 1 } }, "carID does not have the format of an Axis event."],
    [{ carID: "", packetCounter: { a: 1 } }, "carID is missing, and so is packetCounter."],
    [{ plateUTF8: false }, "plateUTF8 does not have the format of an Axis event."],
    [{ capture_timestamp: [1] }, "capture_timestamp does not have the format of an Axis event."],
    [{ carID: "", packetCounter: "" }, "carID is missing, and so is packetCounter."],
    [{ carID: "7".repeat(65) }, "carID is longer than 64 characters."],
    [{ capture_timestamp: "1e12" }, "capture_timestamp is not a time in milliseconds."],
    [{ capture_timestamp: "-5" }, "capture_timestamp is not a time in milliseconds."],
    // A number beyond those that a double holds exactly.
    [{ capture_timestamp: "9999999999999999" }, "capture_timestamp is not a time in milliseconds."],
    [{ plateUTF8: "ABCDEFGH12345678" }, "plateUTF8 is longer than 15 characters."],
  ])("is told its problem: %j", (over, message) => {
    expect(refusal(over)).toBe(message);
  });

  it("is called an event if it is not even an object", () => {
    expect(() => parseAxisEvent([], NOW)).toThrow(/^event does not have the format of an Axis event\.$/);
  });
});

describe("the id of a pass", () => {
  it.each([
    [{ carID: " 7 " }, "7"],
    [{ carID: "7".repeat(64) }, "7".repeat(64)],
    [{ carID: "", packetCounter: " 12 " }, "packet 12"],
    [{ carID: "  ", packetCounter: "12" }, "packet 12"],
  ])("is the car id, or the packet counter if that is blank: %j", (over, carId) => {
    expect(parse(over).carId).toBe(carId);
  });
});

describe("the capture time of an Axis event", () => {
  it.each([
    [NOW - 91 * DAY - 1, "is more than 90 days ago, longer than any read is kept: set the camera's clock."],
    [Date.UTC(2000, 0, 1), "is more than 90 days ago, longer than any read is kept: set the camera's clock."],
  ])("%d is refused with the reason", (time, problem) => {
    expect(refusal({ capture_timestamp: String(time) })).toBe(`capture_timestamp ${problem}`);
  });

  it.each([
    [0, "says 1970-01-01T00:00:00.000Z"],
    [Date.UTC(2000, 0, 1) - 1, "says 1999-12-31T23:59:59.999Z"],
    [NOW + 5 * MINUTE + 1, "says 2026-11-20T12:05:00.001Z"],
    [NOW + 366 * DAY, "says 2027-11-21T12:00:00.000Z"],
    [NOW + 366 * DAY + 1, "is years off"],
    // A number, but no date.
    [Number.MAX_SAFE_INTEGER, "is years off"],
  ])("%d is that of a wrong clock: the event has the time of its arrival", (time, said) => {
    const event = parse({ capture_timestamp: String(time) });
    expect(event).toMatchObject({ capturedAt: NOW, timeIsArrival: true, clock: time });
    expect(event.caveats).toEqual([`Time is that of arrival: the camera's clock ${said} and must be set`]);
    expect(clockNotice(time, NOW)).toBe(
      `The camera's clock ${said} (it is 2026-11-20T12:00:00.000Z). Set it. Until then its reads have the time of their arrival.`,
    );
    expect(clockNotice(time, NOW).length).toBeLessThan(200);
  });

  it.each([NOW - 91 * DAY, NOW - HOUR, NOW + 5 * MINUTE])("%d is accepted, with spaces too", (time) => {
    expect(parse({ capture_timestamp: ` ${time} ` }).capturedAt).toBe(time);
  });

  it.each([
    [` ${NOW - 3000}999999 `, NOW - 3000],
    [`${NOW - 3000}9999990`, NOW],
    [`x${NOW - 3000}999999`, NOW],
    [`${NOW - 3000}999999x`, NOW],
  ])("is read from nanoseconds of 19 digits: %j", (capture_ts, time) => {
    expect(parse({ capture_timestamp: "", capture_ts }).capturedAt).toBe(time);
  });
});

describe("the plate of an Axis event", () => {
  it.each([
    [{ plateUTF8: " ", plateText: "AB 1" }, "AB1"],
    [{ plateUTF8: "---", plateText: " - ", plateUnicode: "\\u002d", plateASCII: "AB-3" }, "AB3"],
    [{ plateUTF8: "---", plateText: "", plateUnicode: "", plateASCII: "" }, ""],
    [{ plateUTF8: "", plateText: "", plateUnicode: "", plateASCII: "AB2" }, "AB2"],
    [{ plateUTF8: "", plateText: "", plateUnicode: "", plateASCII: "" }, ""],
    [{ plateUTF8: "ABCDEFGH1234567" }, "ABCDEFGH1234567"],
    // Cyrillic and Greek letters that look like A-Z, as people type them; others stay.
    [{ plateUTF8: "\u0410123\u0412\u0421" }, "A123BC"],
    [{ plateUTF8: "\u0399\u039A\u03A51234" }, "IKY1234"],
    [{ plateUTF8: "\u0411123\u0412\u0421" }, "\u0411123\u0412\u0421"],
  ])("comes from the first field that has a letter or digit: %j", (over, plate) => {
    expect(parse(over).plate).toBe(plate);
  });

  it.each([
    [{ "plateISO3166-2": " DE-BY ", plateCountry: "USA", plateRegionCode: "CT" }, ""],
    [{ "plateISO3166-2": "DEU-BY", plateCountry: "USA", plateRegionCode: "CT" }, "CT"],
    [{ "plateISO3166-2": "", plateCountry: " xx ", plateRegionCode: "CT" }, "CT"],
    [{ "plateISO3166-2": "", plateCountry: "", plateRegionCode: "CT" }, "CT"],
    [{ "plateISO3166-2": "", plateCountry: "USA", plateRegionCode: "", plateRegion: "Bavaria" }, ""],
    // The name of a property that every object has.
    [{ "plateISO3166-2": "", plateCountry: "constructor", plateRegionCode: "CT" }, ""],
  ])("has a state only if it is a known one: %j", (over, state) => {
    expect(parse(over).plateState).toBe(state);
  });

  it.each([
    ["0", 0],
    ["1", 100],
    [" 0.5 ", 50],
    ["-0.01", null],
    ["1.01", null],
    ["high", null],
    ["", null],
    [" ", null],
  ])("has a confidence of 0 to 100, from a number of 0 to 1: %j", (plateConfidence, confidence) => {
    expect(parse({ plateConfidence }).confidence).toBe(confidence);
  });
});

describe("the vehicle of an Axis event", () => {
  it.each([
    [{ brand: "Lada", make: "Ford" }, { make: "" }],
    [{ make: "MERCEDES BENZ" }, { make: "Mercedes-Benz" }],
    [{ type: "heavy truck" }, { bodyType: "tractor-trailer" }],
    [
      { type: "bus", color: "Teal" },
      { bodyType: "", color: "" },
    ],
    // A name that every JavaScript object has.
    [
      { type: "constructor", color: "constructor" },
      { bodyType: "", color: "" },
    ],
  ])("has the words of the search form: %j", (vehicle_info, expected) => {
    expect(parse({ vehicle_info })).toMatchObject(expected);
  });

  it.each([undefined, null, {}])("is unknown if the event has %j", (vehicle_info) => {
    expect(parse({ vehicle_info })).toMatchObject({ make: "", color: "", bodyType: "" });
  });

  it.each([
    ["in", "in"],
    ["out", "out"],
    ["unknown", ""],
    ["", ""],
  ])("moves in the direction %j", (carMoveDirection, direction) => {
    expect(parse({ carMoveDirection }).direction).toBe(direction);
  });

  it.each([
    ["NEW", "new"],
    ["update", "update"],
    ["Lost", "lost"],
    ["parked", "update"],
    ["", "update"],
  ])("in the state %j is reported as %j", (carState, expected) => {
    expect(parse({ carState }).carState).toBe(expected);
  });

  it.each([undefined, null, {}, { lat: 41.5 }, { lat: 91, lon: 0 }])("may be at no place: %j", (geotag) => {
    expect(parse({ geotag })).toMatchObject({ latitude: null, longitude: null });
  });
});

describe("an optional field that cannot be read", () => {
  const unknown = { latitude: null, longitude: null };
  it.each([
    [{ geotag: "" }, unknown],
    [{ geotag: [1, 2] }, unknown],
    [{ vehicle_info: "" }, { make: "", color: "", bodyType: "" }],
    [{ vehicle_info: { type: { a: 1 }, color: "GRAY", brand: [] } }, { make: "", color: "Silver/Gray" }],
    [{ plateRegion: false }, { plateState: "CT" }],
    [{ plateConfidence: [] }, { confidence: null }],
    [{ plateCountry: {}, "plateISO3166-2": {}, plateRegionCode: [] }, { plateState: "CT" }],
    [
      { carState: false, carMoveDirection: false },
      { carState: "update", direction: "" },
    ],
    [{ packetCounter: false, capture_ts: false, imageType: {} }, { capturedAt: NOW - 5000 }],
    [{ plateRegion: "x".repeat(401) }, { plateState: "CT" }],
  ])("is left out, without losing the read: %j", (over, expected) => {
    const facts = { carId: "34939", plate: "AB12345", timeIsArrival: false, caveats: [] };
    expect(parse(over)).toMatchObject({ ...facts, ...expected });
  });
});

describe("the images of an Axis event", () => {
  const kinds = (ImageArray: unknown) => parse({ ImageArray }).images.map(({ kind }) => kind);

  it("may be missing or empty", () => {
    expect(parse({ ImageArray: undefined })).toMatchObject({ images: [], caveats: [] });
    expect(parse({ ImageArray: [{ BinaryImage: "" }] })).toMatchObject({ images: [], caveats: [] });
  });

  it("are of the kind that each states, and only the first of a kind is used", () => {
    expect(
      kinds([
        { ImageType: "plate", BinaryImage: JPEG },
        { ImageType: "plate", BinaryImage: JPEG },
      ]),
    ).toEqual(["plate"]);
    expect(kinds([{ ImageType: "plate", BinaryImage: CUT_OFF }, { BinaryImage: JPEG }])).toEqual(["vehicle"]);
  });

  it("are JPEG or PNG images of at most 5 MB", () => {
    expect(axisImage("plate", jpegOf(5 * 1024 * 1024), "image")?.type).toBe("image/jpeg");
    expect(() => axisImage("plate", jpegOf(5 * 1024 * 1024 + 1), "image")).toThrow(
      "image is larger than 5 MB.",
    );
    const png = Uint8Array.from([...PNG_START, ...PNG_END]);
    expect(axisImage("vehicle", png, "image")).toEqual({ kind: "vehicle", bytes: png, type: "image/png" });
    expect(axisImage("vehicle", Uint8Array.from(PNG_START), "image")).toBeNull();
    expect(axisImage("plate", Uint8Array.from(WEBP), "image")).toBeNull();
  });

  it.each([
    [[{ BinaryImage: null }]],
    [[{}]],
    [[null]],
    [[7, "picture"]],
    ["picture"],
    [{ picture: JPEG }],
    [[{ BinaryImage: "%%%" }]],
    [[{ BinaryImage: btoa("\xff") }]],
    [[{ BinaryImage: btoa("<svg onload=alert(1)>") }]],
  ])("are left out with a caveat if they cannot be read: %j", (ImageArray) => {
    const event = parse({ ImageArray });
    expect(event).toMatchObject({ carId: "34939", plate: "AB12345", plateState: "CT", images: [] });
    expect(event.caveats).toEqual(["A picture that came with the read could not be read"]);
  });

  it.each([null, "", false, []])("were not sent: %j", (ImageArray) => {
    expect(parse({ ImageArray })).toMatchObject({ plate: "AB12345", images: [], caveats: [] });
  });

  it("are looked for among the first eight, with a caveat if one is not found there", () => {
    const many = (...pictures: object[]) => ({ ImageArray: [...pictures, ...Array(9).fill(pictures[0])] });
    const [vehicle, plate] = ["vehicle", "plate"].map((ImageType) => ({ ImageType, BinaryImage: JPEG }));
    const both = parse(many(vehicle ?? {}, plate ?? {}));
    expect([both.images.map(({ kind }) => kind), both.caveats]).toEqual([["vehicle", "plate"], []]);
    const one = parse({ ImageArray: [...Array(8).fill(vehicle), plate] });
    expect(one.images.map(({ kind }) => kind)).toEqual(["vehicle"]);
    expect(one.caveats).toHaveLength(1);
  });

  it("are used if another one cannot be read", () => {
    const event = parse({ ImageArray: [{}, { ImageType: {}, BinaryImage: JPEG }] });
    expect(event.images.map(({ kind }) => kind)).toEqual(["plate"]);
    expect(event.caveats).toHaveLength(1);
  });
});

describe("a heartbeat", () => {
  it.each(["system", 7, true, undefined])("is not a plain value: %j", (json) => {
    expect(isAxisHeartbeat(json)).toBe(false);
  });
});
