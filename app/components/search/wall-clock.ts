import { DAY, SECOND } from "#app/lib/dates.ts";

// A zone is an IANA name, or undefined for the viewer's own. Formatters are costly to make and asked often.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string | undefined): Intl.DateTimeFormat {
  const made = formatters.get(zone ?? "");
  if (made) return made;
  const fresh = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formatters.set(zone ?? "", fresh);
  return fresh;
}

/** An instant as a `datetime-local` input shows it: `2026-11-20T14:03:07`. */
export function wallClock(at: number, zone?: string): string {
  const parts = Object.fromEntries(
    formatter(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const year = String(parts.year).padStart(4, "0");
  return `${year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}`;
}

/** The value of a `datetime-local` input as if it were UTC; undefined where it is no date and time. */
function asUtc(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return undefined;
  const at = Date.parse(`${text}Z`);
  // Date.parse takes 31 February for 3 March.
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text.slice(0, 16)) ? at : undefined;
}

function offset(at: number, zone: string | undefined): number {
  const second = Math.floor(at / SECOND) * SECOND;
  return Date.parse(`${wallClock(second, zone)}Z`) - second;
}

/**
 * The instants at which clocks show a `datetime-local` value: usually one; two in the hour that clocks repeat in
 * autumn, earliest first; none in the hour that they leave out in spring. Undefined where the value is no time.
 */
export function instantsAt(text: string, zone?: string): number[] | undefined {
  const utc = asUtc(text);
  if (utc === undefined) return undefined;
  const offsets = new Set([offset(utc - DAY, zone), offset(utc + DAY, zone)]);
  return [...offsets]
    .map((east) => utc - east)
    .filter((at) => offset(at, zone) === utc - at)
    .sort((a, b) => a - b);
}

/** What the zone is called to people: `Eastern Time (America/New_York)`. */
export function zoneName(zone?: string): string {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longGeneric" });
  const id = format.resolvedOptions().timeZone;
  const name = format.formatToParts(0).find((part) => part.type === "timeZoneName")?.value ?? id;
  return name === id ? id : `${name} (${id})`;
}
