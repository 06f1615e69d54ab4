import { useEffect, useState } from "react";
import { timeText } from "#app/components/search/sighting/text.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";

/** A time in the viewer's zone, 24-hour; the server, which does not know it, writes the time of Connecticut. */
export function AlertTime({ iso }: { iso: string | null }) {
  const [zone, setZone] = useState<string | undefined>("America/New_York");
  useEffect(() => setZone(undefined), []);
  const text = timeText(instant(iso), zone);
  return (
    <time dateTime={iso ?? undefined} title={text} className="whitespace-nowrap tabular-nums">
      {text}
    </time>
  );
}

/** The same where there is little room, for what only a browser draws: the day only where it is another. */
export function ShortTime({ iso }: { iso: string | null }) {
  const text = timeText(instant(iso));
  const today = timeText(Date.now()).slice(0, 10);
  return (
    <time dateTime={iso ?? undefined} title={text} className="whitespace-nowrap tabular-nums">
      {!/^\d/.test(text) ? text : text.startsWith(today) ? text.slice(11, 19) : text.slice(0, 16)}
    </time>
  );
}

function instant(iso: string | null): number {
  return iso === null ? Number.NaN : Date.parse(iso);
}

/** How long ago something was, in one short word: `now`, `4 min`, `3 h`, `2 d`. */
export function ageText(iso: string, now: number): string {
  const age = now - Date.parse(iso);
  if (age < MINUTE) return "now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h`;
  return `${Math.floor(age / DAY)} d`;
}
