import { localTime } from "#app/lib/time/dates.ts";
import { cx } from "./cx.ts";
import { useHydrating } from "./hydration.ts";

/** The server does not know the viewer's zone. The server and the first browser render use the zone of Connecticut. */
export const SERVER_ZONE = "America/New_York";

export type LocalTimeProps = {
  /** Milliseconds since 1970, or ISO 8601. */
  at: number | string;
  /** Without seconds: `2026-11-20 14:03 EST`. */
  short?: boolean;
  /** The day only. */
  day?: boolean;
  /** A fixed zone, for pages that read the same everywhere. */
  zone?: string;
  className?: string;
};

/** Returns the zone of times in texts, as LocalTime shows them; undefined for the viewer's own. */
export function useViewerZone(): string | undefined {
  return useHydrating() ? SERVER_ZONE : undefined;
}

/** An instant in the viewer's zone: `2026-11-20 14:03:07 EST`. */
export function LocalTime({ at, zone, className, ...form }: LocalTimeProps) {
  const viewerZone = useViewerZone();
  const instant = typeof at === "string" ? Date.parse(at) : at;
  const full = localTime(instant, zone ?? viewerZone) ?? "";
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

function abridged(full: string, { short, day }: Pick<LocalTimeProps, "short" | "day">) {
  const [date = "", time = "", zone = ""] = full.split(" ");
  if (day) return date;
  return short ? `${date} ${time.slice(0, 5)} ${zone}` : full;
}
