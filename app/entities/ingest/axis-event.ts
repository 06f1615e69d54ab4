/**
 * Parses what an Axis camera (AXIS License Plate Verifier) posts. Tolerant: keys have two spellings, numbers come as
 * text, and unreadable parts of the pictures and the vehicle are left out. A wrong plate, time or id is refused with an
 * error that names the field, except the time of a clock that is ahead or was never set. Pure.
 */
import * as z from "zod/mini";
import { jurisdictionOf, plateCountry } from "#app/entities/search/jurisdiction.ts";
import { lostCharacter, PLATE_MAX_LENGTH, plateOfRead } from "#app/entities/search/plate.ts";
import { coordinate, isMappable } from "#app/entities/search/sighting.ts";
import { SEARCHED_MAKES } from "#app/entities/search/vehicle.ts";
import { POLICY_NUMBERS } from "#app/entities/users/policy.ts";
import { fromBase64 } from "#app/lib/crypto/encoding.ts";
import { AppError } from "#app/lib/errors.ts";
import { imageIsWhole, imageTypeOf } from "#app/lib/images/type.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { clockCaveat, isWrongClock } from "./camera-clock.ts";
import { CAR_STATES, type CarState } from "./pass.ts";
import { BROKEN_PICTURE, LOST_CHARACTER, TIME_OF_ARRIVAL } from "./rekor-event.ts";

/** Size limits of an event's image and of an event, in bytes. */
export const AXIS_BODY_LIMIT = 5 * 1024 * 1024;

/**
 * No policy keeps a read longer. Each day of reads has its own key, so events of arbitrary days since 2000 would give
 * the purge hours of work. One extra day allows for delivery.
 */
const KEPT_DAYS = POLICY_NUMBERS.find(({ key }) => key === "retention_days")?.most ?? 0;
const LONGEST_KEPT = (KEPT_DAYS + 1) * DAY;

export type AxisImage = {
  kind: "vehicle" | "plate";
  bytes: Uint8Array<ArrayBuffer>;
  type: "image/jpeg" | "image/png";
};

/** What a camera posted: the JSON of one or more events, the images of the form, and the size of both in bytes. */
export type AxisPush = { json: object; images: AxisImage[]; caveats: string[]; bytes: number };

/** An event in Odin's terms. Empty text and null mean that the camera does not say. */
export type AxisEvent = {
  /** The camera's number of the pass, or its packet counter if it has none. */
  carId: string;
  carState: CarState;
  capturedAt: number;
  /** The event has no time, or that of a wrong clock: `capturedAt` is the time of arrival. */
  timeIsArrival: boolean;
  /** The time of the camera's clock in milliseconds, or null. */
  clock: number | null;
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
  /** What could not be read of the event, as text for the user. */
  caveats: string[];
};

const text = z._default(
  z.pipe(
    z.union([z.string().check(z.maxLength(400)), z.number(), z.null()]),
    z.transform((value) => (value === null ? "" : String(value))),
  ),
  "",
);
/** For fields that a read can do without: anything but text and numbers counts as missing. */
const looseText = z.catch(text, "");
const looseObject = <T extends z.core.$ZodType>(schema: T) =>
  z.catch(z.optional(z.nullable(schema)), undefined);

const Picture = z.object({ ImageType: looseText, BinaryImage: z.string() });
/** Maximum number of an event's pictures that are examined: one of each kind is used. */
const MAX_PICTURES = 8;

const Wire = z.object({
  packetCounter: looseText,
  capture_timestamp: text,
  capture_ts: looseText,
  plateText: text,
  plateUnicode: text,
  plateUTF8: text,
  plateASCII: text,
  plateCountry: looseText,
  "plateISO3166-2": looseText,
  plateRegion: looseText,
  plateRegionCode: looseText,
  plateConfidence: looseText,
  carState: looseText,
  carMoveDirection: looseText,
  carID: text,
  imageType: looseText,
  geotag: looseObject(z.object({ lat: z.optional(z.unknown()), lon: z.optional(z.unknown()) })),
  vehicle_info: looseObject(
    z.object({ type: looseText, color: looseText, brand: looseText, make: looseText }),
  ),
  ImageArray: z.optional(z.unknown()),
  imageArray: z.optional(z.unknown()),
});
type Wire = z.infer<typeof Wire>;

/** Sections of a heartbeat; a camera can be configured to omit some of them. */
const HEARTBEAT_SECTIONS = ["ALPV", "system", "identify"];
/** Fields of events; no heartbeat has any of these. */
const EVENT_FIELDS = ["carID", "carState", "packetCounter", "capture_timestamp", "plateText", "plateUTF8"];

/** Returns whether a body is a camera's heartbeat. */
export function isAxisHeartbeat(json: unknown): boolean {
  if (typeof json !== "object" || json === null) return false;
  if (EVENT_FIELDS.some((field) => field in json)) return false;
  const body: Record<string, unknown> = { ...json };
  return HEARTBEAT_SECTIONS.some((section) => typeof body[section] === "object" && body[section] !== null);
}

