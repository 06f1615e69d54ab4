import { useEffect, useState } from "react";
import { MINUTE } from "#app/lib/time/dates.ts";

/** Returns the time, updated every minute; undefined until hydration, since the server's time would not match. */
export function useNow(): number | undefined {
  const [now, setNow] = useState<number>();
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), MINUTE);
    return () => clearInterval(timer);
  }, []);
  return now;
}
