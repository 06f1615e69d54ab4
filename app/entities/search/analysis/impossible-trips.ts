import { milesBetween } from "#app/entities/search/map/camera.ts";
import type { Place } from "#app/entities/search/sighting.ts";
import { numberText } from "#app/lib/number-text.ts";
import { compareNames } from "#app/lib/text.ts";
import { HOUR, MINUTE } from "#app/lib/time/dates.ts";

/** A read as this rule needs it. `row` identifies it in the answer; empty words are unknown. */
export type TripRead = {
  row: number;
  plate: string;
  /** Epoch milliseconds of the read itself, not of its arrival; null if unknown. */
  time: number | null;
  latitude: number | null;
  longitude: number | null;
  state: string;
  make: string;
  color: string;
  camera: string;
  /** Distinguishes cameras of the same name. */
  agency?: string;
};

/** The likely reason why a trip is impossible: the first of these that the reads support. */
type TripCause =
  /** Other plates make impossible trips to or from these cameras as well. */
  | { kind: "clock"; cameras: string[]; plates: number }
  /** A plate that looks alike passed nearby on a vehicle of the same make and color as the read in `row`. */
  | { kind: "misread"; row: number; plate: string }
  | { kind: "clone"; differs: ("state" | "make" | "color")[] }
  | { kind: "unknown" };

/** Two consecutive reads of one plate that no car can drive between. */
export type ImpossibleTrip = {
  from: TripRead;
  to: TripRead;
  miles: number;
  /** The speed needed; null if both reads have the same time. */
  mph: number | null;
  cause: TripCause;
};

export type ImpossibleTrips = {
  /** By time of the second read, then by row. */
  trips: ImpossibleTrip[];
  /** Reads with a plate that were left out because they have no location, or no time of their own. */
  leftOut: number;
};

const DEFAULT_SPEED_LIMIT_MPH = 120;
/** Closer reads are not evidence: cameras may share a junction, and coordinates may be slightly wrong. */
const LEAST_MILES = 0.5;
/** A camera's clock is suspect if at least this many other plates disagree with it, and half of those compared. */
const LEAST_PLATES = 2;
/** Reads this close in time to a read at another camera test the clock of both. */
const CLOCK_WINDOW = HOUR;
/** How near in time a look-alike must have passed. */
const MISREAD_WINDOW = 30 * MINUTE;
/** Look-alike candidates per read, nearest in time first: keeps the cost bounded in dense traffic. */
const MAX_CANDIDATES = 100;

type Placed = TripRead & Place & { time: number };
type Pair = { from: Placed; to: Placed; miles: number; mph: number };

/**
 * Returns the impossible trips among reads of any plates in any order. Distances are straight lines between the
 * coordinates, so that a real road would need an even higher speed. Consecutive reads suffice: if no pair of
 * consecutive reads is impossible, no other pair can be. O(n log n) for n reads.
 */
export function impossibleTrips(
  reads: readonly TripRead[],
  options: {
    /** Speeds above this are impossible, in miles per hour. */
    limit?: number;
    /** Returns whether a camera could take one plate for the other; both differ. */
    looksAlike?: (a: string, b: string) => boolean;
  } = {},
): ImpossibleTrips {
  const { limit = DEFAULT_SPEED_LIMIT_MPH, looksAlike = () => false } = options;
  const placed = reads.filter(isPlaced);
  const leftOut = reads.filter((read) => read.plate !== "" && !isPlaced(read)).length;
  const compared = pairsOf(placed);
  const found = compared.filter((pair) => isImpossible(pair, limit));
  if (found.length === 0) return { trips: [], leftOut };
  const clocks = clockCounts(compared, limit);
  const vehicles = byVehicle(placed);
  const trips = found
    .map((pair) => ({
      ...pair,
      mph: Number.isFinite(pair.mph) ? pair.mph : null,
      cause: clockCause(pair, clocks) ??
        misreadCause(pair, { vehicles, looksAlike, limit }) ??
        cloneCause(pair) ?? { kind: "unknown" as const },
    }))
    .sort((a, b) => a.to.time - b.to.time || a.to.row - b.to.row);
  return { trips, leftOut };
}

function isPlaced(read: TripRead): read is Placed {
  return read.plate !== "" && read.time !== null && read.latitude !== null && read.longitude !== null;
}

/** Returns consecutive reads of each plate. */
function pairsOf(reads: readonly Placed[]): Pair[] {
  const plates = new Map<string, Placed[]>();
  for (const read of reads) {
    const list = plates.get(read.plate);
    if (list) list.push(read);
    else plates.set(read.plate, [read]);
  }
  const pairs: Pair[] = [];
  for (const list of plates.values()) {
    list.sort((a, b) => a.time - b.time || a.row - b.row);
    list.slice(1).forEach((to, i) => {
      const from = list[i];
      if (from) pairs.push(pairOf(from, to));
    });
  }
  return pairs;
}

function pairOf(from: Placed, to: Placed): Pair {
  const miles = milesBetween(from, to);
  // Infinity for equal times; NaN for equal times and places, which exceeds no limit.
  return { from, to, miles, mph: miles / (Math.abs(to.time - from.time) / HOUR) };
}

const isImpossible = ({ miles, mph }: Pair, limit: number) => miles >= LEAST_MILES && mph > limit;

const isSameCamera = (a: TripRead, b: TripRead) => a.camera === b.camera && a.agency === b.agency;
const cameraKey = ({ camera, agency }: TripRead) => `${camera}\n${agency ?? ""}`;

/** Per camera: the plates whose reads there could be compared with another camera, and those that disagree. */
type ClockCounts = Map<string, { compared: Set<string>; disagree: Set<string> }>;

