// Runs in workerd: fills the archive and its peer with the same reads, and measures both.
// In workerd, the clock only advances with I/O, so only whole searches are timed.

import { type PlatePattern, parsePlatePattern } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { DAY } from "#app/lib/time/dates.ts";
import type { NewRead, ReadStore } from "#app/store/archive/reads.ts";
import { median } from "../figure.ts";
import { benchArchive, type SealedArchive } from "./archive.ts";

type Env = SealedArchive & { FLAT: D1Database };

/** A search that the archive and the peer both run. */
type Case = { plates: string[]; make?: string; color?: string; depth?: number; limit: number };

export const TO = Date.UTC(2026, 9, 1);
export const FROM = TO - 90 * DAY;
const AGENCIES = 30;
const CAMERAS = 20;
const agency = (n: number) => `agency-${String(n).padStart(2, "0")}`;
const camera = (a: number, n: number) => `camera-${String(a).padStart(2, "0")}-${String(n).padStart(2, "0")}`;
/** Ten of the thirty agencies, with all their cameras. */
const searched = Array.from({ length: 10 }, (_, i) => i * 3);
export const agencyIds = searched.map(agency);
export const cameraIds = searched.flatMap((a) => Array.from({ length: CAMERAS }, (_, n) => camera(a, n)));

export const CASES: Record<string, Case> = {
  "whole plate": { plates: ["0", "1", "2", "3", "4"], limit: 1000 },
  "4-character fragment": { plates: ["B123", "7K90", "1D04", "GH55", "0457"], limit: 1000 },
  "3-character fragment": { plates: ["B12", "K90", "D04", "H55", "457"], limit: 1000 },
  "wildcard with a run": { plates: ["*B1?345*", "A*4567", "?C123*", "*D?3412", "*E4?217*"], limit: 1000 },
  "wildcard without a run": { plates: ["*B?1?3*", "*1?3?5?7", "?K?9?1*", "*D4?2*7", "*G?8?0*"], limit: 1000 },
  "attributes only": { plates: [""], make: "Honda", color: "Blue", limit: 1000 },
  "deep page": { plates: [""], depth: 100_000, limit: 100 },
};

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
  const a = x % AGENCIES;
  const v = mix(vehicle + 31);
  const capturedAt = FROM + Math.floor((i / total) * (TO - FROM));
  const cameraId = camera(a, (x >>> 8) % CAMERAS);
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

async function fillFlat(database: D1Database, reads: NewRead[]): Promise<void> {
  const rows = reads.map((r) => [
    r.plate,
    r.plateState,
    r.make,
    r.color,
    r.bodyType,
    r.agencyId,
    r.cameraId,
    r.capturedAt,
  ]);
  const values = Array.from({ length: 8 }, (_, i) => `value ->> ${i}`).join(", ");
  for (let at = 0; at < rows.length; at += 1000) {
    await database
      .prepare(`INSERT INTO reads_flat SELECT ${values} FROM json_each(?)`)
      .bind(JSON.stringify(rows.slice(at, at + 1000)))
      .run();
  }
}

type Row = { plate: string; capturedAt: number };

function queryOf(plate: string, testCase: Case, to: number): SightingQuery {
  return {
    plate: parsePlatePattern(plate) as PlatePattern,
    plateState: "",
    make: (testCase.make ?? "") as SightingQuery["make"],
    color: (testCase.color ?? "") as SightingQuery["color"],
    bodyType: "",
    marks: [],
    from: FROM,
    to,
  };
}

/** Returns the newest page of the archive up to `to`; for a deep page, `to` is the key of the previous page. */
async function own(store: ReadStore, plate: string, testCase: Case, to: number): Promise<Row[]> {
  const search = store.searchReads({
    agencyIds,
    cameraIds,
    query: queryOf(plate, testCase, to),
    maxReads: testCase.limit,
    pageSize: testCase.limit,
    signal: new AbortController().signal,
  });
  const page = await search.next();
  await search.return(undefined);
  return page.value?.reads ?? [];
}

async function peer(database: D1Database, plate: string, testCase: Case): Promise<Row[]> {
  const like = /[*?]/.test(plate) ? plate.replaceAll("*", "%").replaceAll("?", "_") : `%${plate}%`;
  const conditions = [`agency IN (${agencyIds.map(() => "?").join(",")})`, "captured_at BETWEEN ? AND ?"];
  const values: (string | number)[] = [...agencyIds, FROM, TO];
  const add = (condition: string, value: string | undefined) => {
    if (!value) return;
    conditions.push(condition);
    values.push(value);
  };
  add("plate LIKE ?", plate === "" ? "" : like);
  add("make = ?", testCase.make);
  add("color = ?", testCase.color);
  const { results } = await database
    .prepare(
      `SELECT plate, state, make, color, body, agency, camera, captured_at AS capturedAt FROM reads_flat
        WHERE ${conditions.join(" AND ")} ORDER BY captured_at DESC LIMIT ? OFFSET ?`,
    )
    .bind(...values, testCase.limit, testCase.depth ?? 0)
    .all<Row>();
  return results;
}

/** Returns the median milliseconds per call. Each round is long enough for a clock of whole milliseconds. */
export async function time(work: (round: number) => Promise<unknown>): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) {
    const start = Date.now();
    let calls = 0;
    do {
      await work(calls++);
    } while (calls < 5 || Date.now() - start < 100);
    rounds.push((Date.now() - start) / calls);
  }
  return median(rounds);
}

async function measure(env: Env, store: ReadStore, name: string) {
  const testCase = CASES[name] as Case;
  const plates =
    name === "whole plate" ? testCase.plates.map((n) => plateOf(Number(n) * 30)) : testCase.plates;
  // The archive continues at a key; the peer must count all rows before the page each time.
  const [last] = testCase.depth
    ? await peer(env.FLAT, "", { ...testCase, limit: 1, depth: testCase.depth - 1 })
    : [];
  const to = last ? last.capturedAt - 1 : TO;
  let rows = 0;
  for (const plate of plates) {
    const listed = (found: Row[]) => found.map((row) => `${row.capturedAt} ${row.plate}`).join("\n");
    const [ours, theirs] = [await own(store, plate, testCase, to), await peer(env.FLAT, plate, testCase)];
    if (listed(ours) !== listed(theirs))
      throw new Error(
        `"${plate}": the archive returned ${ours.length} rows, the peer ${theirs.length}, or they differ`,
      );
    rows += ours.length;
  }
  if (rows === 0) throw new Error(`${name} finds nothing`);
  const plate = (round: number) => plates[round % plates.length] as string;
  return {
    own: await time((round) => own(store, plate(round), testCase, to)),
    peer: await time((round) => peer(env.FLAT, plate(round), testCase)),
    rows,
  };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const store = benchArchive(env, () => TO);
    if (url.pathname === "/measure")
      return Response.json(await measure(env, store, url.searchParams.get("case") ?? ""));
    const [from, count, total] = ["from", "count", "total"].map((key) => Number(url.searchParams.get(key)));
    const reads = Array.from({ length: count as number }, (_, i) =>
      readOf((from as number) + i, total as number),
    );
    await Promise.all([store.insertReads(reads), fillFlat(env.FLAT, reads)]);
    return Response.json({ reads: reads.length });
  },
} satisfies ExportedHandler<Env>;
