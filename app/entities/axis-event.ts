/**
 * What an Axis camera (AXIS License Plate Verifier) pushes, read tolerantly: keys in two spellings, numbers as text.
 * Pure. Refuses with a 4xx that names the field what no honest camera sends.
 */
import * as z from "zod/mini";
import { DAY, isoTime, MINUTE } from "#app/lib/dates.ts";
import { fromBase64 } from "#app/lib/encoding.ts";
import { AppError } from "#app/lib/errors.ts";
import { normalizePlate, PLATE_MAX_LENGTH } from "./plate.ts";
import { CAR_STATES, type CarState } from "./read-pass.ts";
import { coordinate, isMappable } from "./sighting.ts";
import { US_STATES, VEHICLE_MAKES } from "./vehicle.ts";

/** Largest image of an event, and largest event. */
export const AXIS_BODY_LIMIT = 5 * 1024 * 1024;

/** How far a camera's clock may be ahead of ours. */
const CLOCK_AHEAD = 5 * MINUTE;
const OLDEST = Date.UTC(2000, 0, 1);

export type AxisImage = {
  kind: "vehicle" | "plate";
  bytes: Uint8Array<ArrayBuffer>;
  type: "image/jpeg" | "image/png";
};

/** An event in Odin's words; empty text and null where the camera does not say. */
export type AxisEvent = {
  /** The camera's number of the pass; its packet counter where it has none. */
  carId: string;
  carState: CarState;
  capturedAt: number;
  plate: string;
  plateState: string;
  /** 0-100. */
  confidence: number | null;
  make: string;
  color: string;
  bodyType: string;
  direction: "in" | "out" | "";
  latitude: number | null;
  longitude: number | null;
  images: AxisImage[];
};

const text = z._default(
  z.pipe(
    z.union([z.string().check(z.maxLength(400)), z.number(), z.null()]),
    z.transform((value) => (value === null ? "" : String(value))),
  ),
  "",
);
const image = z.object({ ImageType: text, BinaryImage: z.string() });
const images = z.optional(z.nullable(z.array(image).check(z.maxLength(8))));
const place = z.optional(
  z.nullable(z.object({ lat: z.optional(z.unknown()), lon: z.optional(z.unknown()) })),
);

const Wire = z.object({
  packetCounter: text,
  capture_timestamp: text,
  plateText: text,
  plateUnicode: text,
  plateUTF8: text,
  plateASCII: text,
  plateCountry: text,
  "plateISO3166-2": text,
  plateRegion: text,
  plateRegionCode: text,
  plateConfidence: text,
  carState: text,
  carMoveDirection: text,
  carID: text,
  imageType: text,
  geotag: place,
  vehicle_info: z.optional(z.nullable(z.object({ type: text, color: text, brand: text, make: text }))),
  ImageArray: images,
  imageArray: images,
});
type Wire = z.infer<typeof Wire>;

/** Whether a body is the camera's sign of life and no event. */
export function isAxisHeartbeat(json: unknown): boolean {
  if (typeof json !== "object" || json === null || !("ALPV" in json)) return false;
  return typeof json.ALPV === "object" && json.ALPV !== null && !("carID" in json || "plateText" in json);
}

/** Reads an event received at `now`. Throws AppError bad_request, naming the field that is wrong. */
export function parseAxisEvent(json: unknown, now: number): AxisEvent {
  const parsed = Wire.safeParse(json);
  if (!parsed.success)
    throw wrong(parsed.error.issues[0]?.path.join(".") || "event", "is not as a camera sends it");
  const wire = parsed.data;
  const [latitude, longitude] = [coordinate(wire.geotag?.lat), coordinate(wire.geotag?.lon)];
  const placed = isMappable(latitude, longitude);
  return {
    carId: carIdOf(wire),
    carState: CAR_STATES.find((state) => state === wire.carState.toLowerCase()) ?? "update",
    capturedAt: captureTime(wire.capture_timestamp, now),
    plate: plateOf(wire),
    plateState: stateOf(wire),
    confidence: confidenceOf(wire.plateConfidence),
    make: makeOf(wire.vehicle_info?.brand || wire.vehicle_info?.make || ""),
    color: COLORS[letters(wire.vehicle_info?.color ?? "")] ?? "",
    bodyType: BODY_TYPES[letters(wire.vehicle_info?.type ?? "")] ?? "",
    direction: wire.carMoveDirection === "in" || wire.carMoveDirection === "out" ? wire.carMoveDirection : "",
    latitude: placed ? latitude : null,
    longitude: placed ? longitude : null,
    images: imagesOf(wire),
  };
}

/** An image of an event whose content is JPEG or PNG. Throws AppError bad_request where it is neither. */
export function axisImage(kind: AxisImage["kind"], bytes: Uint8Array<ArrayBuffer>, field: string): AxisImage {
  if (bytes.length > AXIS_BODY_LIMIT) throw wrong(field, "is larger than 5 MB");
  const type = imageType(bytes);
  if (!type) throw wrong(field, "is neither a JPEG nor a PNG image");
  return { kind, bytes, type };
}

function wrong(field: string, what: string): AppError {
  return new AppError("bad_request", `${field} ${what}.`);
}

function carIdOf(wire: Wire): string {
  const id = (wire.carID || wire.packetCounter).trim();
  if (id === "") throw wrong("carID", "is missing, and so is packetCounter");
  if (id.length > 64 || /[\p{Cc}]/u.test(id)) throw wrong("carID", "is no car id");
  // A packet counter must not meet a car id of the same number.
  return wire.carID.trim() === "" ? `packet ${id}` : id;
}

