import { type ReactNode, type RefObject, useRef, useState } from "react";
import type { CameraControl } from "#app/components/map/use-camera.ts";
import type { ResultsStore } from "#app/components/search/results/state.ts";
import { orMissing } from "#app/components/search/sighting/text.ts";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { DEFAULT_CAMERA } from "#app/entities/search/map/camera.ts";
import { boundsOf } from "#app/entities/search/map/points.ts";
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
import { type Spots, spotWords, useSpots } from "./use-spots.ts";
import { useTrack } from "./use-track.ts";

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
  const { shared, points, counts, total, span } = model;
  const { columns, passAnyTime, filter } = shared;
  const { marks, trips, candidate, steps, playing } = useTrack({ shared, points, plate, searched });
  const spots = useSpots({ store, model, plate, marks });
  const rendering = useRenderer();
  const [density, setDensity] = useState<Density>("markers");
  const picture = useMapPicture({
    ...model,
    control: spots.control,
    density,
    track: marks,
    hovered: spots.hovered,
    renderer: rendering.renderer,
  });
  const keys = useRef<HTMLDivElement>(null);

  function showTrack(plate: string | null) {
    spots.close();
    onPlate(plate);
    keys.current?.focus({ preventScroll: true });
  }

  return (
    // Positioned, so that screen reader texts scroll with it instead of making the page longer. Focused elements are
    // scrolled above the time slider.
    <div className="relative min-h-0 flex-1 scroll-pb-24 overflow-auto has-[[aria-expanded=true]]:scroll-pb-52">
      <MapToolbar
        store={store}
        density={density}
        onDensity={setDensity}
        most={picture.most}
        hasDensity={points.count >= DENSE_READS}
        plate={plate}
        candidate={candidate}
        onTrack={showTrack}
        onStep={spots.step}
        unplaced={columns.count - points.count}
      />
      <div className="lg:flex">
        <MapBox {...{ store, model, spots, rendering, picture, keys }} onOpen={onOpen} onTrack={showTrack} />
        {plate !== null && marks && (
          <TrackPanel
            plate={plate}
            track={marks.track}
            shown={marks.shown}
            trips={trips}
            cameraOf={(row) => orMissing(wordAt(columns, "camera", row))}
            onPick={spots.openRead}
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
        {spots.row !== undefined ? spotWords(columns, spots.row, spots.rows.length) : ""}
      </LiveRegion>
      <SpotList
        counts={counts}
        total={total}
        nameOf={(spot) => orMissing(picture.nameOf(spot))}
        onPick={(spot) => {
          spots.open([spot]);
          spots.makeRoom(spot);
        }}
      />
    </div>
  );
}

type MapBoxProps = Pick<MapViewProps, "store" | "onOpen"> & {
  model: MapModel;
  spots: Spots;
  rendering: ReturnType<typeof useRenderer>;
  picture: ReturnType<typeof useMapPicture>;
  /** The element that has the focus and handles the keys. */
  keys: RefObject<HTMLDivElement>;
  onTrack: (plate: string) => void;
};

/** The map itself, with its controls and the popup of a spot. */
function MapBox({ store, model, spots, rendering, picture, keys, onOpen, onTrack }: MapBoxProps) {
  const { control, popup, rows, row } = spots;
  const { currentSpot } = model;
  const { scene, basemap, paint } = picture;

  /** Opens the read of the popup, or else the spot of the current read. */
  function open() {
    if (row !== undefined) onOpen(row);
    else if (currentSpot !== null) spots.open([currentSpot]);
  }

  return (
    <div ref={spots.box} className="relative h-[600px] min-w-0 flex-1 overflow-hidden bg-sunken">
      <MapKeys
        element={keys}
        total={model.total}
        isOnSpot={spots.hovered !== null}
        control={control}
        onStep={spots.step}
        onEnter={row === undefined && currentSpot === null ? undefined : open}
        onEscape={popup ? spots.close : undefined}
      >
        <MapGround scene={scene} renderer={rendering.renderer} onFail={rendering.fail}>
          {scene && control && <Canvas name="marks" size={control.size} paint={paint} />}
        </MapGround>
      </MapKeys>
      <MapOverlays
        model={model}
        control={control}
        isFallback={rendering.isFallback}
        attribution={basemap?.info.attribution}
      />
      {popup && spots.at && control && row !== undefined && (
        <MapPopup
          store={store}
          rows={rows}
          row={row}
          at={spots.at}
          size={control.size}
          onRow={store.setCurrent}
          onOpen={onOpen}
          opening={popup}
          onTrack={onTrack}
          onClose={spots.close}
        />
      )}
    </div>
  );
}

type MapKeysProps = {
  element: RefObject<HTMLDivElement>;
  /** The number of reads on the map. */
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
