import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import type { Alert } from "#app/entities/alerts/hit.ts";
import { SECOND } from "#app/lib/time/dates.ts";

/** Waits before a look for pictures that are still coming. */
const LOOKS = [3 * SECOND, 10 * SECOND, 30 * SECOND, 60 * SECOND];

/**
 * A hit is told before its pictures are fetched from their vendor: looks again while they are coming. A look that was
 * on its way when the hit changed on the screen is of no use any more.
 */
export function useLookAgain(alert: Alert | undefined, onFound: (alert: Alert) => void): void {
  const [looked, setLooked] = useState({ id: alert?.id, count: 0 });
  const count = looked.id === alert?.id ? looked.count : 0;
  const latest = useRef(onFound);
  latest.current = onFound;
  useEffect(() => {
    if (!alert?.images_pending || count >= LOOKS.length) return;
    const { id } = alert;
    const leave = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await callApi<Alert>(`/api/alerts/${encodeURIComponent(id)}`, {
        background: true,
        signal: leave.signal,
      });
      if (leave.signal.aborted) return;
      setLooked({ id, count: count + 1 });
      if (answer.ok) latest.current(answer.value);
    }, LOOKS[count]);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [alert, count]);
}
