import { useEffect, useMemo, useRef, useState } from "react";
import { type CameraControl, useCamera } from "#app/components/map/camera/use-camera.ts";
import { isSelected } from "#app/components/search/results/selection.ts";
import type { ResultsStore } from "#app/components/search/results/state.ts";
import { orMissing } from "#app/components/search/sighting/text.ts";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import {
  type Camera,
  DEFAULT_CAMERA,
  fittedCamera,
  frameOf,
  latitudeAt,
  longitudeAt,
  type Size,
} from "#app/entities/search/map/camera.ts";
import {
  boundsOf,
  countBySpot,
  mapPoints,
  rowsOnSpots,
  spotPlace,
  timeRange,
} from "#app/entities/search/map/points.ts";
import { boundsOfTrack } from "#app/entities/search/map/track.ts";
import { wordAt } from "#app/entities/search/result-columns.ts";
import { at } from "#app/lib/at.ts";
import { counted } from "#app/lib/number-text.ts";
import { Canvas } from "./canvas.tsx";
import { Attribution, ScaleBar, ZoomButtons } from "./controls.tsx";
import { MapGround } from "./ground.tsx";
import { SpotList, TrackPanel } from "./lists.tsx";
import { MapPopup } from "./popup.tsx";
import { useRenderer } from "./renderer.ts";
import type { Density } from "./scene.ts";
import { TimeSlider } from "./time-slider.tsx";
import { MapToolbar } from "./toolbar.tsx";
import { useMapPicture } from "./use-picture.ts";
import { useTrack } from "./use-track.ts";
import { pixelOf, spotMoves, spotWords, usePopup, useShared } from "./view-parts.ts";

export type MapViewProps = {
  store: ResultsStore;
  onOpen: (row: number) => void;
  /** The plate that was searched, in canonical form; "" if none was. Its track is offered. */
  searched: string;
  /** The plate whose track is shown. */
  plate: string | null;
  onPlate: (plate: string | null) => void;
};

/** Heat and hexagons need at least this many reads. */
const DENSE_READS = 200;

/** The last camera of each search and the track it showed, for the lifetime of the page. */
const cameras = new WeakMap<object, { camera: Camera; plate: string | null }>();

