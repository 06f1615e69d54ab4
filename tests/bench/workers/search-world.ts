// The reads of the search benches: 90 days of 100 agencies, the same in every run.

import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { DAY } from "#app/lib/time/dates.ts";
import type { NewRead } from "#app/store/archive/reads.ts";
import { median } from "../figure.ts";

export const TO = Date.UTC(2026, 9, 1);
export const FROM = TO - 90 * DAY;
/** Nine tenths of the reads belong to thirty agencies, the rest to seventy small ones. */
const LARGE = 30;
const AGENCIES = 100;
const CAMERAS = 20;
export const agency = (n: number) => `agency-${String(n).padStart(2, "0")}`;
const camera = (a: number, n: number) => `camera-${String(a).padStart(2, "0")}-${String(n).padStart(2, "0")}`;
/** Ten of the thirty large agencies, with all their cameras. */
const searched = Array.from({ length: 10 }, (_, i) => i * 3);
export const everyone = Array.from({ length: AGENCIES }, (_, a) => a);
export const camerasOf = (agencies: number[]) =>
  agencies.flatMap((a) => Array.from({ length: CAMERAS }, (_, n) => camera(a, n)));
export const agencyIds = searched.map(agency);
export const cameraIds = camerasOf(searched);

/** Hashes a number, the same way in every run. */
function mix(n: number): number {
  let x = (n ^ 0x9e3779b9) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
}

const LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ";

/** Returns the plate of vehicle `n`: half in Connecticut's format, half in that of neighboring states. */
export function plateOf(n: number): string {
  const x = mix(n);
  const letter = (shift: number) => LETTERS[(x >>> shift) % LETTERS.length] as string;
  const digits = String(mix(n + 7_000_000) % 100_000).padStart(5, "0");
  return n % 2 === 0 ? letter(3) + letter(11) + digits : letter(5) + letter(9) + letter(17) + digits.slice(1);
}

/** As in real traffic, a few makes and colors are most frequent. */
const COMMON_MAKES = ["Toyota", "Honda", "Ford", "Chevrolet", "Nissan", "Subaru", "Jeep"];
const COMMON_COLORS = ["Black", "White", "Silver/Gray", "Blue", "Red"];
const COLORS = VEHICLE_COLORS.map((color) => color.name);

function oneOf(common: readonly string[], all: readonly string[], x: number): string {
  const words = x % 3 === 0 ? all : common;
  return words[Math.floor(x / 3) % words.length] as string;
}

export function readOf(i: number, total: number): NewRead {
  const x = mix(i + 1);
  const vehicle = mix(i + 500_009) % Math.ceil(total * 0.3);
  const a = x % 10 === 0 ? LARGE + ((x >>> 4) % (AGENCIES - LARGE)) : (x >>> 4) % LARGE;
  const v = mix(vehicle + 31);
  const capturedAt = FROM + Math.floor((i / total) * (TO - FROM));
  const cameraId = camera(a, (x >>> 12) % CAMERAS);
  return {
    plate: plateOf(vehicle),
    plateState: ["CT", "CT", "CT", "NY", "MA", "RI"][v % 6] as string,
    make: oneOf(COMMON_MAKES, VEHICLE_MAKES, v),
    color: oneOf(COMMON_COLORS, COLORS, v >>> 8),
    bodyType: VEHICLE_BODY_TYPES[(v >>> 16) % VEHICLE_BODY_TYPES.length] as string,
    confidence: 60 + (x % 40),
    direction: "in",
    latitude: 41.5,
    longitude: -72.7,
    carState: "lost",
    eventAt: capturedAt,
    vehicleImageKey: null,
    plateImageKey: null,
    capturedAt,
    agencyId: agency(a),
    cameraId,
    cameraName: cameraId,
    carId: String(i),
  };
}

/** A slow contender is measured in fewer rounds. */
const LONG_MS = 10_000;

/** Returns the median milliseconds per call. Each round is long enough for a clock of whole milliseconds. */
export async function time(work: (round: number) => Promise<unknown>): Promise<number> {
  const rounds: number[] = [];
  const begun = Date.now();
  while (rounds.length < 5 && (rounds.length === 0 || Date.now() - begun < LONG_MS)) {
    const start = Date.now();
    let calls = 0;
    do {
      await work(calls++);
    } while (calls < 5 || Date.now() - start < 100);
    rounds.push((Date.now() - start) / calls);
  }
  return median(rounds);
}
