import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  axisImage,
  formImageKinds,
  isAxisHeartbeat,
  parseAxisEvent,
} from "#app/entities/ingest/axis-event.ts";
import { readAxisPush, readRekorDocument } from "#app/http/webhook-body.ts";
import { isAppError } from "#app/lib/errors.ts";
import { DAY } from "#app/lib/time/dates.ts";
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
    expect(refusal({ capture_timestamp: String(NOW - 92 * DAY) })).toContain(
      "capture_timestamp is more than 90 days ago",
    );
    expect(refusal({ capture_timestamp: "1e12" })).toContain("capture_timestamp");
    expect(refusal({ plateUTF8: "ABCDEFGH12345678" })).toContain("plateUTF8 is longer");
    expect(refusal({ plateUTF8: "A".repeat(500) })).toContain("plateUTF8");
    expect(() => parseAxisEvent(JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`), NOW)).toThrow(
      "event",
    );
    expect(() => axisImage("plate", new Uint8Array(6_000_000), "image")).toThrow("5 MB");
  });

  it("is accepted with a plate or an id that contains invalid text", () => {
    const only = { plateText: "", plateUnicode: "", plateASCII: "" };
    for (const wrong of ["\u0000", "\ud800", "\ufffd", "\u0085"]) {
      const event = parseAxisEvent(wire({ ...only, plateUTF8: `AB${wrong}12`, carID: `7${wrong}` }), NOW);
      expect(event).toMatchObject({ plate: "AB12", carId: `7${wrong}`.trim() });
    }
  });

  it("has the plate of a field that lost no character, or says that one was lost", () => {
    const lost = "A character of the plate could not be read";
    const cut = { plateUTF8: "T\ufffdL1", plateText: "T\ud800L1", plateUnicode: "" };
    expect(parseAxisEvent(wire({ ...cut, plateASCII: "TOL1" }), NOW)).toMatchObject({
      plate: "TOL1",
      caveats: [],
    });
    expect(parseAxisEvent(wire({ ...cut, plateASCII: "" }), NOW)).toMatchObject({
      plate: "TL1",
      caveats: [lost],
    });
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

describe("a form that a camera posts", () => {
  const form = (image: string) => {
    const lines = [
      "--XX",
      'Content-Disposition: form-data; name="event"',
      "",
      JSON.stringify(wire()),
      "--XX",
      `Content-Disposition: form-data; ${image}`,
      "Content-Type: image/jpeg",
      "",
      atob(JPEG),
      "--XX--",
      "",
    ];
    return new Request("https://odin.example/ingest/axis", {
      method: "POST",
      headers: { "content-type": 'multipart/form-data; boundary="XX"' },
      body: new Uint8Array(Buffer.from(lines.join("\r\n"), "latin1")),
    });
  };

  it.each(['name="image"; filename="a.jpg"', 'name="image"', "name=image2"])(
    "has an image as the file %s, with or without a file name",
    async (image) => {
      const { images, caveats } = await readAxisPush(form(image));
      expect(caveats).toEqual([]);
      expect(images).toHaveLength(1);
      expect(Buffer.from(images[0]?.bytes ?? []).toString("base64")).toBe(JPEG);
    },
  );

  it("is refused if it was cut off", async () => {
    const whole = form('name="image"');
    const cut = (await whole.arrayBuffer()).slice(0, -8);
    const request = new Request(whole.url, { method: "POST", headers: whole.headers, body: cut });
    await expect(readAxisPush(request)).rejects.toThrow(
      "The form cannot be read. The form has no last boundary.",
    );
  });
});

describe("a body without an event", () => {
  const post = (body: BodyInit) =>
    new Request("https://odin.example/ingest/axis", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });

  it.each<[string, BodyInit, string, string]>([
    ["empty", "", "The body is empty.", "The document is empty."],
    [
      "cut off",
      '{"carID":',
      "The body is not JSON in UTF-8, or was cut off.",
      "The document is not JSON in UTF-8",
    ],
    ["no object", "5", "The body is not a JSON object.", "The document is not a JSON object."],
    [
      "gzipped without a header",
      Uint8Array.of(0x1f, 0x8b, 8, 0),
      "The body is gzipped, but the header Content-Encoding does not say so.",
      "The document is gzipped, but the header Content-Encoding does not say so.",
    ],
  ])("is refused with what is wrong: %s", async (_, body, axis, rekor) => {
    await expect(readAxisPush(post(body))).rejects.toThrow(axis);
    await expect(readRekorDocument(post(body))).rejects.toThrow(rekor);
  });

  it("is a list for Rekor, which sends its documents one by one", async () => {
    await expect(readRekorDocument(post("[{}]"))).rejects.toThrow(
      "The document is a list. Send its documents one by one.",
    );
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
