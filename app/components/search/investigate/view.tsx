import { Link, useRevalidator, useSearchParams } from "@remix-run/react";
import { SearchX, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import type { AreaMark } from "#app/components/map/areas.tsx";
import { LazyAreaMap } from "#app/components/map/lazy.tsx";
import { SourceStatuses } from "#app/components/search/results/source-statuses.tsx";
import { useAvailability } from "#app/components/search/results/use-availability.ts";
import { useNow } from "#app/components/search/results/use-now.ts";
import { buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { type InvestigationAnswer, placeName } from "#app/entities/search/investigate/answer.ts";
import { mappablePlace } from "#app/entities/search/sighting.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { pageOf } from "#app/lib/pages.ts";
import { ownRowsOfPlate, PlateTable, rowsOfPlate } from "./plate-table.tsx";

const VIEWS = [
  { value: "table", label: "Table" },
  { value: "map", label: "Map" },
  { value: "timeline", label: "Timeline" },
] as const;

/** Maximum number of plates shown over time; more would be a gray band. */
const MAX_LINES = 25;

/** One line per plate with its reads, over the time range of all evidence. */
function Timeline({
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
        {answer.plates.slice(0, MAX_LINES).map(({ plate }, i) => {
          const rows = ownRowsOfPlate(answer, i);
          const reads = answer.reads.filter(({ row }) => rows.has(row));
          return (
            <li key={plate}>
              <button
                type="button"
                aria-pressed={i === chosen}
                aria-label={`${plate}: ${counted(reads.length, "read")}`}
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
                  {windows.map((window, place) => (
                    <span
                      // biome-ignore lint/suspicious/noArrayIndexKey: places may have the same window
                      key={place}
                      className="absolute inset-y-0 bg-sunken forced-colors:border-x"
                      style={{ left: `${percent(window.from)}%`, right: `${100 - percent(window.to)}%` }}
                    />
                  ))}
                  {reads.map((read) => (
                    <span
                      key={read.row}
                      // Forced colors replace its background, not its border.
                      className="absolute top-1 h-3 w-1 rounded-full bg-accent forced-colors:border-s-4"
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

/** The answer of a place or convoy search: plates with their evidence as a table, on a map, and over time. */
export function InvestigationView({ answer }: { answer: InvestigationAnswer }) {
  const [view, setView] = useState<(typeof VIEWS)[number]["value"]>("table");
  const [chosen, setChosen] = useState(0);
  const [query] = useSearchParams();
  const now = useNow();
  const { revalidate } = useRevalidator();
  const isOver = now !== undefined && now >= answer.expires_at;
  const { plates, tool, request } = answer;

  // The loader then answers that the results were purged; again every minute, if this browser's clock is ahead of the
  // server's.
  useEffect(() => {
    if (isOver && now) revalidate();
  }, [isOver, now, revalidate]);

  useAvailability(answer.result_id, revalidate);

  const title = tool === "places" ? `${request.places.length} places` : `Convoy of ${request.plate}`;
  return (
    <Page width="7xl">
      <PageHead
        title={title}
        lead={
          <>
            Case {request.case_number} · <Condition answer={answer} /> · {numberText(answer.reads_gathered)}{" "}
            reads compared · kept until <LocalTime at={answer.expires_at} short />
          </>
        }
      >
        <div className="flex flex-wrap gap-2">
          <Link to={`/results?id=${encodeURIComponent(answer.result_id)}`} className={buttonClass()}>
            All evidence as results
          </Link>
          <Link
            to={tool === "convoy" ? "/investigate?tool=convoy" : "/investigate"}
            className={buttonClass()}
          >
            New search
          </Link>
        </div>
      </PageHead>
      <p className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 font-medium text-warn">
        <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        {answer.warning}
      </p>
      {answer.notes.length > 0 && (
        <ul aria-label="Notes" className="list-disc ps-5 text-sm">
          {answer.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <SourceStatuses statuses={answer.sources} />
        <Segmented className="noscript:hidden" label="View" options={VIEWS} value={view} onSelect={setView} />
      </div>
      {plates.length === 0 ? (
        <EmptyState
          icon={<SearchX />}
          title={
            tool === "places"
              ? "No plate was read in enough of these places"
              : "No plate traveled with this one"
          }
        >
          {answer.sources.some(({ state }) => state !== "ok") &&
            "Agencies that did not answer may have reads that are not shown. "}
          {tool === "places" ? "Try longer windows or fewer places." : "Try a longer time or fewer cameras."}
        </EmptyState>
      ) : (
        <>
          {view === "table" && <PlateTable answer={answer} page={pageOf(query)} />}
          {view !== "table" && <PlateChoice answer={answer} chosen={chosen} onChoose={setChosen} />}
          {view === "map" && <EvidenceMap answer={answer} chosen={chosen} />}
          {view === "timeline" && <Timeline answer={answer} chosen={chosen} onChoose={setChosen} />}
        </>
      )}
    </Page>
  );
}

function Condition({ answer }: { answer: InvestigationAnswer }) {
  if (answer.tool === "places")
    return (
      <>
        read in at least {answer.request.at_least} of{" "}
        {answer.request.places.map((place, i) => placeName(place, i)).join(", ")}
      </>
    );
  const { minutes, at_least } = answer.request;
  return (
    <>
      within {minutes === 1 ? "a minute" : `${minutes} minutes`} at {at_least} or more cameras,{" "}
      {answer.anchor_rows.length} reads followed
    </>
  );
}

function PlateChoice({
  answer,
  chosen,
  onChoose,
}: {
  answer: InvestigationAnswer;
  chosen: number;
  onChoose: (index: number) => void;
}) {
  return (
    <label className="flex w-fit items-center gap-2 text-sm font-medium">
      Plate
      <select
        className="control plate-text min-h-control px-2.5 coarse:text-lg"
        value={chosen}
        onChange={(event) => onChoose(Number(event.currentTarget.value))}
      >
        {answer.plates.map(({ plate }, i) => (
          <option key={plate} value={i}>{`${i + 1}. ${plate}`}</option>
        ))}
      </select>
    </label>
  );
}

/** The evidence of one plate: its reads numbered in the order of time, and in a convoy those of the given plate. */
function EvidenceMap({ answer, chosen }: { answer: InvestigationAnswer; chosen: number }) {
  const rows = rowsOfPlate(answer, chosen);
  const plate = answer.plates[chosen]?.plate;
  const reads = answer.reads.filter(({ row }) => rows.has(row)).sort((a, b) => a.at - b.at);
  const spots = new Map<string, AreaMark & { first: number; count: number }>();
  for (const [i, read] of reads.entries()) {
    const place = mappablePlace(read);
    if (!place) continue;
    const key = `${place.latitude},${place.longitude}`;
    const earlier = spots.get(key);
    const title = `${read.camera}, ${read.plate}`;
    const [first, count] = [earlier?.first ?? i + 1, (earlier?.count ?? 0) + 1];
    spots.set(key, {
      ...place,
      first,
      count,
      label: count === 1 ? String(first) : `${first} +${count - 1}`,
      title: earlier?.title ?? title,
      strong: read.plate === plate,
    });
  }
  return (
    <>
      <LazyAreaMap
        areas={answer.tool === "places" ? answer.request.places.map(({ area }) => area) : []}
        marks={[...spots.values()]}
        active={-1}
        className="h-[60vh] min-h-80"
      />
      <p className="text-sm text-muted">
        Numbers are the reads of {answer.tool === "convoy" && `${answer.request.plate} and `}
        {plate} in order of time; “1 +5” is read 1 and five more at the same camera. The table lists the same
        reads.
      </p>
    </>
  );
}
