import { LocalTime } from "#app/components/ui/local-time.tsx";
import { isReadTime } from "#app/entities/ingest/read-time.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";

/** The time of a hit, or the specification's text if it has none that a camera can report. */
export function AlertTime({ iso, brief }: { iso: string | null; brief?: boolean }) {
  if (iso === null || !isReadTime(Date.parse(iso))) return <span>{MESSAGES.invalidTimestamp}</span>;
  return <LocalTime at={iso} brief={brief} className="tabular-nums" />;
}

/** Returns how long ago something was: `now`, `4 min`, `3 h`, `2 d`. */
export function ageText(iso: string, now: number): string {
  const age = now - Date.parse(iso);
  if (age < MINUTE) return "now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h`;
  return `${Math.floor(age / DAY)} d`;
}
