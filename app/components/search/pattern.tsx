import { useMemo } from "react";
import { duration } from "#app/components/search/form/describe.ts";
import { type ResultsStore, useResults } from "#app/components/search/results/state.ts";
import { Fact } from "#app/components/search/sighting/fact.tsx";
import { timeText } from "#app/components/search/sighting/text.ts";
import { believableTime } from "#app/entities/ingest/read-time.ts";
import {
  type Pattern,
  type PatternRead,
  type PatternTable,
  patternOf,
  patternTables,
  WEEKDAYS,
} from "#app/entities/search/analysis/pattern.ts";
import { isArrivalTime, type ResultColumns, wordAt } from "#app/entities/search/result-columns.ts";
import { counted, numberText } from "#app/lib/number-text.ts";

export type PatternViewProps = { store: ResultsStore; plate: string };

/** When and where one plate was read: summary, chart of the week, and the same in tables. Follows the filter. */
export default function PatternView({ store, plate }: PatternViewProps) {
  const columns = useResults(store, (state) => state.columns);
  const pass = useResults(store, (state) => state.pass);
  const latest = useResults(store, (state) => state.latest);
  const pattern = useMemo(
    () => patternOf(readsOf(columns, { plate, pass, latest }), timeText),
    [columns, plate, pass, latest],
  );
  const [longest] = pattern.gaps;
  return (
    <div className="flex flex-col gap-5">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        <Fact name="Reads">
          {numberText(pattern.reads)} on {counted(pattern.days, "day")}
          {pattern.untimed > 0 && `; ${counted(pattern.untimed, "read")} without a time left out`}
        </Fact>
        <Fact name="First seen">{timeText(pattern.first)}</Fact>
        <Fact name="Last seen">{timeText(pattern.last)}</Fact>
        {longest && <Fact name="Longest gap">{duration(longest.to - longest.from)}</Fact>}
      </dl>
      <p className="text-sm text-muted">
        Cameras cover only their own locations, and these results may be limited by range, agencies and
        filter. A pattern does not show who drove.
      </p>
      <WeekChart pattern={pattern} />
      {patternTables(pattern, timeText).map((table) => (
        <Table key={table.title} table={table} />
      ))}
    </div>
  );
}

function readsOf(
  columns: ResultColumns,
  { plate, pass, latest }: { plate: string; pass: Uint8Array; latest: number },
): PatternRead[] {
  const reads: PatternRead[] = [];
  const code = columns.dictionaries.plate.indexOf(plate);
  for (let row = 0; row < columns.count; row++) {
    if (columns.words.plate[row] !== code || pass[row] !== 1) continue;
    const time = believableTime(columns.times[row] ?? Number.NaN, latest);
    const isTimed = !Number.isNaN(time) && !isArrivalTime(columns, row);
    const [camera, agency] = [wordAt(columns, "camera", row), wordAt(columns, "agency", row)];
    reads.push({ time: isTimed ? time : null, camera, agency });
  }
  return reads;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** Reads by weekday and hour. The tables below have the same numbers for screen readers. */
function WeekChart({ pattern }: { pattern: Pattern }) {
  const most = Math.max(1, ...pattern.cells.map(({ reads }) => reads));
  return (
    <figure>
      <figcaption className="mb-1.5 text-base font-semibold">Reads by weekday and hour</figcaption>
      <div
        role="img"
        aria-label="Chart of the reads by weekday and hour. The table Hours of the week has the numbers."
        className="grid grid-cols-[2.25rem_repeat(24,minmax(0,1fr))] gap-px text-xs text-muted"
      >
        {WEEKDAYS.map((weekday, day) => (
          <div key={weekday} className="contents">
            <span className="self-center">{weekday}</span>
            {HOURS.map((hour) => {
              const cell = pattern.cells[day * 24 + hour];
              const share = (cell?.reads ?? 0) / most;
              return (
                <span
                  key={hour}
                  title={
                    cell && cell.reads > 0
                      ? `${counted(cell.reads, "read")}, mostly ${cell.camera}`
                      : undefined
                  }
                  className="h-6 rounded-sm bg-sunken forced-color-adjust-none"
                  style={
                    share > 0
                      ? {
                          background: `color-mix(in srgb, var(--color-accent) ${25 + 75 * share}%, var(--color-raised))`,
                        }
                      : undefined
                  }
                />
              );
            })}
          </div>
        ))}
        <span />
        {HOURS.map((hour) => (
          <span key={hour} className="whitespace-nowrap">
            {hour % 6 === 0 ? String(hour).padStart(2, "0") : ""}
          </span>
        ))}
      </div>
    </figure>
  );
}

/** Rows shown at most; a car seen by more cameras has no pattern that a table could show. */
const MAX_ROWS = 200;

function Table({ table: { title, head, rows } }: { table: PatternTable }) {
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls sideways must be reachable by keyboard
    <section aria-label={title} className="overflow-x-auto" tabIndex={0}>
      <table className="w-full min-w-168 text-sm">
        <caption className="mb-1 text-start text-base font-semibold">{title}</caption>
        <thead>
          <tr className="border-b border-line-strong text-start text-muted">
            {head.map((name) => (
              <th key={name} scope="col" className="px-2 py-1 text-start font-medium whitespace-nowrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((row) => (
            <tr key={row.join()} className="border-b border-line">
              {row.map((text, column) => (
                <td key={head[column]} className="px-2 py-1 align-top tabular-nums">
                  <bdi>{text}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS && (
        <p className="px-2 py-1 text-sm text-muted">{numberText(rows.length - MAX_ROWS)} more not shown</p>
      )}
    </section>
  );
}
