import { type ReactNode, type RefObject, useMemo, useRef, useState } from "react";
import type { CameraControl } from "#app/components/map/camera/use-camera.ts";
import { useViewCamera } from "#app/components/map/camera/use-view-camera.ts";
import type { ResultsStore } from "#app/components/search/results/state.ts";
import { orMissing } from "#app/components/search/sighting/text.ts";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { DEFAULT_CAMERA } from "#app/entities/search/map/camera.ts";
import { boundsOf, rowsOnSpots, spotPlace } from "#app/entities/search/map/points.ts";
import { wordAt } from "#app/entities/search/result-columns.ts";
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
import { type MapModel, useMapModel } from "./use-map-model.ts";
import { useMapPicture } from "./use-picture.ts";
import { useTrack } from "./use-track.ts";
import { pixelOf, spotMoves, spotWords, usePopup } from "./view-parts.ts";

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

export default function MapView({ store, onOpen, searched, plate, onPlate }: MapViewProps) {
  const model = useMapModel(store);
  const { shared, points, counts, total, span, currentSpot } = model;
  const { columns, pass, passAnyTime, filter, current, grown } = shared;
  const { renderer, fail, isFallback } = useRenderer();
  const [density, setDensity] = useState<Density>("markers");
  const [popup, setPopup] = usePopup({ points, grown });
  const [hovered, setHovered] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const map = useRef<HTMLDivElement>(null);
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
  const control = useViewCamera({
    box,
    latest,
    store,
    points,
    pass,
    plate,
    marks,
    currentSpot,
    onHover: (pixel) => setHovered(pixel ? (spots.near(pixel)[0] ?? null) : null),
    onClick: spots.press,
  });
  const rows = useMemo(() => (popup ? rowsOnSpots(points, popup.spots, pass) : []), [popup, points, pass]);
  const shownRow = current !== null && rows.includes(current) ? current : rows[0];
  const { scene, basemap, nameOf, paint, most } = useMapPicture({
    ...model,
    control,
    density,
    track: marks,
    hovered,
    renderer,
  });

  const popupAt =
    control && popup?.spots[0] !== undefined
      ? pixelOf(spotPlace(points, popup.spots[0]), control.camera, control.size)
      : null;

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
    spots.makeRoom(read.spot);
  }

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
          <MapKeys
            element={map}
            total={total}
            isOnSpot={hovered !== null}
            control={control}
            onStep={spots.step}
            onEnter={
              shownRow !== undefined && popup
                ? () => onOpen(shownRow)
                : currentSpot !== null
                  ? () => spots.open([currentSpot])
                  : undefined
            }
            onEscape={popup ? () => setPopup(null) : undefined}
          >
            <MapGround scene={scene} renderer={renderer} onFail={fail}>
              {scene && control && <Canvas name="marks" size={control.size} paint={paint} />}
            </MapGround>
          </MapKeys>
          <MapOverlays
            model={model}
            control={control}
            isFallback={isFallback}
            attribution={basemap?.info.attribution}
          />
          {popup && popupAt && control && shownRow !== undefined && (
            <MapPopup
              store={store}
              rows={rows}
              row={shownRow}
              at={popupAt}
              size={control.size}
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
          spots.makeRoom(spot);
        }}
      />
    </div>
  );
}

type MapKeysProps = {
  element: RefObject<HTMLDivElement>;
  /** Number of reads on the map. */
  total: number;
  /** The pointer is on a spot. */
  isOnSpot: boolean;
  control: CameraControl | null;
  onStep: (by: 1 | -1) => void;
  onEnter?: () => void;
  onEscape?: () => void;
  children: ReactNode;
};

/** The part of the map that has the focus and handles its keys. */
function MapKeys({ element, total, isOnSpot, control, onStep, onEnter, onEscape, children }: MapKeysProps) {
  return (
    <div
      ref={element}
      role="application"
      aria-label={`Map with ${counted(total, "read")}. Arrow keys move, plus and minus zoom, n and p step through the markers, Enter opens.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it handles the keys that zoom and pan
      tabIndex={0}
      className={isOnSpot ? "absolute inset-0 cursor-pointer" : "absolute inset-0 cursor-grab"}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        // Ignore keys pressed on controls within the map, such as Try again.
        if (event.target !== event.currentTarget) return;
        if (event.key === "n" || event.key === "p") onStep(event.key === "n" ? 1 : -1);
        else if (event.key === "Enter" && onEnter) onEnter();
        else if (event.key === "Escape" && onEscape) onEscape();
        else return control?.onKeyDown(event);
        event.preventDefault();
      }}
    >
      {children}
    </div>
  );
}

type MapOverlaysProps = {
  model: MapModel;
  control: CameraControl | null;
  /** WebGL is not available. */
  isFallback: boolean;
  attribution: string | undefined;
};

/** Scale, attribution, zoom buttons and notices above the map. */
function MapOverlays({ model, control, isFallback, attribution }: MapOverlaysProps) {
  const { shared, points, total } = model;
  return (
    <>
      {isFallback && (
        <p className="sheet pointer-events-none absolute start-2 top-2 max-w-[60%] px-2 py-1 text-xs text-muted">
          WebGL is not available. The map is drawn on a 2D canvas.
        </p>
      )}
      {control && <ScaleBar camera={control.camera} />}
      {attribution !== undefined && <Attribution text={attribution} />}
      {control && (
        <ZoomButtons
          zoom={control.camera.zoom}
          onZoom={control.zoomBy}
          onFit={() => {
            const bounds = boundsOf(points, shared.pass);
            if (bounds) control.fit(bounds);
            else control.goTo(DEFAULT_CAMERA);
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
    </>
  );
}
