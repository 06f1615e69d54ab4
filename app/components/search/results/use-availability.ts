import { useEffect, useRef } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { MINUTE } from "#app/lib/time/dates.ts";

/**
 * Checks every minute, while the page is visible, that results may still be shown, since an agency may end its sharing
 * meanwhile. Calls `onGone` with the server's message once they may not.
 */
export function useAvailability(id: string, onGone: (message: string) => void): void {
  const gone = useRef(onGone);
  gone.current = onGone;
  useEffect(() => {
    const ending = new AbortController();
    const check = async () => {
      if (document.visibilityState !== "visible") return;
      const path = `/results/${encodeURIComponent(id)}/summary`;
      const answer = await callApi(path, { background: true, signal: ending.signal });
      if (answer.ok || answer.status !== 410) return;
      stop();
      gone.current(answer.message);
    };
    const timer = setInterval(check, MINUTE);
    document.addEventListener("visibilitychange", check);
    function stop() {
      ending.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", check);
    }
    return stop;
  }, [id]);
}