/** Milliseconds UTC. The event's `datetime` is the camera's local time and says nothing. */
function captureTime(value: string, now: number): number {
  const at = /^\d{1,16}$/.test(value.trim()) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(at)) throw wrong("capture_timestamp", "is no time in milliseconds");
  if (at < OLDEST) throw wrong("capture_timestamp", "lies before the year 2000: set the camera's clock");
  if (at > now + CLOCK_AHEAD) {
    const ahead = at - now > 365 * DAY ? "" : ` (it is ${isoTime(now)})`;
    throw wrong("capture_timestamp", `lies in the future${ahead}: set the camera's clock`);
  }
  return at;
}

function plateOf(wire: Wire): string {
  const escaped = wire.plateUnicode.replace(/\\u([0-9a-fA-F]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const named = {
    plateUTF8: wire.plateUTF8,
    plateText: wire.plateText,
    plateUnicode: escaped,
    plateASCII: wire.plateASCII,
  };
  const [field, value] = Object.entries(named).find(([, text]) => text.trim() !== "") ?? ["plateText", ""];
  if (/[\p{Cc}\p{Cs}]/u.test(value)) throw wrong(field, "holds control characters");
  const plate = normalizePlate(value);
  if (plate.length > PLATE_MAX_LENGTH) throw wrong(field, `is longer than ${PLATE_MAX_LENGTH} characters`);
  return plate;
}

const STATE_OF = new Map<string, string>(
  US_STATES.flatMap((state) => [
    [state.code, state.code],
    [`US-${state.code}`, state.code],
    [state.name.toUpperCase(), state.code],
  ]),
);

/** Regions of other countries use the same letters: "AL" is Alabama only where the plate is American. */
function stateOf(wire: Wire): string {
  const region = wire["plateISO3166-2"].trim().toUpperCase();
  if (region.includes("-")) return region.startsWith("US-") ? (STATE_OF.get(region) ?? "") : "";
  if (!["", "XX", "US", "USA"].includes(wire.plateCountry.trim().toUpperCase())) return "";
  const names = [wire.plateRegionCode, region, wire.plateRegion];
  return (
    names.map((name) => STATE_OF.get(name.trim().toUpperCase())).find((code) => code !== undefined) ?? ""
  );
}

/** 0-100 from the camera's 0-1; null where it gives none. */
function confidenceOf(value: string): number | null {
  const confidence = value.trim() === "" ? Number.NaN : Number(value);
  return confidence >= 0 && confidence <= 1 ? Math.round(confidence * 100) : null;
}

const COLORS: Record<string, string> = {
  black: "Black",
  blue: "Blue",
  brown: "Brown",
  beige: "Gold/Beige",
  gold: "Gold/Beige",
  green: "Green",
  orange: "Orange",
  pink: "Pink",
  purple: "Purple",
  violet: "Purple",
  red: "Red",
  gray: "Silver/Gray",
  grey: "Silver/Gray",
  silver: "Silver/Gray",
  white: "White",
  yellow: "Yellow",
};

/** The camera's words are coarse: a car is a sedan to it. A bus is none of the types that a search offers. */
const BODY_TYPES: Record<string, string> = {
  car: "sedan-standard",
  sedan: "sedan-standard",
  suv: "SUV",
  pickup: "truck-standard",
  truck: "truck-standard",
  heavytruck: "tractor-trailer",
  van: "van-full",
  minivan: "van-mini",
  motorcycle: "Motorcycle",
  motorbike: "Motorcycle",
};

const MAKES = new Map<string, string>([
  ...VEHICLE_MAKES.map((make) => [letters(make), make] as const),
  ["benz", "Mercedes-Benz"],
  ["chevy", "Chevrolet"],
  ["harley", "Harley-Davidson"],
  ["mercedes", "Mercedes-Benz"],
  ["minicooper", "MINI"],
  ["rangerover", "Land Rover"],
  ["vw", "Volkswagen"],
]);

function makeOf(brand: string): string {
  return MAKES.get(letters(brand)) ?? "";
}

function letters(word: string): string {
  return word.toLowerCase().replace(/[^a-z]/g, "");
}

/** At most one image of each kind. One without a type is what the event says, a second one the other kind. */
function imagesOf(wire: Wire): AxisImage[] {
  const found: AxisImage[] = [];
  for (const { ImageType, BinaryImage } of wire.ImageArray ?? wire.imageArray ?? []) {
    if (BinaryImage === "") continue;
    const kind = kindOf(ImageType || wire.imageType);
    const free = ImageType === "" && found.some((image) => image.kind === kind) ? otherKind(kind) : kind;
    if (found.some((image) => image.kind === free)) continue;
    found.push(axisImage(free, decoded(BinaryImage), "ImageArray"));
  }
  return found;
}

function kindOf(type: string): AxisImage["kind"] {
  return type.toLowerCase() === "plate" ? "plate" : "vehicle";
}

function otherKind(kind: AxisImage["kind"]): AxisImage["kind"] {
  return kind === "plate" ? "vehicle" : "plate";
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(base64);
  } catch {
    throw wrong("ImageArray", "holds an image that is not base64");
  }
}

const SIGNATURES = [
  { type: "image/jpeg", bytes: [0xff, 0xd8, 0xff] },
  { type: "image/png", bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
] as const;

function imageType(bytes: Uint8Array): AxisImage["type"] | undefined {
  return SIGNATURES.find((signature) => signature.bytes.every((byte, i) => bytes[i] === byte))?.type;
}
