/** Calendar months in UTC, written `2026-11`. */

/** The month of an instant. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** Its first millisecond; of the month so many after it where `later` says so. */
export function monthStart(month: string, later = 0): number {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return Date.UTC(year, number - 1 + later);
}

/** The month so many after another, or before it. */
export function monthAfter(month: string, later: number): string {
  return monthOf(monthStart(month, later));
}

/** Every month from one to another, both included. */
export function monthsFrom(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = monthAfter(month, 1)) months.push(month);
  return months;
}

/** As people write it: `November 2026`. */
export function monthName(month: string): string {
  const format = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat("en-US", format).format(monthStart(month));
}
