import { useEffect, useState } from "react";
import { MINUTE } from "#app/lib/time/dates.ts";

/** The time at minute steps, and undefined until the page is alive: the server's clock would not match. */
export function useNow(): number | undefined {
  const [now, setNow] = useState<number>();
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), MINUTE);
    return () => clearInterval(timer);
  }, []);
  return now;
}
