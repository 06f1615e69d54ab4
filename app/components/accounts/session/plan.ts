import type { SessionTime } from "#app/entities/accounts/actor.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";

/** How long before its end a session warns the user. WCAG 2.2.1 asks for at least 20 seconds to extend it. */
const WARN_MS = 3 * MINUTE;

export type SessionPlan = {
  leftMs: number;
  warn: boolean;
  /** Using the session does not extend it: it has reached its maximum length. */
  final: boolean;
  /** Time until the next check, in milliseconds. Another window may have used the session in the meantime. */
  againMs: number;
};

/** Returns what to do about a session, given the remaining time until it ends unused and until its maximum length. */
export function planSession({
  unused_left_ms,
  left_ms,
}: Pick<SessionTime, "unused_left_ms" | "left_ms">): SessionPlan {
  const leftMs = Math.max(0, Math.min(unused_left_ms, left_ms));
  const warn = leftMs <= WARN_MS;
  // Half a second after the end, so that the server's answer is final.
  const againMs = warn ? Math.min(leftMs + SECOND / 2, 15 * SECOND) : leftMs - WARN_MS;
  return { leftMs, warn, final: left_ms <= unused_left_ms, againMs };
}

/** Returns the remaining time as minutes and seconds, such as `2:05`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