function clockCounts(pairs: readonly Pair[], limit: number): ClockCounts {
  const counts: ClockCounts = new Map();
  for (const pair of pairs) {
    const { from, to, miles } = pair;
    if (isSameCamera(from, to) || miles < LEAST_MILES || to.time - from.time > CLOCK_WINDOW) continue;
    for (const camera of [cameraKey(from), cameraKey(to)]) {
      const count = counts.get(camera) ?? { compared: new Set(), disagree: new Set() };
      counts.set(camera, count);
      count.compared.add(from.plate);
      if (isImpossible(pair, limit)) count.disagree.add(from.plate);
    }
  }
  return counts;
}

/** Names the camera with the highest share of other plates that disagree; both if they are equal. */
function clockCause({ from, to }: Pair, counts: ClockCounts): TripCause | undefined {
  const { plate } = from;
  const isNamedAlike = from.camera === to.camera && !isSameCamera(from, to);
  const reads = isSameCamera(from, to) ? [from] : [from, to];
  const suspects = reads.flatMap((read) => {
    const count = read.camera === "" ? undefined : counts.get(cameraKey(read));
    if (!count) return [];
    const camera = isNamedAlike ? `${read.camera} (${read.agency || "N/A"})` : read.camera;
    const others = (plates: Set<string>) => plates.size - (plates.has(plate) ? 1 : 0);
    const [compared, plates] = [others(count.compared), others(count.disagree)];
    return plates >= LEAST_PLATES && plates * 2 >= compared
      ? [{ camera, plates, share: plates / compared }]
      : [];
  });
  const share = Math.max(...suspects.map((suspect) => suspect.share));
  const worst = suspects.filter((suspect) => suspect.share === share);
  if (worst.length === 0) return undefined;
  return {
    kind: "clock",
    cameras: worst.map(({ camera }) => camera).sort(compareNames),
    plates: Math.max(...worst.map(({ plates }) => plates)),
  };
}

const vehicleOf = ({ make, color }: TripRead) => JSON.stringify([make, color]);

/** Reads by make and color, in time order; reads with neither are left out. */
function byVehicle(reads: readonly Placed[]): Map<string, Placed[]> {
  const vehicles = new Map<string, Placed[]>();
  for (const read of reads) {
    if (read.make === "" && read.color === "") continue;
    const key = vehicleOf(read);
    const list = vehicles.get(key);
    if (list) list.push(read);
    else vehicles.set(key, [read]);
  }
  for (const list of vehicles.values()) list.sort((a, b) => a.time - b.time || a.row - b.row);
  return vehicles;
}

type MisreadInput = {
  vehicles: Map<string, Placed[]>;
  looksAlike: (a: string, b: string) => boolean;
  limit: number;
};

/** Looks for a look-alike plate on a matching vehicle that could have been at either read. */
function misreadCause(pair: Pair, { vehicles, looksAlike, limit }: MisreadInput): TripCause | undefined {
  for (const read of [pair.to, pair.from]) {
    const alike = nearestInTime(vehicles.get(vehicleOf(read)) ?? [], read).find(
      (other) =>
        other.plate !== read.plate &&
        looksAlike(read.plate, other.plate) &&
        !isImpossible(pairOf(other, read), limit),
    );
    if (alike) return { kind: "misread", row: read.row, plate: alike.plate };
  }
  return undefined;
}

/** Returns the reads of a time-sorted list within the window of a read, nearest in time first. */
function nearestInTime(list: readonly Placed[], { time }: Placed): Placed[] {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.time ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  const near: Placed[] = [];
  let [before, after] = [low - 1, low];
  const distance = (read: Placed | undefined) =>
    read && Math.abs(read.time - time) <= MISREAD_WINDOW ? Math.abs(read.time - time) : Number.NaN;
  while (near.length < MAX_CANDIDATES) {
    const [earlier, later] = [list[before], list[after]];
    const [a, b] = [distance(earlier), distance(later)];
    if (earlier && !(a > b) && !Number.isNaN(a)) {
      near.push(earlier);
      before--;
    } else if (later && !Number.isNaN(b)) {
      near.push(later);
      after++;
    } else break;
  }
  return near;
}

function cloneCause({ from, to }: Pair): TripCause | undefined {
  const differs = (["state", "make", "color"] as const).filter(
    (word) => from[word] !== "" && to[word] !== "" && from[word] !== to[word],
  );
  return differs.length > 0 ? { kind: "clone", differs } : undefined;
}

/**
 * Explains a trip: `142 mph would be needed from Maple Ave 10:02 to Elm St 10:09; likelier: misread of 8BC123`.
 * `clock` writes a time as clocks of the viewer's zone show it.
 */
export function tripWords(
  { from, to, miles, mph, cause }: ImpossibleTrip,
  clock: (time: number) => string,
): string {
  const read = ({ camera, time }: TripRead) =>
    `${camera || "an unnamed camera"} ${time === null ? "" : clock(time)}`.trim();
  const speed =
    mph !== null
      ? `${numberText(Math.ceil(mph))} mph would be needed from ${read(from)} to ${read(to)}`
      : `${miles.toFixed(1)} miles apart at the same time: ${read(from)} and ${read(to)}`;
  return `${speed}; ${causeWords(cause)}`;
}

function causeWords(cause: TripCause): string {
  switch (cause.kind) {
    case "clock":
      return `likelier: camera clock off (${cause.cameras.join(" or ")}; ${cause.plates} other plates disagree as well)`;
    case "misread":
      return `likelier: misread (${cause.plate} on a matching vehicle passed nearby)`;
    case "clone":
      return `likelier: cloned plate (${cause.differs.join(" and ")} ${cause.differs.length > 1 ? "differ" : "differs"})`;
    case "unknown":
      return "these reads do not show why";
  }
}
