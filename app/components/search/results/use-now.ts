import { useEffect, useState } from "react";
import { MINUTE } from "#app/lib/time/dates.ts";

/**
 * Returns the time, updated every minute. `initial` is the server's time when the screen was loaded: this browser's clock
 * may differ from it, so only the time that has passed since is added. Without it, returns the browser's time.
 */
export function useNow(initial?: number): number | undefined {
  const [now, setNow] = useState(initial);
  const [first] = useState(initial);
  useEffect(() => {
    const offset = first === undefined ? 0 : first - Date.now();
    const update = () => setNow(Date.now() + offset);
    update();
    const timer = setInterval(update, MINUTE);
    return () => clearInterval(timer);
  }, [first]);
  return now;
}
