import { useRef, useState } from "react";
import { call } from "#app/components/hotlists/call.ts";
import type { LiveAlert, LiveAlerts } from "#app/entities/alert.ts";
import { afterAnswer, afterLooking, type LiveState, NOTHING_YET } from "./live-state.ts";
import { usePolling } from "./polling.ts";

/** The newest hits of one's groups, asked for every few seconds. Asking keeps no session alive. */
export function useLiveAlerts(onArrival: (arrived: LiveAlert[]) => void) {
  const [state, setState] = useState<LiveState>(NOTHING_YET);
  const current = useRef(state);
  function change(next: LiveState) {
    current.current = next;
    setState(next);
  }

  usePolling(
    async ({ resumed, signal }) => {
      const { cursor } = current.current;
      // After a pause everything is asked anew: another window may have looked meanwhile.
      const isMember = current.current.member === true;
      const query = resumed || cursor === undefined || !isMember ? "" : `?after=${cursor}`;
      const answer = await call<LiveAlerts>(`/live-alerts${query}`, { background: true, signal, failed: "" });
      if (!answer.ok) return answer.status === 401 || answer.status === 403 ? "stop" : "failed";
      const { state: next, arrived } = afterAnswer(current.current, answer.value);
      change(next);
      if (arrived.length > 0) onArrival(arrived);
      // Who is in no group may be taken into one while the app stands open.
      return answer.value.member ? "ok" : "seldom";
    },
    { immediately: true },
  );

  return {
    ...state,
    /** Notes that the list has been looked at. */
    look: () => {
      const until = current.current.alerts[0]?.arrived_at;
      const hadUnread = current.current.unread > 0;
      if (until !== undefined && hadUnread) void call("/live-alerts/seen", { json: { until }, failed: "" });
      change({ ...current.current, unread: 0 });
    },
    /** What was new in the list is so no longer. */
    leave: () => change(afterLooking(current.current)),
  };
}
