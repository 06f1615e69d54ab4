import type { PublishedMonth } from "#app/entities/figures.ts";
import { monthName } from "#app/lib/months.ts";

/** The month of a row; the one that is not over says so. */
export function MonthLabel({ month, running }: Pick<PublishedMonth, "month" | "running">) {
  return (
    <>
      {monthName(month)}
      {running && <span className="text-muted"> (running)</span>}
    </>
  );
}
