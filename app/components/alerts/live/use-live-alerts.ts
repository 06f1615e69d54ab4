import { useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { serverTime } from "#app/components/forms/server-time.ts";
import { forgetHits, keepHits } from "#app/components/shell/offline.ts";
import type { LiveAlert, LiveAlerts } from "#app/entities/alerts/hit.ts";
import { usePolling } from "./polling.ts";
import {
  afterAnswer,
  afterRefusal,
  INITIAL_STATE,
  type LiveState,
  needsFullLoad,
  noticesUntil,
  readUntil,
  unreadNotices,
  withListClosed,
  withListOpen,
} from "./state.ts";

type LiveAlertsHandlers = {
  username: string;
  onArrival: (arrived: LiveAlert[]) => void;
  /** The user may no longer see these hits. */
  onGone: (ids: string[]) => void;
};

/** Polls the newest hits of the user's groups every few seconds. Polling does not extend the session. */
export function useLiveAlerts({ username, onArrival, onGone }: LiveAlertsHandlers) {
  const [state, setState] = useState<LiveState>(INITIAL_STATE);
  const current = useRef(state);
  const sent = useRef({ until: "", notices_until: "" });
  function change(next: LiveState) {
    current.current = next;
    setState(next);
  }

  usePolling(
    async ({ resumed, signal }) => {
      const isFull = needsFullLoad(current.current, { resumed, now: serverTime() });
      const query = isFull ? "" : `?after=${current.current.cursor}`;
      const answer = await callApi<LiveAlerts>(`/live-alerts${query}`, {
        background: true,
        signal,
      });
      if (!answer.ok) {
        if (answer.status !== 401 && answer.status !== 403) return "failed";
        forgetHits();
        const refused = afterRefusal(current.current, answer.status);
        change(refused.state);
        onGone(refused.gone);
        return refused.outcome;
      }
      const result = afterAnswer(current.current, { answer: answer.value, isFull, at: serverTime() });
      change(result.state);
      keepHits(username, result.state.alerts);
      if (result.gone.length > 0) onGone(result.gone);
      if (result.arrived.length > 0) onArrival(result.arrived);
      // A user without a group may be added to one while the app is open.
      return answer.value.member ? "ok" : "seldom";
    },
    { immediately: true },
  );

  async function markRead() {
    const until = readUntil(current.current) ?? "";
    const notices_until = noticesUntil(current.current) ?? "";
    const before = sent.current;
    if (until <= before.until && notices_until <= before.notices_until) return;
    sent.current = {
      until: later(until, before.until),
      notices_until: later(notices_until, before.notices_until),
    };
    const answer = await callApi("/live-alerts/seen", { json: { until, notices_until } });
    if (answer.ok) return;
    // Still unread: load everything again, so that the next answer shows it.
    sent.current = before;
    change({ ...current.current, fullLoadAt: INITIAL_STATE.fullLoadAt });
  }

  return {
    ...state,
    unreadNotices: unreadNotices(state),
    /** Marks the list as read when it opens. */
    openList: () => {
      void markRead();
      change(withListOpen(current.current));
    },
    /** Marks the list as read when it closes, including hits that arrived while it was open. */
    closeList: () => {
      void markRead();
      change(withListClosed(current.current));
    },
  };
}

const later = (a: string, b: string) => (a > b ? a : b);
