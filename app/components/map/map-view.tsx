import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ResultsStore } from "#app/components/sightings/results-state.ts";
import { isSelected } from "#app/components/sightings/selection.ts";
import { orMissing, readsText } from "#app/components/sightings/sighting-text.ts";
import {
  type Camera,
  DEFAULT_CAMERA,
  fittedCamera,
  frameOf,
  latitudeAt,
  longitudeAt,
  type Pixel,
  pannedBy,
  type Size,
} from "#app/entities/map-camera.ts";
import {
  boundsOf,
  countBySpot,
  mapPoints,
  rowsOnSpots,
  spotPlace,
  spotsNear,
  timeRange,
} from "#app/entities/map-points.ts";
import { trackOf } from "#app/entities/map-track.ts";
import { wordAt } from "#app/entities/result-columns.ts";
import { truncated } from "#app/lib/text.ts";
import { paintLabels } from "./basemap-painter.ts";
import { Canvas } from "./canvas.tsx";
import { hexagonBoxes, hexagonsAt, paintHexagons, visiblePoints } from "./density-painter.ts";
import { Attribution, ScaleBar, ZoomButtons } from "./map-controls.tsx";
import { MapGround } from "./map-ground.tsx";
import { MapPopup } from "./map-popup.tsx";
import { MapToolbar } from "./map-toolbar.tsx";
import { pixelOf, spotOrder, useShared } from "./map-view-parts.ts";
import { markerBoxes, paintMarks, paintTrack } from "./overlay-painter.ts";
import { usePalette } from "./palette.ts";
import { useRenderer } from "./renderer.ts";
import type { Density, Scene } from "./scene.ts";
import { SpotList } from "./spot-list.tsx";
import { TimeSlider } from "./time-slider.tsx";
import { useBasemap } from "./use-basemap.ts";
import { useCamera } from "./use-camera.ts";

export type MapViewProps = { store: ResultsStore; onOpen: (row: number) => void };

/** So many spots are drawn small; so many reads can be drawn as heat or hexagons. */
const DENSE_SPOTS = 1500;
const DENSE_READS = 200;
/** How far from its middle a marker may be pressed. */
const REACH = 14;
const NAME_LENGTH = 40;
/** Where a spot goes so that its popup has room, and where it may stay, in pixels from the edge. */
const POPUP_EDGE = 110;
const POPUP_ROOM = 190;

/** Where each result was last looked at, for as long as the page lives. */
const cameras = new WeakMap<ResultsStore, Camera>();

