import { useMemo } from "react";
import { passingRows } from "#app/components/search/results/filter.ts";
import { type ResultsStore, useResults } from "#app/components/search/results/state.ts";
import { orMissing, readsText, timeText } from "#app/components/search/sighting/text.ts";
import {
  type Camera,
  latitudeAt,
  longitudeAt,
  type Pixel,
  project,
  type Size,
} from "#app/entities/search/map/camera.ts";
import { type mapPoints, spotPlace } from "#app/entities/search/map/points.ts";
import { type ResultColumns, rowAt } from "#app/entities/search/result-columns.ts";
import { truncated } from "#app/lib/text.ts";

/** Returns the pixel of a place (Mercator units) on the screen. */
export function pixelOf(place: { x: number; y: number }, camera: Camera, size: Size): Pixel {
  return project({ longitude: longitudeAt(place.x), latitude: latitudeAt(place.y) }, camera, size);
}

/** Returns the spots with reads from west to east, the order of the step keys. */
export function spotOrder(points: ReturnType<typeof mapPoints>, counts: Uint32Array): number[] {
  const order: number[] = [];
  for (let spot = 0; spot < points.spotCount; spot++) if (counts[spot] !== 0) order.push(spot);
  return order.sort((a, b) => spotPlace(points, a).x - spotPlace(points, b).x || a - b);
}

/** Returns the screen reader announcement of an opened spot. */
export function spotWords(columns: ResultColumns, row: number, reads: number): string {
  const { camera, plate, capturedAt } = rowAt(columns, row);
  const where = truncated(orMissing(camera), 80);
  return `${where}, ${readsText(reads)}. Plate ${orMissing(plate)}, ${timeText(capturedAt)}`;
}

/** Returns the state shared by table and map, and the rows that pass the filter ignoring its times. */
export function useShared(store: ResultsStore) {
  const columns = useResults(store, (state) => state.columns);
  const pass = useResults(store, (state) => state.pass);
  const filter = useResults(store, (state) => state.filter);
  const selection = useResults(store, (state) => state.selection);
  const current = useResults(store, (state) => state.current);
  const latest = useResults(store, (state) => state.latest);
  const { text, program, picked } = filter;
  const passAnyTime = useMemo(
    () => passingRows(columns, { text, program, picked, from: null, to: null }),
    [columns, text, program, picked],
  );
  return { columns, latest, pass, passAnyTime, filter, selection, current };
}
