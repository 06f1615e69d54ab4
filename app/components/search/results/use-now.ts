import { useEffect, useState } from "react";
import { MINUTE } from "#app/lib/time/dates.ts";

/** Returns the time, updated every minute; `initial` until hydration: this browser's time would not match the server's. */
export function useNow(initial?: number): number | undefined {
  const [now, setNow] = useState(initial);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), MINUTE);
    return () => clearInterval(timer);
  }, []);
  return now;
}
