import { TriangleAlert, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { duration } from "#app/components/search/form/describe.ts";
import { type FoundTrips, speedLimit } from "#app/components/search/impossible-trips.tsx";
import { timeText } from "#app/components/search/sighting/text.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { DEFAULT_GAP, type Track, type TrackRead, type Trip } from "#app/entities/search/map/track.ts";
import { at } from "#app/lib/at.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { DAY, HOUR } from "#app/lib/time/dates.ts";
import { PageButtons, usePageOf } from "./controls.tsx";

/** A longer time between two reads begins a new trip: the user's choice. */
const GAPS = [HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 7 * DAY];
export const gapChoice = storedChoice("odin-track-gap", (text) =>
  GAPS.includes(Number(text)) ? Number(text) : DEFAULT_GAP,
);

/** Reads on a page of the list: a track may have thousands. */
const PAGE = 50;

export type TrackPanelProps = {
  plate: string;
  track: Track;
  /** The reads that the time filter shows, [start, end). */
  shown: readonly [number, number];
  trips: FoundTrips;
  cameraOf: (row: number) => string;
  onPick: (read: TrackRead) => void;
  onClose: () => void;
};

/** The track as a list of trips and reads, with its settings. It shows in text what the map draws. */
export function TrackPanel(props: TrackPanelProps) {
  const { plate, track, shown, onClose } = props;
  const latest = shown[1] - 1;
  // The list follows playback.
  const [turned, setPage] = usePageOf({ list: plate, index: latest, perPage: PAGE });
  const page = Math.min(turned, Math.max(0, Math.ceil(track.reads.length / PAGE) - 1));
  return (
    <section
      aria-label={`Track of ${plate}`}
      className="flex flex-col border-line bg-raised max-lg:border-t lg:h-[600px] lg:w-84 lg:shrink-0 lg:border-s"
    >
      <header className="border-b border-line px-3 py-2">
        <div className="flex items-center gap-2">
          <h2 className="min-w-0 flex-1 truncate text-base font-semibold">
            Track of <span className="plate-text">{plate}</span>
          </h2>
          <IconButton label="Hide the track" size="sm" icon={<X />} align="end" onClick={onClose} />
        </div>
        <p className="text-sm text-muted">
          {trackWords(track)}
          {track.leftOut > 0 && `; ${counted(track.leftOut, "read")} without a location or time left out`}
        </p>
        <div className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-1.5 text-sm">
          <GapField />
          <SpeedField />
        </div>
      </header>
      <TrackReads {...props} latest={latest} page={page} />
      <PageButtons
        page={page}
        perPage={PAGE}
        count={track.reads.length}
        before="Earlier reads"
        after="Later reads"
        onPage={setPage}
        className="border-t border-line px-1 py-0.5 text-sm"
      />
    </section>
  );
}

type TrackReadsProps = TrackPanelProps & {
  /** The index of the latest read that is shown. */
  latest: number;
  page: number;
};

/** One page of the reads, in which the latest that is shown stays in view. */
function TrackReads({ track, shown, trips, latest, page, cameraOf, onPick }: TrackReadsProps) {
  const list = useRef<HTMLOListElement>(null);
  // Scrolls the list alone: scrollIntoView would scroll the screen as well.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the latest read or its page is rendered
  useEffect(() => {
    const box = list.current;
    const read = box?.querySelector<HTMLElement>("[aria-current]");
    if (!box || !read) return;
    const above = read.offsetTop - box.offsetTop;
    const below = above + read.offsetHeight;
    if (above < box.scrollTop || below > box.scrollTop + box.clientHeight)
      box.scrollTop = above - box.clientHeight / 2;
  }, [latest, page]);
  const first = page * PAGE;
  return (
    <ol ref={list} aria-label="Reads of the track" className="min-h-0 flex-1 overflow-auto max-lg:max-h-96">
      {track.reads.slice(first, first + PAGE).map((read, i) => {
        const index = first + i;
        const words = trips.ends.has(read.row) ? trips.words.get(read.row) : undefined;
        return (
          <li key={read.row}>
            {(i === 0 || index === at(track.trips, read.trip).start) && (
              <TripHeading track={track} index={index} />
            )}
            <button
              type="button"
              aria-current={index === latest ? "step" : undefined}
              className={cx(
                "flex w-full items-baseline gap-2 px-3 py-1.5 text-start text-sm hover:bg-hover",
                index === latest && "bg-accent-soft",
                (index < shown[0] || index > latest) && "text-muted",
              )}
              onClick={() => onPick(read)}
            >
              <span className="w-7 shrink-0 text-end font-semibold tabular-nums">{index + 1}</span>
              <span className="min-w-0 flex-1">
                <span className="block tabular-nums">{timeText(read.time)}</span>
                <bdi className="block wrap-anywhere">{cameraOf(read.row)}</bdi>
                {words && (
                  <span className="mt-0.5 flex items-start gap-1 text-warn">
                    <TriangleAlert aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
                    <span>Impossible trip: {words}</span>
                  </span>
                )}
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

/** The heading of a trip; before its first read, also the time since the previous read. */
function TripHeading({ track, index }: { track: Track; index: number }) {
  const read = at(track.reads, index);
  const trip = at(track.trips, read.trip);
  const before = index === trip.start ? track.reads[index - 1] : undefined;
  return (
    <h3 className="bg-sunken px-3 py-1 text-sm">
      {before && (
        <span className="block text-xs text-muted">No read for {duration(read.time - before.time)}</span>
      )}
      <span className="font-medium">Trip {numberText(read.trip + 1)}</span>
      <span className="text-muted">: {tripSize(trip)}</span>
    </h3>
  );
}

/** The time between two reads after which a new trip begins. */
function GapField() {
  const gap = gapChoice.use();
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside the Select component
    <label className="inline-flex items-center gap-2">
      <span className="whitespace-nowrap text-muted">New trip after</span>
      <Select
        controlSize="sm"
        className="!w-28"
        value={gap}
        onChange={({ currentTarget }) => gapChoice.set(Number(currentTarget.value))}
      >
        {GAPS.map((span) => (
          <option key={span} value={span}>
            {span < DAY ? `${span / HOUR} h` : span === DAY ? "1 day" : `${span / DAY} days`}
          </option>
        ))}
      </Select>
    </label>
  );
}

/** The speed above which a trip is impossible. */
function SpeedField() {
  const limit = speedLimit.use();
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside the Input component
    <label className="inline-flex items-center gap-2">
      <span className="whitespace-nowrap text-muted">Impossible above</span>
      <Input
        key={limit}
        controlSize="sm"
        type="number"
        min={30}
        max={700}
        className="!w-18"
        defaultValue={limit}
        onBlur={({ currentTarget }) => {
          if (currentTarget.value !== "" && currentTarget.validity.valid)
            speedLimit.set(Number(currentTarget.value));
          else currentTarget.value = String(limit);
        }}
        onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
      />
      <span className="text-muted">mph</span>
    </label>
  );
}

function trackWords({ reads, trips }: Track): string {
  if (reads.length === 0) return "No reads on the map";
  if (trips.length === 1) return `${counted(reads.length, "read")}, one trip`;
  return `${counted(reads.length, "read")}, ${numberText(trips.length)} trips`;
}

/** Distances are straight lines, so they are given within a trip only. */
function tripSize({ start, end, miles }: Trip): string {
  const reads = counted(end - start, "read");
  return end - start === 1 ? reads : `${reads}, ${miles.toFixed(1)} mi`;
}

export type SpotListProps = {
  /** The number of reads that pass, by spot. */
  counts: Uint32Array;
  total: number;
  nameOf: (spot: number) => string;
  onPick: (spot: number) => void;
};

/** Places shown at first, and added by each press of the button. */
const LISTED = 30;

/** The markers as a list, for screen readers and keyboards. */
export function SpotList({ counts, total, nameOf, onPick }: SpotListProps) {
  const [isOpen, setOpen] = useState(false);
  const [shown, setShown] = useState(LISTED);
  const spots = useMemo(() => {
    if (!isOpen) return [];
    const found: number[] = [];
    for (let spot = 0; spot < counts.length; spot++) if (counts[spot] !== 0) found.push(spot);
    return found.sort((a, b) => at(counts, b) - at(counts, a) || a - b);
  }, [counts, isOpen]);
  return (
    <div className="border-t border-line bg-raised px-4 py-2">
      <Collapsible title={`Places as a list, ${counted(total, "read")}`} open={isOpen} onOpenChange={setOpen}>
        <ul aria-label="Places with reads" className="grid gap-x-4 sm:grid-cols-2 lg:grid-cols-3">
          {spots.slice(0, shown).map((spot) => (
            <li key={spot}>
              <button
                type="button"
                className="flex min-h-target w-full items-center gap-2 rounded-sm px-2 py-1 text-start hover:bg-hover"
                onClick={() => onPick(spot)}
              >
                <bdi className="min-w-0 flex-1 wrap-anywhere">{nameOf(spot)}</bdi>
                <span className="text-sm text-muted tabular-nums">{counted(at(counts, spot), "read")}</span>
              </button>
            </li>
          ))}
        </ul>
        {spots.length > shown && (
          <Button size="sm" onClick={() => setShown(shown + LISTED)}>
            {numberText(spots.length - shown)} more
          </Button>
        )}
      </Collapsible>
    </div>
  );
}
