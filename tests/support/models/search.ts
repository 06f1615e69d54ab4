// A model of the archive of Axis reads and of its searches, with rules of its own: it imports none of the product's.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

export type Stage = "new" | "update" | "lost";

/** What is known of a vehicle; an empty text means nothing. */
export type Facts = { plate: string; state: string; color: string; make: string; body: string };

export type Read = Facts & {
  owner: number;
  camera: string;
  at: number;
  stage: Stage;
  stageAt: number;
  latitude: number;
  longitude: number;
  /** Removed by a purge. */
  gone: boolean;
  /** A legal hold kept it when the purge came. */
  kept: boolean;
  /** Its camera's clock is wrong: `at` is when it arrived. */
  isArrival: boolean;
};

export type Hold = { owner: number; plate: string; from: number; until: number; active: boolean };

export type Archive = {
  now: number;
  keptDays: number[];
  reads: Read[];
  shares: Map<string, number | null>;
  holds: Hold[];
};

const STAGES: Stage[] = ["new", "update", "lost"];

/** Adds an event to a read: a later stage, or a later event of the same stage, knows better. */
export function amend(read: Read, event: Facts & { stage: Stage; at: number }): void {
  const [had, has] = [STAGES.indexOf(read.stage), STAGES.indexOf(event.stage)];
  const wins = has > had || (has === had && event.at > read.stageAt);
  for (const field of ["plate", "state", "color", "make", "body"] as const)
    read[field] = wins ? event[field] || read[field] : read[field] || event[field];
  if (wins) Object.assign(read, { stage: event.stage, stageAt: event.at });
}

export function maySearch({ now, shares }: Archive, owner: number, viewer: number): boolean {
  if (owner === viewer) return true;
  const until = shares.get(`${owner} ${viewer}`);
  return until === null || (until !== undefined && until > now);
}

const isHeld = ({ holds }: Archive, read: Read) =>
  holds.some(
    ({ owner, plate, from, until, active }) =>
      active && owner === read.owner && plate === read.plate && read.at >= from && read.at <= until,
  );

const isOver = ({ now, keptDays }: Archive, { owner, at }: Read) => at < now - (keptDays[owner] ?? 0) * DAY;

/** Removes what is past its retention, unless it is held. */
export function purge(archive: Archive): void {
  for (const read of archive.reads) {
    if (read.gone || !isOver(archive, read)) continue;
    read.kept = isHeld(archive, read);
    read.gone = !read.kept;
  }
}

export type Query = Facts & {
  viewer: number;
  lookAlikes: boolean;
  from: number;
  to: number;
  cameras: Set<string>;
};

/** Returns the reads that a search finds; those before a purge that are past their retention are not shown. */
export function find(archive: Archive, query: Query): { read: Read; score: number }[] {
  // A range is in whole seconds.
  const until = query.to % SECOND === 0 ? query.to + SECOND - 1 : query.to;
  return archive.reads.flatMap((read) => {
    if (read.gone || !query.cameras.has(read.camera) || !maySearch(archive, read.owner, query.viewer))
      return [];
    if (isOver(archive, read) && !read.kept) return [];
    if (read.at < query.from || read.at > Math.min(until, archive.now)) return [];
    if (
      (["state", "color", "make", "body"] as const).some(
        (field) => query[field] && query[field] !== read[field],
      )
    )
      return [];
    const glob = globOf(query.plate);
    if (isExact(glob, read.plate)) return [{ read, score: 1 }];
    if (!query.lookAlikes) return [];
    const score = likeness(glob, read.plate);
    return score === 0 ? [] : [{ read, score }];
  });
}

export type Area =
  | { kind: "circle"; latitude: number; longitude: number; radius_miles: number }
  | { kind: "box"; north: number; south: number; east: number; west: number }
  | { kind: "cameras"; cameras: string[] };
export type Place = { area: Area; from: number; to: number };

const EARTH_MILES = 3958.8;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

