import { useMemo } from "react";
import type { TrackMarks } from "#app/components/map/paint/track.ts";
import { type FoundTrips, useImpossibleTrips } from "#app/components/search/impossible-trips.tsx";
import { orMissing, timeText } from "#app/components/search/sighting/text.ts";
import { plateInView } from "#app/entities/search/analysis/plate-in-view.ts";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import { stepTimes } from "#app/entities/search/map/time.ts";
import { shownReads, trackOf, trackSpots } from "#app/entities/search/map/track.ts";
import { wordAt } from "#app/entities/search/result-columns.ts";
import { numberText } from "#app/lib/number-text.ts";
import { truncated } from "#app/lib/text.ts";
import { gapChoice } from "./lists.tsx";
import type { MapModel } from "./use-map-model.ts";

export type TrackOptions = {
  shared: MapModel["shared"];
  points: MapPoints;
  plate: string | null;
  /** The plate that was searched, in canonical form; "" if none was. */
  searched: string;
};

export type TrackState = {
  /** The track of the plate; null without a plate. */
  marks: TrackMarks | null;
  trips: FoundTrips;
  /** The plate whose track can be shown; "" for none. */
  candidate: string;
  /** The times of the reads that playback adds one by one. */
  steps: ArrayLike<number>;
  /** Describes the latest read of the playback; undefined while all are shown. */
  playing: string | undefined;
};

/** Returns the track of a plate. Its numbers and trips ignore the times of the filter, which only hide parts of it. */
export function useTrack({ shared, points, plate, searched }: TrackOptions): TrackState {
  const { columns, pass, passAnyTime, filter, current } = shared;
  const { from, to } = filter;
  const gap = gapChoice.use();
  const trips = useImpossibleTrips(columns);
  const whole = useMemo(() => {
    if (plate === null) return null;
    const track = trackOf(points, { columns, plate, pass: passAnyTime, gap });
    return { track, spots: trackSpots(track) };
  }, [points, columns, plate, passAnyTime, gap]);
  const marks = useMemo(
    () => whole && { ...whole, shown: shownReads(whole.track, { from, to }), impossible: trips.ends },
    [whole, from, to, trips],
  );
  const steps = useMemo(
    () => (whole ? [...new Set(whole.track.reads.map(({ time }) => time))] : stepTimes(points, passAnyTime)),
    [whole, points, passAnyTime],
  );
  const candidate = useMemo(
    () => plateInView(columns, { pass, current, searched }),
    [columns, pass, current, searched],
  );

  function playing(): string | undefined {
    if (to === null) return undefined;
    if (!marks) return timeText(to);
    const { reads } = marks.track;
    const count = `Read ${numberText(marks.shown[1])} of ${numberText(reads.length)}`;
    const read = reads[marks.shown[1] - 1];
    if (!read) return count;
    return `${count}, ${timeText(read.time)}, ${truncated(orMissing(wordAt(columns, "camera", read.row)), 40)}`;
  }
  return { marks, trips, candidate, steps, playing: playing() };
}
