import { compareNames } from "#app/lib/text.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";

/**
 * A read as a pattern needs it; `time` in epoch milliseconds, null if unknown. The agency distinguishes cameras of the same
 * name.
 */
export type PatternRead = { time: number | null; camera: string; agency?: string };

/** The days of the week, from Sunday. */
export const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const HOURS = 24;

/** The reads of one hour of the week. */
type PatternCell = {
  reads: number /** The camera with the most reads; "" without reads. */;
  camera: string;
};

type PatternPlace = {
  /** The camera's name, with its agency if another one has a camera of that name. */
  camera: string;
  reads: number;
  first: number;
  last: number;
  /** Reads by weekday, Sunday first, and by hour. */
  weekdays: number[];
  hours: number[];
};

export type Pattern = {
  /** Reads with a time, and the number of reads without one. */
  reads: number;
  untimed: number;
  first: number | null;
  last: number | null;
  /** Days on which the plate was read. */
  days: number;
  /** Weekday * 24 + hour, Sunday first. */
  cells: PatternCell[];
  /** Most reads first. */
  places: PatternPlace[];
  /** The longest times without a read, longest first. */
  gaps: { from: number; to: number }[];
};

const MAX_GAPS = 5;

/**
 * Returns when and where a plate is read. `clock` writes a time as `2026-11-20 14:03:07 EST` in the zone in which hours
 * and weekdays are counted. O(n log n).
 */
export function patternOf(reads: readonly PatternRead[], clock: (time: number) => string): Pattern {
  const nameOf = cameraNames(reads);
  const timed = reads
    .flatMap(({ time, ...read }) => (time === null ? [] : [{ time, camera: nameOf(read) }]))
    .sort((a, b) => a.time - b.time);
  const places = new Map<string, PatternPlace>();
  const cells = Array.from({ length: WEEKDAYS.length * HOURS }, () => new Map<string, number>());
  const days = new Set<string>();
  for (const { time, camera } of timed) {
    const { day, weekday, hour } = hourOf(clock(time));
    days.add(day);
    const cell = cells[weekday * HOURS + hour];
    cell?.set(camera, (cell.get(camera) ?? 0) + 1);
    const place = places.get(camera) ?? emptyPlace(camera, time);
    places.set(camera, place);
    place.reads++;
    place.last = time;
    place.weekdays[weekday] = (place.weekdays[weekday] ?? 0) + 1;
    place.hours[hour] = (place.hours[hour] ?? 0) + 1;
  }
  const gaps = timed.slice(1).map(({ time }, i) => ({ from: timed[i]?.time ?? time, to: time }));
  return {
    reads: timed.length,
    untimed: reads.length - timed.length,
    first: timed[0]?.time ?? null,
    last: timed.at(-1)?.time ?? null,
    days: days.size,
    cells: cells.map(cellOf),
    places: [...places.values()].sort((a, b) => b.reads - a.reads || compareNames(a.camera, b.camera)),
    gaps: gaps
      .filter(({ from, to }) => to - from >= MINUTE)
      .sort((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from)
      .slice(0, MAX_GAPS),
  };
}

/** Returns a function that names cameras, with their agencies if several agencies have a camera of that name. */
function cameraNames(reads: readonly PatternRead[]): (read: Omit<PatternRead, "time">) => string {
  const agencies = new Map<string, Set<string>>();
  for (const { time, camera, agency = "" } of reads) {
    if (time === null) continue;
    const own = agencies.get(camera);
    if (own) own.add(agency);
    else agencies.set(camera, new Set([agency]));
  }
  return ({ camera, agency = "" }) =>
    (agencies.get(camera)?.size ?? 0) > 1 ? `${camera || "N/A"} (${agency || "N/A"})` : camera;
}

function hourOf(text: string): { day: string; weekday: number; hour: number } {
  const day = text.slice(0, 10);
  return { day, weekday: new Date(`${day}T00:00Z`).getUTCDay(), hour: Number(text.slice(11, 13)) };
}

function emptyPlace(camera: string, first: number): PatternPlace {
  const zeros = (length: number) => Array.from({ length }, () => 0);
  return { camera, reads: 0, first, last: first, weekdays: zeros(WEEKDAYS.length), hours: zeros(HOURS) };
}

function cellOf(cameras: ReadonlyMap<string, number>): PatternCell {
  const [most] = [...cameras].sort(([a, x], [b, y]) => y - x || compareNames(a, b));
  return { reads: [...cameras.values()].reduce((sum, count) => sum + count, 0), camera: most?.[0] ?? "" };
}

export type PatternTable = { title: string; head: string[]; rows: string[][] };

/** Returns a pattern as plain tables, for the screen and for reports: places, hours of the week, gaps. */
export function patternTables(pattern: Pattern, clock: (time: number) => string): PatternTable[] {
  return [
    {
      title: "Places",
      head: ["Camera", "Reads", "First read", "Last read", "Days", "Hours"],
      rows: pattern.places.map(({ camera, reads, first, last, weekdays, hours }) => [
        camera || "N/A",
        String(reads),
        clock(first),
        clock(last),
        WEEKDAYS.filter((_, weekday) => weekdays[weekday] !== 0).join(", "),
        rangesText(hours),
      ]),
    },
    {
      title: "Hours of the week",
      head: ["Hour", ...WEEKDAYS, "Usual camera"],
      rows: Array.from({ length: HOURS }, (_, hour) => hour)
        .map((hour) => ({ hour, cells: WEEKDAYS.map((_, weekday) => pattern.cells[weekday * HOURS + hour]) }))
        .filter(({ cells }) => cells.some((cell) => cell && cell.reads > 0))
        .map(({ hour, cells }) => [
          hourText(hour),
          ...cells.map((cell) => String(cell?.reads ?? 0)),
          usualCamera(pattern, hour) || "N/A",
        ]),
    },
    {
      title: "Longest gaps",
      head: ["Last read before", "Next read", "Length"],
      rows: pattern.gaps.map(({ from, to }) => [clock(from), clock(to), lengthText(to - from)]),
    },
  ];
}

/** Returns the camera with the most reads in an hour of the day. */
function usualCamera({ places }: Pattern, hour: number): string {
  const most = Math.max(0, ...places.map(({ hours }) => hours[hour] ?? 0));
  return places.find(({ hours }) => hours[hour] === most)?.camera ?? "";
}

function hourText(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

/** `07:00-09:00, 17:00-18:00` for reads in the hours 7, 8 and 17. */
function rangesText(hours: readonly number[]): string {
  const ranges: string[] = [];
  for (let hour = 0; hour < HOURS; hour++) {
    if (!hours[hour]) continue;
    const start = hour;
    while (hours[hour + 1]) hour++;
    ranges.push(`${hourText(start)}-${hourText(hour + 1)}`);
  }
  return ranges.join(", ");
}

/** `3 d 4 h`, `5 h 10 min`, `12 min`. */
function lengthText(span: number): string {
  const [days, hours, minutes] = [
    Math.floor(span / DAY),
    Math.floor((span % DAY) / HOUR),
    Math.floor((span % HOUR) / MINUTE),
  ];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  return `${minutes} min`;
}
