import { useMemo } from "react";
import { passingRows } from "#app/components/search/results/filter.ts";
import { isSelected } from "#app/components/search/results/selection.ts";
import { type ResultsStore, useResults } from "#app/components/search/results/state.ts";
import { countBySpot, mapPoints, timeRange } from "#app/entities/search/map/points.ts";
import { at } from "#app/lib/at.ts";

export type MapModel = ReturnType<typeof useMapModel>;

/** Returns the reads of the results as the map shows them: points on spots, and the reads of each spot. */
export function useMapModel(store: ResultsStore) {
  const shared = useShared(store);
  const { columns, latest, pass, passAnyTime, selection, current } = shared;
  const points = useMemo(() => mapPoints(columns, latest), [columns, latest]);
  const { counts, total } = useMemo(() => countBySpot(points, pass), [points, pass]);
  /** The number of reads by spot, ignoring the times of the filter. */
  const { counts: countsAnyTime } = useMemo(() => countBySpot(points, passAnyTime), [points, passAnyTime]);
  const span = useMemo(() => timeRange(points), [points]);
  const currentSpot = useMemo(() => {
    const point = current === null ? -1 : (points.pointOfRow[current] ?? -1);
    return point < 0 ? null : at(points.spots, point);
  }, [points, current]);
  const selectedSpots = useMemo(() => {
    if (selection.count === 0) return [];
    const spots = new Set<number>();
    for (let point = 0; point < points.count; point++) {
      const row = points.rows[point] ?? 0;
      if (pass[row] === 1 && isSelected(selection, row)) spots.add(points.spots[point] ?? 0);
    }
    return [...spots];
  }, [points, pass, selection]);
  return { shared, points, counts, total, countsAnyTime, span, currentSpot, selectedSpots };
}

/** Returns the state shared by table and map, and the rows that pass the filter ignoring its times. */
function useShared(store: ResultsStore) {
  const columns = useResults(store, (state) => state.columns);
  const pass = useResults(store, (state) => state.pass);
  const filter = useResults(store, (state) => state.filter);
  const selection = useResults(store, (state) => state.selection);
  const current = useResults(store, (state) => state.current);
  const latest = useResults(store, (state) => state.latest);
  const grown = useResults(store, (state) => state.grown);
  const { text, program, picked } = filter;
  const passAnyTime = useMemo(
    () => passingRows(columns, { text, program, picked, from: null, to: null }),
    [columns, text, program, picked],
  );
  return { columns, latest, pass, passAnyTime, filter, selection, current, grown };
}
