import { DAY } from "./dates.ts";

/**
 * Returns a clock in milliseconds that is not behind the server's, whose time was `serverNow` a moment ago. Otherwise a
 * range that ends "now" would leave out the newest reads on a computer whose clock is slow. A clock that is ahead is
 * not corrected, because time has passed since the server's answer. A difference of more than a day is a wrong date,
 * which the user sees in the form, and is not corrected either.
 */
export function serverClock(serverNow: number, clock: () => number = Date.now): () => number {
  const behind = serverNow - clock();
  return behind > 0 && behind < DAY ? () => clock() + behind : clock;
}
