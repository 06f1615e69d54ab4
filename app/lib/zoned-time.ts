/**
 * Writes times of one zone as `2026-11-20 14:03:07 EST`; of the viewer's where none is given. The formatter is made once: making one costs more than
 * writing a hundred times with it. Throws a RangeError for an unknown zone.
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
  return (at) => {
    const part: Record<string, string> = {};
    for (const { type, value } of format.formatToParts(at)) part[type] = value;
    return `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second} ${part.timeZoneName}`;
  };
}
