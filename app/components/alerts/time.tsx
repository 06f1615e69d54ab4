import { useEffect, useState } from "react";
import { serverTime } from "#app/components/forms/server-time.ts";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { isReadTime } from "#app/entities/ingest/read-time.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";

/** The time of a hit, or the specification's text if it has no time that a camera can report. */
export function AlertTime({ iso }: { iso: string | null }) {
  if (iso === null || !isReadTime(Date.parse(iso))) return <span>{MESSAGES.invalidTimestamp}</span>;
  return <LocalTime at={iso} className="tabular-nums" />;
}

/** Returns how long ago something was: `14 s`, `4 min 12 s`, `3 h 5 min`, `2 d`. A clock that is slow gives `0 s`. */
export function ageText(iso: string, now: number): string {
  const age = Math.max(0, now - Date.parse(iso));
  const whole = (unit: number) => Math.floor(age / unit);
  if (age < MINUTE) return `${whole(SECOND)} s`;
  if (age < HOUR) return `${whole(MINUTE)} min ${whole(SECOND) % 60} s`;
  if (age < DAY) return `${whole(HOUR)} h ${whole(MINUTE) % 60} min`;
  return `${whole(DAY)} d`;
}

/** Returns the server's time, updated every second while `isOn`; undefined until hydration, and while it is off. */
export function useSeconds(isOn: boolean): number | undefined {
  const [now, setNow] = useState<number>();
  useEffect(() => {
    if (!isOn) return setNow(undefined);
    setNow(serverTime());
    const timer = setInterval(() => setNow(serverTime()), SECOND);
    return () => clearInterval(timer);
  }, [isOn]);
  return now;
}
