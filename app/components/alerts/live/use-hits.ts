import { useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import type { LiveAlert, LiveAlerts } from "#app/entities/alerts/hit.ts";
import { usePolling } from "./polling.ts";
import {
  afterAnswer,
  afterLooking,
  asksForAll,
  type LiveState,
  lookedUntil,
  NOTHING_YET,
  noticesUntil,
  unreadNotices,
  whileLooking,
} from "./state.ts";

export type LiveAlertsHeard = {
  onArrival: (arrived: LiveAlert[]) => void;
  /** These hits are no longer the user's to see. */
  onGone: (ids: string[]) => void;
};

/** The newest hits of one's groups, asked for every few seconds. Asking keeps no session alive. */
export function useLiveAlerts({ onArrival, onGone }: LiveAlertsHeard) {
  const [state, setState] = useState<LiveState>(NOTHING_YET);
  const current = useRef(state);
  const noted = useRef({ until: "", notices_until: "" });
  function change(next: LiveState) {
    current.current = next;
    setState(next);
  }

  usePolling(
    async ({ resumed, signal }) => {
      const isWhole = asksForAll(current.current, { resumed, now: Date.now() });
      const query = isWhole ? "" : `?after=${current.current.cursor}`;
      const answer = await callApi<LiveAlerts>(`/live-alerts${query}`, {
        background: true,
        signal,
      });
      if (!answer.ok) return answer.status === 401 || answer.status === 403 ? "stop" : "failed";
      const heard = afterAnswer(current.current, { given: answer.value, isWhole, at: Date.now() });
      change(heard.state);
      if (heard.gone.length > 0) onGone(heard.gone);
      if (heard.arrived.length > 0) onArrival(heard.arrived);
      // Who is in no group may be taken into one while the app stands open.
      return answer.value.member ? "ok" : "seldom";
    },
    { immediately: true },
  );

  async function note() {
    const until = lookedUntil(current.current) ?? "";
    const notices_until = noticesUntil(current.current) ?? "";
    const before = noted.current;
    if (until <= before.until && notices_until <= before.notices_until) return;
    noted.current = {
      until: later(until, before.until),
      notices_until: later(notices_until, before.notices_until),
    };
    const answer = await callApi("/live-alerts/seen", { json: { until, notices_until } });
    if (answer.ok) return;
    // Still unread: the next answer shall say so.
    noted.current = before;
    change({ ...current.current, wholeAt: NOTHING_YET.wholeAt });
  }

  return {
    ...state,
    unreadNotices: unreadNotices(state),
    /** Notes that the list has been looked at. */
    look: () => {
      void note();
      change(whileLooking(current.current));
    },
    /** Notes it of what has come meanwhile too; what was new in the list is so no longer. */
    leave: () => {
      void note();
      change(afterLooking(current.current));
    },
  };
}

const later = (one: string, other: string) => (one > other ? one : other);
