import {
  type ExpiryNotice,
  LIVE_LIST_SIZE,
  type LiveAlert,
  type LiveAlerts,
} from "#app/entities/alerts/hit.ts";
import { MINUTE } from "#app/lib/time/dates.ts";

/** Answers since a cursor name no hit that is gone: that shows when everything is asked for again. */
const WHOLE_MS = 5 * MINUTE;

/** What the open app knows of the newest hits. */
export type LiveState = {
  /** Undefined until the server has said. */
  member: boolean | undefined;
  alerts: readonly LiveAlert[];
  notices: readonly ExpiryNotice[];
  unread: number;
  cursor: string | undefined;
  /** When everything was asked for last. */
  wholeAt: number;
  /** The list is open: what was new when it was opened stays marked until it is left. */
  isLooking: boolean;
};

export const NOTHING_YET: LiveState = {
  member: undefined,
  alerts: [],
  notices: [],
  unread: 0,
  cursor: undefined,
  wholeAt: Number.NEGATIVE_INFINITY,
  isLooking: false,
};

/** Whether to ask without a cursor: what is known may be old, or hold hits of a group that was left meanwhile. */
export function asksForAll(state: LiveState, { resumed, now }: { resumed: boolean; now: number }): boolean {
  const isKnown = state.member === true && state.cursor !== undefined;
  return resumed || !isKnown || now - state.wholeAt >= WHOLE_MS;
}

/**
 * What is known after an answer, which hits are news, and which are no longer the user's to see. The first answer to a
 * member is no news; later ones overlap with what is known, and a hit is known by its id. A whole answer is taken as it
 * is.
 */
export function afterAnswer(
  before: LiveState,
  { given, isWhole, at }: { given: LiveAlerts; isWhole: boolean; at: number },
): { state: LiveState; arrived: LiveAlert[]; gone: string[] } {
  const known = new Map(before.alerts.map((alert) => [alert.id, alert]));
  const answered = new Set(given.alerts.map(({ id }) => id));
  const missing = before.alerts.filter(({ id }) => !answered.has(id));
  const isSeen = (alert: LiveAlert) => {
    const marked = known.get(alert.id)?.seen;
    if (before.isLooking && marked !== undefined) return marked;
    return alert.seen || (!isWhole && marked === true) || alert.arrived_at <= given.seen_at;
  };
  const alerts = [...given.alerts, ...(isWhole ? [] : missing)]
    .map((alert) => ({ ...alert, seen: isSeen(alert) }))
    .sort((a, b) => Date.parse(b.arrived_at) - Date.parse(a.arrived_at))
    .slice(0, LIVE_LIST_SIZE);
  const fresh = given.alerts.filter(({ id, seen }) => !known.has(id) && !seen);
  return {
    state: {
      member: given.member,
      alerts,
      notices: given.notices ?? before.notices,
      unread: given.unread ?? before.unread,
      cursor: given.cursor,
      wholeAt: isWhole ? at : before.wholeAt,
      isLooking: given.member && before.isLooking,
    },
    arrived: before.member !== true ? [] : isWhole ? fresh.filter(reachesInto(before.alerts)) : fresh,
    gone: isWhole ? missing.filter(reachesInto(given.alerts)).map(({ id }) => id) : [],
  };
}

/** Whether a hit would stand in a list, or is older than the oldest for which there was room. */
function reachesInto(list: readonly LiveAlert[]): (alert: LiveAlert) => boolean {
  const oldest = list.length < LIVE_LIST_SIZE ? "" : (list.at(-1)?.arrived_at ?? "");
  return ({ arrived_at }) => arrived_at >= oldest;
}

/** The arrival of the newest hit in the list, where anything in it is unread. */
export function lookedUntil({ unread, alerts }: LiveState): string | undefined {
  return unread > 0 || alerts.some(({ seen }) => !seen) ? alerts[0]?.arrived_at : undefined;
}

/** What is known once the list stands open. */
export function whileLooking(before: LiveState): LiveState {
  return { ...before, unread: 0, isLooking: true };
}

/** What is known once everything in the list has been looked at. */
export function afterLooking(before: LiveState): LiveState {
  const alerts = before.alerts.map((alert) => ({ ...alert, seen: true }));
  const notices = before.notices.map((notice) => ({ ...notice, seen: true }));
  return { ...before, unread: 0, isLooking: false, alerts, notices };
}

/** How many notices are unread; none while the list is open. */
export function unreadNotices({ notices, isLooking }: LiveState): number {
  return isLooking ? 0 : notices.filter(({ seen }) => !seen).length;
}

/** When the newest notice was made, where any is unread. */
export function noticesUntil({ notices }: LiveState): string | undefined {
  return notices.some(({ seen }) => !seen) ? notices[0]?.noticed_at : undefined;
}
