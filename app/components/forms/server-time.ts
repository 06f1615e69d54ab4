import { SECOND } from "#app/lib/time/dates.ts";

/** How far this computer's clock is ahead of the server's in milliseconds; undefined before the first answer. */
let ahead: number | undefined;

/**
 * Takes the server's time from the headers of an answer whose request was sent and answered at these times of this
 * computer's clock. If the server's time lies between the two, the clock is right, because an answer may take long.
 * Otherwise the clock is wrong by at least the distance. Answers that may come from the browser's cache are ignored,
 * because they have an old time.
 */
export function noteServerTime(
  headers: Headers,
  { sent, received }: { sent: number; received: number },
): void {
  if (headers.get("cache-control") !== "no-store") return;
  const first = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(first)) return;
  // The header names whole seconds.
  const last = first + SECOND - 1;
  ahead = Math.max(sent - last, 0) + Math.min(received - first, 0);
}

/**
 * Returns the server's time, for ages and ranges: this computer's clock may be wrong by hours. Before the first answer,
 * returns the time of another clock.
 */
export function serverTime(before: () => number = Date.now): number {
  return ahead === undefined ? before() : Date.now() - ahead;
}