/** Parses an event received at `now` (milliseconds UTC). Throws AppError bad_request that names the wrong field. */
export function parseAxisEvent(json: unknown, now: number): AxisEvent {
  const parsed = Wire.safeParse(json);
  if (!parsed.success)
    throw wrong(
      parsed.error.issues[0]?.path.join(".") || "event",
      "does not have the format of an Axis event",
    );
  const wire = parsed.data;
  const [latitude, longitude] = [coordinate(wire.geotag?.lat), coordinate(wire.geotag?.lon)];
  const placed = isMappable(latitude, longitude);
  const { images, broken } = imagesOf(wire);
  const clock = clockOf(wire, now);
  const { plate, isWhole } = plateOf(wire);
  const event: AxisEvent = {
    carId: carIdOf(wire),
    carState: CAR_STATES.find((state) => state === wire.carState.toLowerCase()) ?? "update",
    capturedAt: clock ?? now,
    timeIsArrival: clock === null,
    clock,
    plate,
    plateState: stateOf(wire),
    confidence: confidenceOf(wire.plateConfidence),
    make: makeOf(wire.vehicle_info?.brand || wire.vehicle_info?.make || ""),
    color: COLORS.get(letters(wire.vehicle_info?.color ?? "")) ?? "",
    bodyType: BODY_TYPES.get(letters(wire.vehicle_info?.type ?? "")) ?? "",
    direction: wire.carMoveDirection === "in" || wire.carMoveDirection === "out" ? wire.carMoveDirection : "",
    latitude: placed ? latitude : null,
    longitude: placed ? longitude : null,
    images,
    caveats: [
      ...(clock === null ? [TIME_OF_ARRIVAL] : []),
      ...(isWhole ? [] : [LOST_CHARACTER]),
      ...(broken ? [BROKEN_PICTURE] : []),
    ],
  };
  return clock !== null && isWrongClock(clock, now) ? arrivedAt(event, now) : event;
}

/** Returns an event with the time of its arrival, because its camera's clock is wrong. */
export function arrivedAt(event: AxisEvent, arrival: number): AxisEvent {
  const { clock, timeIsArrival, caveats } = event;
  const said = clock === null || timeIsArrival ? [] : [clockCaveat(clock, arrival)];
  return { ...event, capturedAt: arrival, timeIsArrival: true, caveats: [...said, ...caveats] };
}

/**
 * Returns a JPEG or PNG image of an event, or null if it is truncated or not one: its read is still used. Throws
 * AppError bad_request if it is larger than 5 MB.
 */
export function axisImage(
  kind: AxisImage["kind"],
  bytes: Uint8Array<ArrayBuffer>,
  field: string,
): AxisImage | null {
  if (bytes.length > AXIS_BODY_LIMIT) throw wrong(field, "is larger than 5 MB");
  const type = imageTypeOf(bytes);
  if (type !== "image/jpeg" && type !== "image/png") return null;
  return imageIsWhole(bytes, type) ? { kind, bytes, type } : null;
}

/**
 * Returns what the two images of a form show: `image` as the event says, `image2` the other kind unless the event says
 * otherwise. A file name that contains "plate" overrides both.
 */
export function formImageKinds(
  event: object,
  names: Record<"image" | "image2", string>,
): Record<"image" | "image2", AxisImage["kind"]> {
  const { imageType, second_image_type: second }: Record<string, unknown> = { ...event };
  const [first, other] = [/plate/i.test(names.image), /plate/i.test(names.image2)];
  if (first !== other)
    return first ? { image: "plate", image2: "vehicle" } : { image: "vehicle", image2: "plate" };
  const image = kindOf(imageType);
  return { image, image2: typeof second === "string" ? kindOf(second) : otherKind(image) };
}

function wrong(field: string, what: string): AppError {
  return new AppError("bad_request", `${field} ${what}.`);
}

function carIdOf(wire: Wire): string {
  const carId = wire.carID.trim();
  const id = carId || wire.packetCounter.trim();
  if (id === "") throw wrong("carID", "is missing, and so is packetCounter");
  if (id.length > 64) throw wrong("carID", "is longer than 64 characters");
  // The prefix keeps a packet counter from colliding with a car id of the same number.
  return carId === "" ? `packet ${id}` : id;
}

/** Returns the capture time as text in milliseconds, or "". `capture_ts` is the same time in nanoseconds. */
function stampOf(wire: Wire): string {
  const nanoseconds = wire.capture_ts.trim();
  return wire.capture_timestamp.trim() || (/^\d{19}$/.test(nanoseconds) ? nanoseconds.slice(0, -6) : "");
}

/**
 * Returns what the camera's clock says in milliseconds UTC, or null if the event names no time. The event's `datetime`
 * is the camera's local time without a zone, and is ignored. A late read that no policy keeps is refused.
 */
function clockOf(wire: Wire, now: number): number | null {
  const stamp = stampOf(wire);
  if (stamp === "") return null;
  const at = /^\d{1,16}$/.test(stamp) ? Number(stamp) : Number.NaN;
  if (!Number.isSafeInteger(at)) throw wrong("capture_timestamp", "is not a time in milliseconds");
  if (at < now - LONGEST_KEPT && !isWrongClock(at, now))
    throw wrong(
      "capture_timestamp",
      `is more than ${KEPT_DAYS} days ago, longer than any read is kept: set the camera's clock`,
    );
  return at;
}