function milesBetween(one: { latitude: number; longitude: number }, other: typeof one): number {
  const [a, b] = [radians(one.latitude), radians(other.latitude)];
  const turned = radians(other.longitude - one.longitude);
  const cosine = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(turned);
  return EARTH_MILES * Math.acos(Math.min(1, cosine));
}

function isIn(area: Area, read: Read): boolean {
  if (area.kind === "cameras") return area.cameras.includes(`axis:${read.camera}`);
  if (area.kind === "circle") return milesBetween(area, read) <= area.radius_miles;
  const { north, south, east, west } = area;
  return read.latitude <= north && read.latitude >= south && read.longitude <= east && read.longitude >= west;
}

/** Returns the plates that were read in enough of the places, each with the numbers of these places. */
export function findInPlaces(
  archive: Archive,
  {
    places,
    atLeast,
    ...query
  }: Omit<Query, "from" | "to" | "plate" | "lookAlikes"> & { places: Place[]; atLeast: number },
): Map<string, number[]> {
  const found = new Map<string, Set<number>>();
  for (const [n, { area, from, to }] of places.entries())
    for (const { read } of find(archive, { ...query, plate: "", lookAlikes: false, from, to }))
      if (read.plate !== "" && !read.isArrival && isIn(area, read))
        found.set(read.plate, (found.get(read.plate) ?? new Set()).add(n));
  const enough = [...found].filter(([, seen]) => seen.size >= atLeast);
  return new Map(enough.map(([plate, seen]) => [plate, [...seen].sort()]));
}

const globOf = (plate: string) => (/[*?]/.test(plate) ? plate : `*${plate}*`);

function isExact(glob: string, plate: string): boolean {
  if (glob === "") return plate === "";
  const [sign, rest] = [glob.charAt(0), glob.slice(1)];
  if (sign === "*") return isExact(rest, plate) || (plate !== "" && isExact(glob, plate.slice(1)));
  return plate !== "" && (sign === "?" || sign === plate.charAt(0)) && isExact(rest, plate.slice(1));
}

const SETS = ["0ODQ", "1IL", "2Z", "5S", "8B", "6G"];
const PAIRS = "08 27 35 38 39 3B 49 4A 58 68 BP CG EF EP FP HK HM HR KM KR KX MR PR TV TY UV VW VY XY".split(
  " ",
);
const isConfused = (a: string, b: string) => SETS.some((set) => set.includes(a) && set.includes(b));
const isSometimes = (a: string, b: string) => PAIRS.includes(a + b) || PAIRS.includes(b + a);

/** Returns the best score of any way to read a plate for a glob that it does not match; 0 if there is none. */
function likeness(glob: string, plate: string): number {
  const groups = glob.split(/[*?]+/).reduce((sum, { length }) => sum + Math.floor(length / 3), 0);
  const known = new Map<string, number>();
  function best(g: number, p: number, edits: number): number {
    const key = `${g} ${p} ${edits}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const score = Math.max(0, ...ways(g, p, edits));
    known.set(key, score);
    return score;
  }
  function ways(g: number, p: number, edits: number): number[] {
    const [sign, read] = [glob.charAt(g), plate.charAt(p)];
    if (sign === "" && read === "") return [1];
    if (sign === "*") return [best(g + 1, p, edits), read === "" ? 0 : best(g, p + 1, edits)];
    const all: number[] = [];
    if (sign !== "" && read !== "") {
      if (sign === "?" || sign === read) all.push(best(g + 1, p + 1, edits));
      else if (isConfused(sign, read)) all.push(0.9 * best(g + 1, p + 1, edits));
      else if (edits > 0 && groups >= 1 && isSometimes(sign, read)) all.push(0.7 * best(g + 1, p + 1, 0));
      else if (edits > 0 && groups >= 2) all.push(0.5 * best(g + 1, p + 1, 0));
    }
    if (edits > 0 && groups >= 2) {
      if (sign !== "") all.push(0.4 * best(g + 1, p, 0));
      if (read !== "") all.push(0.4 * best(g, p + 1, 0));
    }
    return all;
  }
  return best(0, 0, 1);
}
