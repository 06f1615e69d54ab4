import { isoTime, localTime } from "#app/lib/time/dates.ts";

/** An instant in UTC: the page is the same for readers of every zone. */
export function StatisticsTime({ at }: { at: number }) {
  return (
    <time dateTime={isoTime(at)} className="whitespace-nowrap">
      {localTime(at, "UTC")}
    </time>
  );
}
