import { cx } from "#app/components/ui/cx.ts";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import type { InvestigationAnswer } from "#app/entities/search/investigate/answer.ts";
import { rowsOfPlate } from "./plate-table.tsx";

/** Plates shown over time; more would be a gray band. */
const MOST_LINES = 25;

/** Each plate's reads on one line over the time of all evidence. */
export function Timeline({
  answer,
  chosen,
  onChoose,
}: {
  answer: InvestigationAnswer;
  chosen: number;
  onChoose: (index: number) => void;
}) {
  const times = answer.reads.map(({ at }) => at);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const percent = (at: number) => ((at - from) / Math.max(1, to - from)) * 100;
  const windows =
    answer.tool === "places"
      ? answer.request.places.map(({ start_time, end_time }) => ({
          from: Math.max(from, Date.parse(start_time)),
          to: Math.min(to, Date.parse(end_time)),
        }))
      : [];
  return (
    <div className="flex flex-col gap-1 overflow-hidden rounded-md border border-line bg-raised p-3">
      {/* Above the lines, which begin beside the plates. */}
      <div className="flex flex-wrap justify-between gap-x-2 ps-30 pe-2 text-xs text-muted">
        <LocalTime at={from} short />
        <LocalTime at={to} short className="ms-auto" />
      </div>
      <ol aria-label="Plates over time" className="flex flex-col">
        {answer.plates.slice(0, MOST_LINES).map(({ plate }, i) => {
          const rows = rowsOfPlate(answer, i);
          const reads = answer.reads.filter((read) => rows.has(read.row) && read.plate !== "");
          return (
            <li key={plate}>
              <button
                type="button"
                aria-pressed={i === chosen}
                aria-label={`${plate}: ${reads.length} reads`}
                className={cx(
                  "flex min-h-target w-full items-center gap-2 rounded-sm py-0.5 hover:bg-hover",
                  i === chosen && "bg-accent-soft",
                )}
                onClick={() => onChoose(i)}
              >
                <span className="w-28 shrink-0 text-start">
                  <PlateChip text={plate} size="sm" />
                </span>
                <span aria-hidden="true" className="relative me-2 h-5 flex-1 border-b border-line">
                  {windows.map((window) => (
                    <span
                      key={`${window.from} ${window.to}`}
                      className="absolute inset-y-0 bg-sunken"
                      style={{ left: `${percent(window.from)}%`, right: `${100 - percent(window.to)}%` }}
                    />
                  ))}
                  {reads.map((read) => (
                    <span
                      key={read.row}
                      className="absolute top-1 h-3 w-1 rounded-full bg-accent"
                      style={{ left: `${percent(read.at)}%` }}
                    />
                  ))}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
