import { TriangleAlert } from "lucide-react";
import { useSyncExternalStore } from "react";
import { timeText } from "#app/components/search/sighting/text.ts";
import { cx } from "#app/components/ui/cx.ts";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";
import type { ImpossibleTrip, TripRead } from "#app/entities/search/analysis/impossible-trips.ts";
import { type ResultColumns, rowAt } from "#app/entities/search/result-columns.ts";
import { mappablePlace } from "#app/entities/search/sighting.ts";

/** The default of the rule itself, which is lazy-loaded. */
const DEFAULT_MPH = 120;

/** Speeds above this are impossible, in miles per hour; the user's choice. */
export const speedLimit = storedChoice("odin-speed-limit", (text) => {
  const limit = Number(text ?? Number.NaN);
  return Number.isInteger(limit) && limit >= 30 && limit <= 700 ? limit : DEFAULT_MPH;
});

/** The trips of a result set, with the explanation of each. */
export type FoundTrips = {
  /** By row: the trip that ends there, else the one that starts there. */
  words: ReadonlyMap<number, string>;
  /** The rows that no car could have reached from the read before. */
  ends: ReadonlySet<number>;
};

const NONE: FoundTrips = { words: new Map(), ends: new Set() };

/** The search for impossible trips in one result set, shared by everything that shows them. */
type Finder = { found: FoundTrips; subscribe: (listener: () => void) => () => void };
const finders = new WeakMap<ResultColumns, Finder>();

function finderOf(columns: ResultColumns): Finder {
  const existing = finders.get(columns);
  if (existing) return existing;
  const listeners = new Set<() => void>();
  let searched: number | undefined;
  const finder: Finder = {
    found: NONE,
    subscribe: (listener) => {
      listeners.add(listener);
      const stop = speedLimit.subscribe(find);
      find();
      return () => {
        listeners.delete(listener);
        stop();
      };
    },
  };
  /** Searches once the browser is idle, since the rows come first; again if the user changes the speed. */
  function find() {
    const limit = speedLimit.get();
    if (limit === searched) return;
    searched = limit;
    whenIdle(async () => {
      const [{ impossibleTrips, tripWords }, { plateComparer }] = await Promise.all([
        import("#app/entities/search/analysis/impossible-trips.ts"),
        import("#app/entities/search/look-alikes.ts"),
      ]);
      if (limit !== searched) return;
      const looksAlike = plateComparer();
      finder.found = namedTrips(impossibleTrips(readsOf(columns), { limit, looksAlike }).trips, tripWords);
      for (const listener of listeners) listener();
    });
  }
  finders.set(columns, finder);
  return finder;
}

function whenIdle(act: () => Promise<void>): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(() => void act(), { timeout: 2000 });
  else setTimeout(() => void act(), 200);
}

function namedTrips(
  trips: readonly ImpossibleTrip[],
  tripWords: (trip: ImpossibleTrip, clock: (time: number) => string) => string,
): FoundTrips {
  const words = new Map<number, string>();
  const ends = new Set<number>();
  for (const trip of trips) {
    const text = tripWords(trip, (time) => timeText(time).slice(11, 16));
    if (!ends.has(trip.from.row)) words.set(trip.from.row, text);
    words.set(trip.to.row, text);
    ends.add(trip.to.row);
  }
  return { words, ends };
}

function readsOf(columns: ResultColumns): TripRead[] {
  return Array.from({ length: columns.count }, (_, row) => {
    const read = rowAt(columns, row);
    const isPlaced = mappablePlace(read) !== null;
    return {
      row,
      plate: read.plate,
      time: read.timeIsArrival ? null : read.capturedAt,
      latitude: isPlaced ? read.latitude : null,
      longitude: isPlaced ? read.longitude : null,
      state: read.state,
      make: read.make,
      color: read.color,
      camera: read.camera,
      agency: read.agency,
    };
  });
}

/** Returns the impossible trips of a result set; none until they are found. */
export function useImpossibleTrips(columns: ResultColumns): FoundTrips {
  const finder = finderOf(columns);
  return useSyncExternalStore(
    finder.subscribe,
    () => finder.found,
    () => NONE,
  );
}

export type ImpossibleTripProps = { columns: ResultColumns; row: number; className?: string };

/** A small flag next to the plate of a read that no car could have reached; nothing for other reads. */
export function ImpossibleTripFlag({ columns, row }: Omit<ImpossibleTripProps, "className">) {
  const words = useImpossibleTrips(columns).words.get(row);
  if (words === undefined) return null;
  return (
    <span role="img" aria-label={`Impossible trip: ${words}`} title={words} className="text-warn">
      <TriangleAlert aria-hidden="true" className="size-4" />
    </span>
  );
}

/** The explanation of an impossible trip, for the detail of a read. */
export function ImpossibleTripNote({ columns, row, className }: ImpossibleTripProps) {
  const words = useImpossibleTrips(columns).words.get(row);
  return words === undefined ? null : <ImpossibleTripText words={words} className={className} />;
}

export function ImpossibleTripText({ words, className }: { words: string; className?: string }) {
  return (
    <p className={cx("flex items-start gap-1.5 text-sm text-warn", className)}>
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span>
        <strong className="font-semibold">Impossible trip.</strong> {words}.
      </span>
    </p>
  );
}
