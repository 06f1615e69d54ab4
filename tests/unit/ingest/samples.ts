import { parseAxisEvent } from "#app/entities/ingest/axis-event.ts";
import { isAppError } from "#app/lib/errors.ts";

export const NOW = Date.UTC(2026, 10, 20, 12);
export const JPEG = btoa(String.fromCharCode(0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 0xff, 0xd9));
export const CUT_OFF = btoa(String.fromCharCode(0xff, 0xd8, 0xff, 0xe0, 1, 2, 3));

/** Returns an event as an Axis camera sends it, with other values for some fields. */
export function wire(over: Record<string, unknown> = {}) {
  return {
    packetCounter: "8104955",
    capture_timestamp: String(NOW - 5000),
    datetime: "20261120 140000000",
    plateText: "AB-12345",
    plateUTF8: "AB-12345",
    plateASCII: "AB12345",
    plateCountry: "USA",
    "plateISO3166-2": "US-CT",
    plateRegion: "Connecticut",
    plateRegionCode: "CT",
    plateConfidence: "0.725149",
    carState: "new",
    geotag: { lat: 41.76, lon: -72.67 },
    imageType: "plate",
    carMoveDirection: "in",
    carID: "34939",
    ImageArray: [{ ImageType: "", ImageFormat: "jpg", BinaryImage: JPEG }],
    vehicle_info: { view: "front", type: "CAR", color: "GRAY", brand: "vw" },
    ...over,
  };
}

/** Returns the message with which an event is refused; throws if it is accepted. */
export function refusal(over: Record<string, unknown>): string {
  try {
    parseAxisEvent(wire(over), NOW);
  } catch (error) {
    if (isAppError(error) && error.code === "bad_request") return error.message;
    throw error;
  }
  throw new Error("The event was accepted.");
}
