import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CameraChange,
  CorrectionFields,
  coordinateText,
  correctionOf,
  isSilent,
  rekorCameraId,
  typedCoordinate,
} from "#app/entities/ingest/camera.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { camerasFromList } from "#app/providers/rekor-wire.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("a camera's location", () => {
  it("accepts typed plain decimal numbers, rounded to six decimal places", () => {
    for (const [text, value] of [
      ["41.763711", 41.763711],
      [" -72.5 ", -72.5],
      ["0", 0],
      ["180", 180],
      ["41.7637111", 41.763711],
      ["-72.67410000000001", -72.6741],
    ] as const)
      expect(typedCoordinate(text)).toBe(value);
    for (const text of ["", "41,5", "4e1", "0x29", "+41.5", "41.", ".5", "N 41", "1234.5", "NaN"])
      expect([text, typedCoordinate(text)]).toEqual([text, undefined]);
  });

  it("is the same after it is written and parsed, to the sixth decimal place", () => {
    fc.assert(
      fc.property(fc.integer({ min: -179_999_999, max: 179_999_999 }), (millionths) => {
        const value = millionths / 1e6;
        expect(typedCoordinate(coordinateText(value))).toBe(value);
      }),
    );
  });

  it("must be within the bounds of the map", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -95_000_000, max: 95_000_000 }),
        fc.integer({ min: -185_000_000, max: 185_000_000 }),
        (a, b) => {
          const body = { corrected_latitude: a / 1e6, corrected_longitude: b / 1e6, agency_id: null };
          const fits = Math.abs(a) < 90_000_000 && Math.abs(b) < 180_000_000 && (a !== 0 || b !== 0);
          expect(CameraChange.safeParse(body).success).toBe(fits);
        },
      ),
    );
  });

  it("is empty in the form if it is unknown", () => {
    expect(coordinateText(null)).toBe("");
  });
});

const BOUNDS =
  "Enter a latitude strictly between -90 and 90 and a longitude strictly between -180 and 180, not 0, 0.";

describe("the change of a camera", () => {
  const change = (corrected_latitude: unknown, corrected_longitude: unknown) =>
    CameraChange.safeParse({ corrected_latitude, corrected_longitude, agency_id: null });

  it("has both coordinates, or neither to remove a correction", () => {
    expect(change("41.5", -72.7).data).toMatchObject({
      corrected_latitude: 41.5,
      corrected_longitude: -72.7,
    });
    expect(change(41.1 + 0.2, "-72.7").data).toMatchObject({
      corrected_latitude: 41.3,
      corrected_longitude: -72.7,
    });
    expect(change(41.12345678, "-72.67410000000001").data).toMatchObject({
      corrected_latitude: 41.123457,
      corrected_longitude: -72.6741,
    });
    expect(change(null, null).data).toMatchObject({ corrected_latitude: null, corrected_longitude: null });
  });

  it.each([
    [41.5, null, BOUNDS],
    [null, -72.7, BOUNDS],
    [0, 0, BOUNDS],
    ["north", -72.7, BOUNDS],
  ])("is refused with latitude %j and longitude %j", (latitude, longitude, problem) => {
    expect(change(latitude, longitude).error?.issues.map(({ message }) => message)).toEqual([problem]);
  });
});

it.each([
  [{ agency_id: null }, { agency_id: null }],
  [{ agency_id: "" }, { agency_id: null }],
  [
    { agency_id: 17, is_manual: "true" },
    { agency_id: "17", is_manual: true },
  ],
  [
    { agency_id: "a", is_manual: null },
    { agency_id: "a", is_manual: null },
  ],
])("the change of a camera takes %j of a documented client", (fields, read) => {
  const place = { corrected_latitude: 41.5, corrected_longitude: -72.7 };
  expect(CameraChange.parse({ ...place, ...fields })).toMatchObject(read);
});

it("a change without an agency leaves the agency of the camera unchanged", () => {
  const change = CameraChange.parse({ corrected_latitude: 41.5, corrected_longitude: -72.7 });
  expect(change.agency_id).toBeUndefined();
});

