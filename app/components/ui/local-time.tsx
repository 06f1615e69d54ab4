import { localTime } from "#app/lib/time/dates.ts";
import { cx } from "./cx.ts";
import { useHydrating } from "./use-hydrating.ts";

/** The server does not know the viewer's zone. It and the first browser render use the zone of Connecticut. */
export const SERVER_ZONE = "America/New_York";

export type LocalTimeProps = {
  /** Milliseconds since 1970, or ISO 8601. */
  at: number | string;
  /** Down to the minute, without the zone. */
  short?: boolean;
  /** The day only. */
  day?: boolean;
  /** The time only if it is today, otherwise the same as `short`. Reads the clock: only for parts that no server renders. */
  brief?: boolean;
  /** A fixed zone, for pages that read the same everywhere. */
  zone?: string;
  className?: string;
};

/** An instant in the viewer's zone: `2026-11-20 14:03:07 EST`. */
export function LocalTime({ at, zone, className, ...form }: LocalTimeProps) {
  const hydrating = useHydrating();
  const instant = typeof at === "string" ? Date.parse(at) : at;
  const full = localTime(instant, zone ?? (hydrating ? SERVER_ZONE : undefined)) ?? "";
  return (
    <time
      dateTime={typeof at === "string" ? at : new Date(at).toISOString()}
      title={full}
      className={cx("whitespace-nowrap", className)}
    >
      {abridged(full, form)}
    </time>
  );
}

function abridged(full: string, { short, day, brief }: Pick<LocalTimeProps, "short" | "day" | "brief">) {
  if (day) return full.slice(0, 10);
  if (brief && full.slice(0, 10) === localTime(Date.now())?.slice(0, 10)) return full.slice(11, 19);
  return short || brief ? full.slice(0, 16) : full;
}