export default function MapView({ store, onOpen }: MapViewProps) {
  const { columns, pass, passAnyTime, filter, selection, current } = useShared(store);
  const points = useMemo(() => mapPoints(columns), [columns]);
  const { counts, total } = useMemo(() => countBySpot(points, pass), [points, pass]);
  const span = useMemo(() => timeRange(points), [points]);
  const palette = usePalette();
  const basemap = useBasemap();
  const { renderer, choice, choose, fail } = useRenderer();
  const [density, setDensity] = useState<Density>("markers");
  const [plate, setPlate] = useState<string | null>(null);
  const [popup, setPopup] = useState<{ spots: readonly number[] } | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);

  const nearSpots = (at: Pixel) => {
    if (!control) return [];
    const { scale, left, top } = frameOf(control.camera, control.size);
    return spotsNear(points, {
      x: (at.x - left) / scale,
      y: (at.y - top) / scale,
      reach: REACH / scale,
      counts,
    });
  };
  const control = useCamera({
    box,
    initial: (size: Size) => {
      const kept = cameras.get(store);
      const bounds = boundsOf(points, pass);
      return kept ?? (bounds ? fittedCamera(bounds, size) : DEFAULT_CAMERA);
    },
    onChange: (camera) => cameras.set(store, camera),
    onHover: (at) => setHovered(at ? (nearSpots(at)[0] ?? null) : null),
    onClick: (at) => {
      const spots = nearSpots(at);
      if (spots[0] === undefined) return setPopup(null);
      openSpots(spots);
      lookIfCramped(spots[0]);
    },
  });

  const currentSpot = useMemo(() => {
    const point = current === null ? -1 : (points.pointOfRow[current] ?? -1);
    return point < 0 ? null : (points.spots[point] as number);
  }, [points, current]);
  const rows = useMemo(() => (popup ? rowsOnSpots(points, popup.spots, pass) : []), [popup, points, pass]);
  const shownRow = current !== null && rows.includes(current) ? current : rows[0];
  const track = useMemo(
    () => (plate === null ? null : trackOf(points, { columns, plate, pass })),
    [points, columns, plate, pass],
  );
  const selectedSpots = useMemo(() => {
    if (selection.count === 0) return [];
    const spots = new Set<number>();
    for (let point = 0; point < points.count; point++) {
      const row = points.rows[point] as number;
      if (pass[row] === 1 && isSelected(selection, row)) spots.add(points.spots[point] as number);
    }
    return [...spots];
  }, [points, pass, selection]);

  function openSpots(spots: readonly number[]) {
    const [first] = rowsOnSpots(points, spots, pass);
    setPopup({ spots });
    const isHere = current !== null && spots.includes(currentSpot ?? -1) && pass[current] === 1;
    if (first !== undefined && !isHere) store.setCurrent(first);
  }
  /** Brings a spot to where its popup has room beside it: near the top, or the bottom if it is there already. */
  function look(spot: number) {
    if (!control) return;
    const { camera, size } = control;
    const at = pixelOf(spotPlace(points, spot), camera, size);
    const isLow = at.y > size.height / 2 && at.y < size.height;
    const place = { x: size.width / 2, y: isLow ? size.height - POPUP_EDGE : POPUP_EDGE };
    control.goTo(pannedBy(camera, size, { x: at.x - place.x, y: at.y - place.y }));
  }
  /** Leaves the map alone where the popup fits above or below. */
  function lookIfCramped(spot: number) {
    if (!control) return;
    const { camera, size } = control;
    const at = pixelOf(spotPlace(points, spot), camera, size);
    if (at.y <= POPUP_ROOM || at.y >= size.height - POPUP_ROOM) return;
    const y = at.y > size.height / 2 ? size.height - POPUP_EDGE : POPUP_EDGE;
    control.goTo(pannedBy(camera, size, { x: 0, y: at.y - y }));
  }
  /** The next spot with reads, from west to east. */
  function step(by: 1 | -1) {
    const order = spotOrder(points, counts);
    if (order.length === 0) return;
    const at = popup
      ? order.indexOf(popup.spots[0] as number)
      : currentSpot === null
        ? -1
        : order.indexOf(currentSpot);
    const next = order[(at + by + order.length + (at < 0 && by < 0 ? 1 : 0)) % order.length] as number;
    const [first] = rowsOnSpots(points, [next], pass);
    setPopup({ spots: [next] });
    if (first !== undefined) store.setCurrent(first);
    look(next);
  }

  // What is chosen in the table is in sight here.
  const control_ = useRef(control);
  control_.current = control;
  useEffect(() => {
    const now = control_.current;
    if (!now || currentSpot === null) return;
    const place = spotPlace(points, currentSpot);
    const { scale, left, top } = frameOf(now.camera, now.size);
    const [x, y] = [place.x * scale + left, place.y * scale + top];
    if (x < 0 || y < 0 || x > now.size.width || y > now.size.height) {
      now.goTo({ longitude: longitudeAt(place.x), latitude: latitudeAt(place.y) });
    }
  }, [currentSpot, points]);

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
          isDense,
        }
      : null;
  const wholeZoom = camera ? Math.round(camera.zoom) : null;
  const hexagons = useMemo(
    () =>
      density === "hexagons" && wholeZoom !== null
        ? hexagonsAt(points, visiblePoints(points, pass), wholeZoom)
        : null,
    [density, points, pass, wholeZoom],
  );
  const nameOf = useCallback(
    (spot: number) => {
      const point = points.spotPoints[points.spotStarts[spot] as number] as number;
      return truncated(wordAt(columns, "camera", points.rows[point] as number), NAME_LENGTH);
    },
    [points, columns],
  );
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => {
      if (!camera || !size || !basemap) return;
      const frame = frameOf(camera, size);
      const hasMarkers = density === "markers";
      if (basemap.info.kind === "embedded") {
        const obstacles = hexagons
          ? hexagonBoxes(hexagons, frame)
          : hasMarkers
            ? markerBoxes(points, { counts, frame, size })
            : [];
        paintLabels(context, { basemap, palette, camera, size, obstacles });
      }
      if (hexagons) paintHexagons(context, { bins: hexagons, frame, size, palette });
      if (track) paintTrack(context, track, { frame, size, palette });
      paintMarks(
        context,
        {
          points,
          counts,
          selected: selectedSpots,
          current: currentSpot,
          hovered,
          nameOf,
          zoom: hasMarkers ? camera.zoom : 0,
          isDense,
          hasCounts: hasMarkers,
        },
        { frame, size, palette },
      );
    },
    [
      camera,
      size,
      basemap,
      hexagons,
      track,
      palette,
      density,
      points,
      counts,
      selectedSpots,
      currentSpot,
      hovered,
      nameOf,
      isDense,
    ],
  );
  const popupAt =
    popup && camera && size && popup.spots[0] !== undefined
      ? pixelOf(spotPlace(points, popup.spots[0]), camera, size)
      : null;

  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <MapToolbar
        density={density}
        onDensity={setDensity}
        hasDensity={points.count >= DENSE_READS}
        plate={plate}
        track={track}
        candidate={current === null ? "" : wordAt(columns, "plate", current)}
        onTrack={setPlate}
        onStep={step}
        choice={choice}
        renderer={renderer}
        onChoose={choose}
        unplaced={columns.count - points.count}
      />
      <div ref={box} className="relative h-[600px] overflow-hidden bg-sunken">
        <div
          role="application"
          aria-label={`Map with ${readsText(total)}. Arrows move, plus and minus zoom, n and p go from marker to marker, Enter opens.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the keys that zoom and pan
          tabIndex={0}
          className={hovered === null ? "absolute inset-0 cursor-grab" : "absolute inset-0 cursor-pointer"}
          onKeyDown={(event) => {
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            if (event.key === "n" || event.key === "p") step(event.key === "n" ? 1 : -1);
            else if (event.key === "Enter" && shownRow !== undefined && popup) onOpen(shownRow);
            else if (event.key === "Enter" && currentSpot !== null) openSpots([currentSpot]);
            else if (event.key === "Escape" && popup) setPopup(null);
            else return control?.onKeyDown(event);
            event.preventDefault();
          }}
        >
          <MapGround scene={scene} renderer={renderer} onFail={fail}>
            {scene && size && <Canvas name="marks" size={size} paint={paint} />}
          </MapGround>
        </div>
        {camera && <ScaleBar camera={camera} />}
        {basemap && <Attribution text={basemap.info.attribution} />}
        {camera && (
          <ZoomButtons
            zoom={camera.zoom}
            onZoom={(steps) => control?.zoomBy(steps)}
            onFit={() => {
              const bounds = boundsOf(points, pass);
              if (bounds) control?.fit(bounds);
              else control?.goTo(DEFAULT_CAMERA);
            }}
          />
        )}
        {total === 0 && (
          <p className="sheet pointer-events-none absolute start-1/2 top-4 -translate-x-1/2 px-3 py-1.5 text-sm">
            {points.count === 0
              ? "None of these reads has a place."
              : "No read on the map passes the filter."}
          </p>
        )}
        {popupAt && size && shownRow !== undefined && (
          <MapPopup
            store={store}
            rows={rows}
            row={shownRow}
            at={popupAt}
            size={size}
            onRow={store.setCurrent}
            onOpen={onOpen}
            onTrack={setPlate}
            onClose={() => setPopup(null)}
          />
        )}
      </div>
      {span && (
        <TimeSlider
          points={points}
          passAnyTime={passAnyTime}
          span={span}
          from={filter.from}
          to={filter.to}
          shown={total}
          onChange={store.setFilter}
        />
      )}
      <SpotList
        counts={counts}
        total={total}
        nameOf={(spot) => orMissing(nameOf(spot))}
        onPick={(spot) => {
          openSpots([spot]);
          look(spot);
        }}
      />
    </div>
  );
}
