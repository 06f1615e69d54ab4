import {
  type ExpiryNotice,
  LIVE_LIST_SIZE,
  type LiveAlert,
  type LiveAlerts,
} from "#app/entities/alerts/hit.ts";
import { MINUTE } from "#app/lib/time/dates.ts";

/** Answers to a cursor do not report removed hits, so everything is loaded again at this interval. */
const FULL_LOAD_MS = 5 * MINUTE;
/**
 * Nor do they report an image that the vendor delivered after the hit: everything is loaded again for this long
 * after its arrival.
 */
const PENDING_IMAGES_MS = 2 * MINUTE;

/** What the open app knows about the newest hits. */
export type LiveState = {
  /** Undefined until the server has answered. */
  member: boolean | undefined;
  alerts: readonly LiveAlert[];
  notices: readonly ExpiryNotice[];
  unread: number;
  cursor: string | undefined;
  /** When everything was last loaded, in milliseconds since 1970. */
  fullLoadAt: number;
  /** The list is open: hits that were new when it opened stay marked until it closes. */
  isListOpen: boolean;
};

export const INITIAL_STATE: LiveState = {
  member: undefined,
  alerts: [],
  notices: [],
  unread: 0,
  cursor: undefined,
  fullLoadAt: Number.NEGATIVE_INFINITY,
  isListOpen: false,
};

/** Returns whether to load everything: known hits may be outdated or belong to a group that the user has left. */
export function needsFullLoad(
  state: LiveState,
  { resumed, now }: { resumed: boolean; now: number },
): boolean {
  const isKnown = state.member === true && state.cursor !== undefined;
  const isImagePending = state.alerts.some(
    ({ images_pending, arrived_at }) => images_pending && now - Date.parse(arrived_at) < PENDING_IMAGES_MS,
  );
  return resumed || !isKnown || isImagePending || now - state.fullLoadAt >= FULL_LOAD_MS;
}

/**
 * Returns the state after an answer, the hits that are new, and those that the user may no longer see. The first answer
 * of a page contains no new hits; later ones overlap with the known hits, which are compared by id. A full answer
 * replaces the list.
 */
export function afterAnswer(
  before: LiveState,
  { answer, isFull, at }: { answer: LiveAlerts; isFull: boolean; at: number },
): { state: LiveState; arrived: LiveAlert[]; gone: string[] } {
  const knownHits = new Map(before.alerts.map((alert) => [alert.id, alert]));
  const answered = new Set(answer.alerts.map(({ id }) => id));
  const missing = before.alerts.filter(({ id }) => !answered.has(id));
  const isSeen = (alert: LiveAlert) => {
    const marked = knownHits.get(alert.id)?.seen;
    if (before.isListOpen && marked !== undefined) return marked;
    return alert.seen || (!isFull && marked === true) || alert.arrived_at <= answer.seen_at;
  };
  const alerts = [...answer.alerts, ...(isFull ? [] : missing)]
    .map((alert) => ({ ...alert, seen: isSeen(alert) }))
    .sort((a, b) => Date.parse(b.arrived_at) - Date.parse(a.arrived_at))
    .slice(0, LIVE_LIST_SIZE);
  const fresh = answer.alerts.filter(({ id, seen }) => !knownHits.has(id) && !seen);
  return {
    state: {
      member: answer.member,
      alerts,
      notices: answer.notices ?? before.notices,
      unread: answer.unread ?? before.unread,
      cursor: answer.cursor,
      fullLoadAt: isFull ? at : before.fullLoadAt,
      isListOpen: answer.member && before.isListOpen,
    },
    // A user who joined a group since the previous answer has not seen its hits.
    arrived: before.member === undefined ? [] : isFull ? fresh.filter(reachesInto(before.alerts)) : fresh,
    gone: isFull ? missing.filter(reachesInto(answer.alerts)).map(({ id }) => id) : [],
  };
}

/**
 * Returns how polling continues after a refusal, the new state, and the hits that the user may no longer see. Without a
 * session (401), it stops until someone signs in: the page is locked. Without the right to see hits (403), which an
 * administrator can restore at any time, it continues at the longest interval.
 */
export function afterRefusal(
  before: LiveState,
  status: 401 | 403,
): { outcome: "stop" | "seldom"; state: LiveState; gone: string[] } {
  if (status === 401) return { outcome: "stop", state: before, gone: [] };
  return { outcome: "seldom", state: INITIAL_STATE, gone: before.alerts.map(({ id }) => id) };
}

/** Returns a test of whether a hit belongs in a list, or is older than the oldest hit of a full list. */
function reachesInto(list: readonly LiveAlert[]): (alert: LiveAlert) => boolean {
  const oldest = list.length < LIVE_LIST_SIZE ? "" : (list.at(-1)?.arrived_at ?? "");
  return ({ arrived_at }) => arrived_at >= oldest;
}

/** Returns the arrival time of the newest hit in the list if the list has unread hits, otherwise undefined. */
export function readUntil({ unread, alerts }: LiveState): string | undefined {
  return unread > 0 || alerts.some(({ seen }) => !seen) ? alerts[0]?.arrived_at : undefined;
}

/** Returns the state once the list is open. */
export function withListOpen(before: LiveState): LiveState {
  return { ...before, unread: 0, isListOpen: true };
}

/** Returns the state once the user has closed the list: everything is read. */
export function withListClosed(before: LiveState): LiveState {
  const alerts = before.alerts.map((alert) => ({ ...alert, seen: true }));
  const notices = before.notices.map((notice) => ({ ...notice, seen: true }));
  return { ...before, unread: 0, isListOpen: false, alerts, notices };
}

/** Returns the number of unread notices; 0 while the list is open. */
export function unreadNotices({ notices, isListOpen }: LiveState): number {
  return isListOpen ? 0 : notices.filter(({ seen }) => !seen).length;
}

/** Returns the time of the newest notice if any notice is unread, otherwise undefined. */
export function noticesUntil({ notices }: LiveState): string | undefined {
  return notices.some(({ seen }) => !seen) ? notices[0]?.noticed_at : undefined;
}
