import { LIVE_LIST_SIZE, type LiveAlert, type LiveAlerts } from "#app/entities/alert.ts";

/** What the open app knows of the newest hits. */
export type LiveState = {
  /** Undefined until the server has said. */
  member: boolean | undefined;
  alerts: readonly LiveAlert[];
  unread: number;
  cursor: string | undefined;
};

export const NOTHING_YET: LiveState = { member: undefined, alerts: [], unread: 0, cursor: undefined };

/**
 * What is known after an answer, and which hits are news. The first answer to a member is none; later ones overlap
 * with what is known, and a hit is known by its id.
 */
export function afterAnswer(
  before: LiveState,
  answer: LiveAlerts,
): { state: LiveState; arrived: LiveAlert[] } {
  const known = new Set(before.alerts.map(({ id }) => id));
  const fresh = answer.alerts.filter(({ id }) => !known.has(id));
  const renewed = new Map(answer.alerts.map((alert) => [alert.id, alert]));
  const alerts = [...fresh, ...before.alerts.map((alert) => renewed.get(alert.id) ?? alert)]
    .sort((a, b) => Date.parse(b.arrived_at) - Date.parse(a.arrived_at))
    .slice(0, LIVE_LIST_SIZE);
  return {
    state: {
      member: answer.member,
      alerts,
      unread: answer.unread ?? before.unread,
      cursor: answer.cursor,
    },
    arrived: before.member !== true ? [] : fresh.filter(({ seen }) => !seen),
  };
}

/** What is known once everything in the list has been looked at. */
export function afterLooking(before: LiveState): LiveState {
  return { ...before, unread: 0, alerts: before.alerts.map((alert) => ({ ...alert, seen: true })) };
}
