const QUARTER = 15 * 60_000;
/** Quarters of an hour whose offset is cached. */
const MAX_KEPT = 500;
/** Both notations have years of four digits until then. */
const UNTIL = Date.UTC(9000, 0);

/**
 * Returns a formatter of times in one zone as `2026-11-20 14:03:07 EST`; in the viewer's zone by default. Intl is
 * called only twice per quarter of an hour if the offset is the same at both ends: creating a formatter costs more
 * than a hundred calls, and each call is slow. Most zones change at the quarter's ends, but some at a minute past
 * midnight. Throws RangeError for an unknown zone.
 */
export function zonedTime(zone?: string): (at: number) => string {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  });
  const quarters = new Map<number, Offset | undefined>();

  function partsOf(at: number): { date: string; time: string; name: string } {
    const part: Record<string, string> = {};
    for (const { type, value } of format.formatToParts(at)) part[type] = value;
    return {
      date: `${part.year}-${part.month}-${part.day}`,
      time: `${part.hour}:${part.minute}:${part.second}`,
      name: part.timeZoneName ?? "",
    };
  }

  function offsetAt(at: number): Offset {
    const { date, time, name } = partsOf(at);
    return { offset: Date.parse(`${date}T${time}Z`) - at, name };
  }

  /** Returns the offset of a whole quarter of an hour, if it has only one. */
  function offsetOfQuarter(at: number): Offset | undefined {
    const start = at - (at % QUARTER);
    if (quarters.has(start)) return quarters.get(start);
    const [first, last] = [offsetAt(start), offsetAt(start + QUARTER - 1000)];
    const same = first.offset === last.offset && first.name === last.name ? first : undefined;
    if (quarters.size >= MAX_KEPT) quarters.clear();
    quarters.set(start, same);
    return same;
  }

  return (at) => {
    const same = at >= 0 && at < UNTIL ? offsetOfQuarter(at) : undefined;
    if (same)
      return `${new Date(at + same.offset).toISOString().slice(0, 19).replace("T", " ")} ${same.name}`;
    const { date, time, name } = partsOf(at);
    return `${date} ${time} ${name}`;
  };
}

/**
 * Returns the time that clocks of a zone show, as the milliseconds since 1970 at which UTC clocks show the same.
 */
export function localAsUtc(at: number, zone: string): number {
  return Date.parse(`${zonedTime(zone)(at).slice(0, 19).replace(" ", "T")}Z`);
}

type Offset = { offset: number; name: string };