describe("the form of a camera", () => {
  const parse = (over: object) => CorrectionFields.safeParse({ camera_id: "AGENT/7", ...over });

  it.each([
    [{}],
    [{ latitude: "", longitude: " " }],
    [{ latitude: " ", longitude: "" }],
    [{ latitude: "41.5", longitude: "-72.7" }],
    [{ latitude: "41.1234567", longitude: "-72.7" }],
    [{ latitude: "0", longitude: "-72.7" }],
    [{ latitude: "41.5", longitude: "0" }],
  ])("is accepted with or without a place: %j", (over) => {
    expect(parse(over).success).toBe(true);
  });

  it.each([
    [{ latitude: "41.5" }],
    [{ longitude: "-72.7" }],
    [{ latitude: "41.5", longitude: " " }],
    [{ latitude: "0", longitude: "0" }],
    [{ latitude: "89.9999999", longitude: "-72.7" }],
  ])("is refused with a problem of the place: %j", (over) => {
    expect(parse(over).error?.issues).toMatchObject([{ path: ["place"], message: BOUNDS }]);
  });

  it("is sent as a change, with null for each empty field", () => {
    const fields = { camera_id: "AGENT/7", latitude: "41.5", longitude: "-72.7", agency_id: "hpd" };
    expect(correctionOf(fields)).toEqual({
      corrected_latitude: 41.5,
      corrected_longitude: -72.7,
      agency_id: "hpd",
      is_manual: true,
    });
    expect(correctionOf({ camera_id: "7", latitude: "", longitude: "", agency_id: "" })).toEqual({
      corrected_latitude: null,
      corrected_longitude: null,
      agency_id: null,
      is_manual: true,
    });
  });
});

describe("a silent camera", () => {
  const now = 1_700_000_000_000;
  const camera = (over: object, program: SourceProgram = "Rekor") => ({
    program,
    lastReadAt: null,
    lastHeartbeatAt: null,
    usualGapMs: null,
    ...over,
  });

  it("has sent no read for three times its usual gap, or has sent no recent heartbeat", () => {
    for (const [over, silent] of [
      [{}, false],
      [{ lastReadAt: now - 100 * HOUR }, false],
      [{ lastReadAt: now - 2 * HOUR, usualGapMs: HOUR }, false],
      [{ usualGapMs: HOUR }, false],
      [{ lastReadAt: now - 3 * HOUR, usualGapMs: HOUR }, false],
      [{ lastReadAt: now - 3 * HOUR - 1, usualGapMs: HOUR }, true],
      [{ lastReadAt: now - HOUR, usualGapMs: 1000 }, false],
      [{ lastReadAt: now - HOUR - 1, usualGapMs: 1000 }, true],
      [{ lastHeartbeatAt: now - HOUR }, true],
      [{ lastHeartbeatAt: now - 10 * MINUTE }, false],
      [{ lastHeartbeatAt: now - 10 * MINUTE - 1 }, true],
      [{ lastHeartbeatAt: now - HOUR, lastReadAt: now - 10 * MINUTE }, false],
      [{ lastHeartbeatAt: now - HOUR, lastReadAt: now - 10 * MINUTE - 1 }, true],
      [{ lastHeartbeatAt: now - HOUR, lastReadAt: now - 1000 }, false],
    ] as const)
      expect([over, isSilent(camera(over), now)]).toEqual([over, silent]);
  });

  it("from Axis may send heartbeats a day apart, but its reads must follow their usual gap", () => {
    for (const [over, silent] of [
      [{ lastHeartbeatAt: now - 24 * HOUR }, false],
      [{ lastHeartbeatAt: now - 24.9 * HOUR, lastReadAt: now - 24.9 * HOUR }, false],
      [{ lastHeartbeatAt: now - 25.1 * HOUR }, true],
      [{ lastHeartbeatAt: now - 25.1 * HOUR, lastReadAt: now - HOUR }, false],
      [{ lastHeartbeatAt: now - HOUR, lastReadAt: now - 4 * HOUR, usualGapMs: HOUR }, true],
    ] as const)
      expect([over, isSilent(camera(over, "Axis"), now)]).toEqual([over, silent]);
  });
});

describe("Rekor's list of cameras", () => {
  it("is parsed by the fields of Rekor's other documents; rows without a number are skipped", () => {
    const fields = {
      agent_uid: "AGENT",
      camera_id: 7,
      name: "Main St",
      gps_latitude: "41.5",
      gps_longitude: -72.5,
    };
    const place = { latitude: 41.5, longitude: -72.5 };
    expect(
      camerasFromList([
        { pk: 1, model: "alpr.camera", fields },
        { pk: 8, fields: { camera: "Elm St", site: "HQ" } },
        { fields: { name: "nameless" } },
        "nonsense",
        null,
      ]),
    ).toMatchObject([
      { id: "AGENT/7", name: "Main St", siteName: "", ...place },
      { id: "8", name: "Elm St", siteName: "HQ", latitude: null, longitude: null },
    ]);
    for (const answer of [null, {}, "x", { results: [] }]) expect(camerasFromList(answer)).toBeUndefined();
  });

  it("has the same camera ids as reads", () => {
    expect(rekorCameraId("AGENT", "7")).toBe("AGENT/7");
    expect(rekorCameraId(undefined, "7")).toBe("7");
    expect(rekorCameraId("AGENT", undefined)).toBe("");
    expect(rekorCameraId("A".repeat(300), "7")).toBe("A".repeat(250));
  });
});
