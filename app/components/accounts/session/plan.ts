import type { SessionTime } from "#app/entities/accounts/actor.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";

/** How long before its end a session is warned of; WCAG and CJIS practice ask for two minutes. */
const WARN_MS = 3 * MINUTE;

export type SessionPlan = {
  leftMs: number;
  warn: boolean;
  /** The end cannot be put off by using the session. */
  final: boolean;
  /** When to ask the server again: another window may have used the session meanwhile. */
  againMs: number;
};

/** What to do about a session of which so much is left. */
export function planSession({
  unused_left_ms,
  left_ms,
}: Pick<SessionTime, "unused_left_ms" | "left_ms">): SessionPlan {
  const leftMs = Math.max(0, Math.min(unused_left_ms, left_ms));
  const warn = leftMs <= WARN_MS;
  // Half a second later than the end, so that the answer is sure.
  const againMs = warn ? Math.min(leftMs + SECOND / 2, 15 * SECOND) : leftMs - WARN_MS;
  return { leftMs, warn, final: left_ms <= unused_left_ms, againMs };
}

/** Minutes and seconds, as a clock that runs down shows them. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
