import { DAY } from "./dates.ts";

/**
 * Returns a clock in milliseconds that is not behind the server's, whose time was `serverNow` a moment ago. A range that ends
 * "now" would leave out the newest reads on a computer that is slow. A clock that is ahead stays: time has passed since the
 * server's answer. A difference of over a day is no slow clock but a wrong date, which its user sees in the form.
 */
export function serverClock(serverNow: number, clock: () => number = Date.now): () => number {
  const behind = serverNow - clock();
  return behind > 0 && behind < DAY ? () => clock() + behind : clock;
}