export default function MapView({ store, onOpen, searched, plate, onPlate }: MapViewProps) {
  const shared = useShared(store);
  const { columns, latest: latestTime, pass, passAnyTime, filter, selection, current, grown } = shared;
  const points = useMemo(() => mapPoints(columns, latestTime), [columns, latestTime]);
  const { counts, total } = useMemo(() => countBySpot(points, pass), [points, pass]);
  const { counts: countsAnyTime } = useMemo(() => countBySpot(points, passAnyTime), [points, passAnyTime]);
  const span = useMemo(() => timeRange(points), [points]);
  const { renderer, fail, isFallback } = useRenderer();
  const [density, setDensity] = useState<Density>("markers");
  const [popup, setPopup] = usePopup({ points, grown });
  const [hovered, setHovered] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const map = useRef<HTMLDivElement>(null);

  const currentSpot = useMemo(() => {
    const point = current === null ? -1 : (points.pointOfRow[current] ?? -1);
    return point < 0 ? null : at(points.spots, point);
  }, [points, current]);
  const latest = useRef<CameraControl | null>(null);
  const spots = spotMoves({
    store,
    points,
    counts,
    pass,
    current,
    currentSpot,
    popup,
    setPopup,
    control: () => latest.current,
  });
  const { marks, trips, candidate, steps, playing } = useTrack({ shared, points, plate, searched });
  const control = useCamera({
    box,
    initial: (size: Size) => {
      const kept = cameras.get(store.get().search);
      if (kept?.plate === plate) return kept.camera;
      const bounds = (marks && boundsOfTrack(marks.track)) ?? boundsOf(points, pass);
      return bounds ? fittedCamera(bounds, size) : DEFAULT_CAMERA;
    },
    onChange: (camera) => cameras.set(store.get().search, { camera, plate }),
    onHover: (pixel) => setHovered(pixel ? (spots.near(pixel)[0] ?? null) : null),
    onClick: spots.press,
  });
  latest.current = control;

  const rows = useMemo(() => (popup ? rowsOnSpots(points, popup.spots, pass) : []), [popup, points, pass]);
  const shownRow = current !== null && rows.includes(current) ? current : rows[0];
  const selectedSpots = useMemo(() => {
    if (selection.count === 0) return [];
    const spots = new Set<number>();
    for (let point = 0; point < points.count; point++) {
      const row = points.rows[point] ?? 0;
      if (pass[row] === 1 && isSelected(selection, row)) spots.add(points.spots[point] ?? 0);
    }
    return [...spots];
  }, [points, pass, selection]);

  // Fits the camera to a new track; later filter changes do not move it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the plate changes
  useEffect(() => {
    const bounds = marks && boundsOfTrack(marks.track);
    if (bounds) latest.current?.fit(bounds);
  }, [plate]);

  function showTrack(plate: string | null) {
    setPopup(null);
    onPlate(plate);
    map.current?.focus({ preventScroll: true });
  }

  function pickRead(index: number) {
    const read = marks?.track.reads[index];
    if (!read) return;
    // A read outside the chosen times is shown as well.
    if (pass[read.row] !== 1) {
      const { from, to } = filter;
      store.setFilter({
        from: from === null ? null : Math.min(from, read.time),
        to: to === null ? null : Math.max(to, read.time),
      });
    }
    store.setCurrent(read.row);
    setPopup({ spots: [read.spot] });
    spots.look(read.spot);
  }

  // Brings the current read of the table into view.
  useEffect(() => {
    const now = latest.current;
    if (!now || currentSpot === null) return;
    const place = spotPlace(points, currentSpot);
    const { scale, left, top } = frameOf(now.camera, now.size);
    const [x, y] = [place.x * scale + left, place.y * scale + top];
    if (x < 0 || y < 0 || x > now.size.width || y > now.size.height) {
      now.goTo({ longitude: longitudeAt(place.x), latitude: latitudeAt(place.y) });
    }
  }, [currentSpot, points]);

  const { scene, basemap, nameOf, paint, most } = useMapPicture({
    shared,
    points,
    counts,
    countsAnyTime,
    control,
    density,
    track: marks,
    selectedSpots,
    currentSpot,
    hovered,
    renderer,
  });
  const camera = control?.camera;
  const size = control?.size;
  const popupAt =
    popup && camera && size && popup.spots[0] !== undefined
      ? pixelOf(spotPlace(points, popup.spots[0]), camera, size)
      : null;

  return (
    // Positioned, so that the texts for screen readers scroll with it instead of making the page longer.
    <div className="relative min-h-0 flex-1 overflow-auto">
      <MapToolbar
        store={store}
        density={density}
        onDensity={setDensity}
        most={most}
        hasDensity={points.count >= DENSE_READS}
        plate={plate}
        candidate={candidate}
        onTrack={showTrack}
        onStep={spots.step}
        unplaced={columns.count - points.count}
      />
      <div className="lg:flex">
        <div ref={box} className="relative h-[600px] min-w-0 flex-1 overflow-hidden bg-sunken">
          <div
            ref={map}
            role="application"
            aria-label={`Map with ${counted(total, "read")}. Arrow keys move, plus and minus zoom, n and p step through the markers, Enter opens.`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it handles the keys that zoom and pan
            tabIndex={0}
            className={hovered === null ? "absolute inset-0 cursor-grab" : "absolute inset-0 cursor-pointer"}
            onKeyDown={(event) => {
              if (event.ctrlKey || event.metaKey || event.altKey) return;
              // The button that loads the map's code again has keys of its own.
              if (event.target !== event.currentTarget) return;
              if (event.key === "n" || event.key === "p") spots.step(event.key === "n" ? 1 : -1);
              else if (event.key === "Enter" && shownRow !== undefined && popup) onOpen(shownRow);
              else if (event.key === "Enter" && currentSpot !== null) spots.open([currentSpot]);
              else if (event.key === "Escape" && popup) setPopup(null);
              else return control?.onKeyDown(event);
              event.preventDefault();
            }}
          >
            <MapGround scene={scene} renderer={renderer} onFail={fail}>
              {scene && size && <Canvas name="marks" size={size} paint={paint} />}
            </MapGround>
          </div>
          {isFallback && (
            <p className="sheet pointer-events-none absolute start-2 top-2 max-w-[60%] px-2 py-1 text-xs text-muted">
              WebGL is not available. The map is drawn on a 2D canvas.
            </p>
          )}
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
                ? "None of these reads has a location."
                : "No reads on the map match the filter."}
            </p>
          )}
          {popup && popupAt && size && shownRow !== undefined && (
            <MapPopup
              store={store}
              rows={rows}
              row={shownRow}
              at={popupAt}
              size={size}
              onRow={store.setCurrent}
              onOpen={onOpen}
              opening={popup}
              onTrack={showTrack}
              onClose={() => setPopup(null)}
            />
          )}
        </div>
        {plate !== null && marks && (
          <TrackPanel
            plate={plate}
            track={marks.track}
            shown={marks.shown}
            trips={trips}
            cameraOf={(row) => orMissing(wordAt(columns, "camera", row))}
            onPick={pickRead}
            onClose={() => showTrack(null)}
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
          steps={steps}
          playing={playing}
          onChange={store.setFilter}
        />
      )}
      <LiveRegion>
        {popup && shownRow !== undefined ? spotWords(columns, shownRow, rows.length) : ""}
      </LiveRegion>
      <SpotList
        counts={counts}
        total={total}
        nameOf={(spot) => orMissing(nameOf(spot))}
        onPick={(spot) => {
          spots.open([spot]);
          spots.look(spot);
        }}
      />
    </div>
  );
}
