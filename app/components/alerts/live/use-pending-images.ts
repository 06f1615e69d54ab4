import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import type { Alert } from "#app/entities/alerts/hit.ts";
import { SECOND } from "#app/lib/time/dates.ts";

/** Waits before each check for pending images. */
const WAITS = [3 * SECOND, 10 * SECOND, 30 * SECOND, 60 * SECOND];

/**
 * Reloads a hit while its images are pending: hits arrive before the vendor delivers their images. Ignores a response if
 * the hit changed on the screen in the meantime.
 */
export function usePendingImages(alert: Alert | undefined, onFound: (alert: Alert) => void): void {
  const [looked, setLooked] = useState({ id: alert?.id, count: 0 });
  const count = looked.id === alert?.id ? looked.count : 0;
  const latest = useRef(onFound);
  latest.current = onFound;
  useEffect(() => {
    if (!alert?.images_pending || count >= WAITS.length) return;
    const { id } = alert;
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await callApi<Alert>(`/api/alerts/${encodeURIComponent(id)}`, {
        background: true,
        signal: controller.signal,
      });
      if (controller.signal.aborted) return;
      setLooked({ id, count: count + 1 });
      if (answer.ok) latest.current(answer.value);
    }, WAITS[count]);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [alert, count]);
}