/** Returns the plate of the first field that has one, preferring fields that lost no character. */
function plateOf(wire: Wire): { plate: string; isWhole: boolean } {
  const escaped = wire.plateUnicode.replace(/\\u([0-9a-fA-F]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const named = {
    plateUTF8: wire.plateUTF8,
    plateText: wire.plateText,
    plateUnicode: escaped,
    plateASCII: wire.plateASCII,
  };
  const plates = Object.entries(named)
    .map(([field, text]) => ({ field, plate: plateOfRead(text), isWhole: !lostCharacter(text) }))
    .filter(({ plate }) => plate !== "");
  const best = plates.find(({ isWhole }) => isWhole) ?? plates[0];
  if (!best) return { plate: "", isWhole: true };
  const { field, plate, isWhole } = best;
  if (plate.length > PLATE_MAX_LENGTH) throw wrong(field, `is longer than ${PLATE_MAX_LENGTH} characters`);
  return { plate, isWhole };
}

/** Regions of other countries use the same letters: "AL" is Alabama only on an American plate. */
function stateOf(wire: Wire): string {
  const iso = wire["plateISO3166-2"];
  if (/^[a-z]{2}-/i.test(iso.trim())) return jurisdictionOf(iso) ?? "";
  const named = wire.plateCountry.trim();
  const country = plateCountry(named);
  if (country === undefined && !["", "XX"].includes(named.toUpperCase())) return "";
  const regions = [wire.plateRegionCode, iso, wire.plateRegion];
  return (
    regions.map((region) => jurisdictionOf(region, { country })).find((code) => code !== undefined) ?? ""
  );
}

/** Returns 0-100 from the camera's 0-1, or null. */
function confidenceOf(value: string): number | null {
  const confidence = value.trim() === "" ? Number.NaN : Number(value);
  return confidence >= 0 && confidence <= 1 ? Math.round(confidence * 100) : null;
}

const COLORS = new Map([
  ["black", "Black"],
  ["blue", "Blue"],
  ["brown", "Brown"],
  ["beige", "Gold/Beige"],
  ["gold", "Gold/Beige"],
  ["green", "Green"],
  ["orange", "Orange"],
  ["pink", "Pink"],
  ["purple", "Purple"],
  ["violet", "Purple"],
  ["red", "Red"],
  ["gray", "Silver/Gray"],
  ["grey", "Silver/Gray"],
  ["silver", "Silver/Gray"],
  ["white", "White"],
  ["yellow", "Yellow"],
]);

/** The camera's types are coarse: "car" becomes a sedan. The search form has no type for a bus. */
const BODY_TYPES = new Map([
  ["car", "sedan-standard"],
  ["sedan", "sedan-standard"],
  ["suv", "SUV"],
  ["pickup", "truck-standard"],
  ["truck", "truck-standard"],
  ["heavytruck", "tractor-trailer"],
  ["van", "van-full"],
  ["minivan", "van-mini"],
  ["motorcycle", "Motorcycle"],
  ["motorbike", "Motorcycle"],
]);

const MAKES = new Map<string, string>([
  ...SEARCHED_MAKES.map((make) => [letters(make), make] as const),
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

/** Returns at most one image of each kind. The first untyped image has the event's type, the second the other one. */
function imagesOf(wire: Wire): { images: AxisImage[]; broken: boolean } {
  const images: AxisImage[] = [];
  const sent = new Set<AxisImage["kind"]>();
  let broken = false;
  const sentPictures = picturesOf(wire);
  for (const sentPicture of sentPictures.slice(0, MAX_PICTURES)) {
    const picture = Picture.safeParse(sentPicture).data;
    if (!picture) {
      broken = true;
      continue;
    }
    const { ImageType, BinaryImage } = picture;
    if (BinaryImage === "") continue;
    const said = kindOf(ImageType || wire.imageType);
    const kind = ImageType === "" && sent.has(said) ? otherKind(said) : said;
    sent.add(kind);
    if (images.some((image) => image.kind === kind)) continue;
    const bytes = decoded(BinaryImage);
    const image = bytes && axisImage(kind, bytes, "ImageArray");
    if (image) images.push(image);
    else broken = true;
  }
  // One of the skipped pictures may be of the missing kind.
  if (sentPictures.length > MAX_PICTURES && images.length < 2) broken = true;
  return { images, broken };
}

/** Returns the pictures of an event; a value that is not a list is one picture. */
function picturesOf(wire: Wire): unknown[] {
  const offered = wire.ImageArray || wire.imageArray || [];
  return Array.isArray(offered) ? offered : [offered];
}

function kindOf(type: unknown): AxisImage["kind"] {
  return typeof type === "string" && type.toLowerCase() === "plate" ? "plate" : "vehicle";
}

function otherKind(kind: AxisImage["kind"]): AxisImage["kind"] {
  return kind === "plate" ? "vehicle" : "plate";
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return fromBase64(base64);
  } catch {
    return undefined;
  }
}
