const HOUR = 3_600_000;

/** Returns the offset of US Eastern time from UTC in hours: -4 in summer, -5 otherwise (Energy Policy Act of 2005). */
export function easternOffsetHours(at: number): number {
  const year = new Date(at).getUTCFullYear();
  const begins = nthSunday(year, 2, 2) + 7 * HOUR;
  const ends = nthSunday(year, 10, 1) + 6 * HOUR;
  return at >= begins && at < ends ? -4 : -5;
}

/** Returns the local hour of day (0 to 24, with fractions) and the local weekday (0 is Sunday). */
export function easternClock(at: number): { hour: number; weekday: number } {
  const local = new Date(at + easternOffsetHours(at) * HOUR);
  const hour = local.getUTCHours() + local.getUTCMinutes() / 60 + local.getUTCSeconds() / 3600;
  return { hour, weekday: local.getUTCDay() };
}

/** Returns the local date and time as "2026-11-20 18:42:07". */
export function easternText(at: number): string {
  const local = new Date(at + easternOffsetHours(at) * HOUR).toISOString();
  return `${local.slice(0, 10)} ${local.slice(11, 19)}`;
}

function nthSunday(year: number, month: number, n: number): number {
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
  return Date.UTC(year, month, 1 + ((7 - first) % 7) + (n - 1) * 7);
}
