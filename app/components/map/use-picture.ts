import { useCallback, useMemo } from "react";
import { paintLabels } from "#app/components/map/paint/basemap.ts";
import {
  hexagonBoxes,
  hexagonsAt,
  paintHeat,
  paintHexagons,
  visiblePoints,
} from "#app/components/map/paint/density.ts";
import { markerBoxes, paintMarks } from "#app/components/map/paint/overlay.ts";
import { usePalette } from "#app/components/map/paint/palette.ts";
import {
  paintTrackLabels,
  paintTrackLines,
  type TrackMarks,
  trackBoxes,
  trackLabels,
} from "#app/components/map/paint/track.ts";
import type { CameraControl } from "#app/components/map/use-camera.ts";
import { frameOf } from "#app/entities/search/map/camera.ts";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import { wordAt } from "#app/entities/search/result-columns.ts";
import { at } from "#app/lib/at.ts";
import { truncated } from "#app/lib/text.ts";
import { hasOwnNames, type Renderer } from "./renderer.ts";
import type { Density, Scene } from "./scene.ts";
import { useBasemap } from "./use-basemap.ts";
import type { MapModel } from "./use-map-model.ts";

/** With more spots than this, markers are small. */
const DENSE_SPOTS = 1500;
const NAME_LENGTH = 40;

export type MapPictureOptions = {
  shared: MapModel["shared"];
  points: MapPoints;
  counts: Uint32Array;
  /** The number of reads by spot, ignoring the times of the filter. */
  countsAnyTime: Uint32Array;
  control: CameraControl | null;
  density: Density;
  track: TrackMarks | null;
  selectedSpots: readonly number[];
  currentSpot: number | null;
  hovered: number | null;
  renderer: Renderer;
};

/**
 * Returns the scene of base map and markers for the renderer, and the paint function of everything above them: heat,
 * hexagons, track, names and counts. deck.gl's heat layer is not used, since it needs float blending on the card.
 */
export function useMapPicture(options: MapPictureOptions) {
  const { shared, points, counts, countsAnyTime, control, density, track, ...rest } = options;
  const { selectedSpots, currentSpot, hovered, renderer } = rest;
  const { columns, pass, passAnyTime, filter } = shared;
  const palette = usePalette();
  const basemap = useBasemap();
  const isDense = points.spotCount > DENSE_SPOTS;
  const camera = control?.camera;
  const size = control?.size;
  const scene: Scene | null =
    basemap && camera && size
      ? {
          camera,
          size,
          basemap,
          palette,
          points,
          pass,
          passAnyTime,
          from: filter.from,
          to: filter.to,
          density,
          isFaded: track !== null,
          isDense,
        }
      : null;
  const wholeZoom = camera ? Math.round(camera.zoom) : null;
  const visible = useMemo(
    () => (density === "heat" ? visiblePoints(points, pass) : null),
    [density, points, pass],
  );
  const hexagons = useMemo(
    () =>
      density === "hexagons" && wholeZoom !== null
        ? hexagonsAt(points, visiblePoints(points, pass), wholeZoom)
        : null,
    [density, points, pass, wholeZoom],
  );
  const nameOf = useCallback(
    (spot: number) => {
      const point = at(points.spotPoints, at(points.spotStarts, spot));
      return truncated(wordAt(columns, "camera", at(points.rows, point)), NAME_LENGTH);
    },
    [points, columns],
  );
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => {
      if (!camera || !size || !basemap) return;
      const frame = frameOf(camera, size);
      if (visible) paintHeat(context, { points, visible, frame, size, palette });
      const view = { frame, size, palette };
      const hasMarkers = density === "markers";
      if (track) paintTrackLines(context, track, view);
      const labels = track ? trackLabels(context, track, view) : [];
      const trackLabelBoxes = trackBoxes(labels);
      if (!hasOwnNames(basemap.info.kind, renderer)) {
        const boxes = () => (hasMarkers ? markerBoxes(points, { counts: countsAnyTime, frame, size }) : []);
        const obstacles = [...trackLabelBoxes, ...(hexagons ? hexagonBoxes(hexagons, frame) : boxes())];
        paintLabels(context, { basemap, palette, camera, size, obstacles });
      }
      if (hexagons) paintHexagons(context, { bins: hexagons, frame, size, palette });
      if (track) paintTrackLabels(context, { marks: track, labels, palette });
      const marks = {
        points,
        counts,
        countsAnyTime,
        obstacles: trackLabelBoxes,
        selected: selectedSpots,
        current: currentSpot,
        hovered,
        nameOf,
        zoom: hasMarkers ? camera.zoom : 0,
        isDense,
        // The counts of other reads would cover a track.
        hasCounts: hasMarkers && !track,
      };
      paintMarks(context, marks, view);
    },
    [
      renderer,
      camera,
      size,
      basemap,
      visible,
      hexagons,
      track,
      palette,
      density,
      points,
      counts,
      countsAnyTime,
      selectedSpots,
      currentSpot,
      hovered,
      nameOf,
      isDense,
    ],
  );
  return { scene, basemap, nameOf, paint, most: hexagons?.most };
}
