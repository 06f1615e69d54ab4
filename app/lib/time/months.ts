/** Calendar months in UTC, written `2026-11`. */

/** Returns the month of a time. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** Returns the first millisecond of a month, or of the month `later` months after it. */
export function monthStart(month: string, later = 0): number {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return Date.UTC(year, number - 1 + later);
}

/** Returns the month `later` months after another; before it if negative. */
export function monthAfter(month: string, later: number): string {
  return monthOf(monthStart(month, later));
}

/** Returns every month from first to last, inclusive. */
export function monthsFrom(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = monthAfter(month, 1)) months.push(month);
  return months;
}

/** Returns a month as users write it: `November 2026`. */
export function monthName(month: string): string {
  const format = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat("en-US", format).format(monthStart(month));
}
