import type { LayersList } from "@deck.gl/core";
import { DataFilterExtension, type DataFilterExtensionProps } from "@deck.gl/extensions";
import { IconLayer } from "@deck.gl/layers";
import { MapLibreOverlay, type MapLibreOverlayProps } from "@deck.gl/maplibre";
import * as maplibre from "maplibre-gl";
import { at } from "#app/lib/at.ts";
import "maplibre-gl/dist/maplibre-gl.css";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url";
import { type CSSProperties, useEffect, useMemo, useRef } from "react";
import { Map as MapLibreMap, useControl } from "react-map-gl/maplibre";
import { drawMarker, PROGRAM_COUNT } from "#app/components/map/paint/marker-shapes.ts";
import type { Palette } from "#app/components/map/paint/palette.ts";
import { DENSE_MARKER_PIXELS, FADED, MARKER_PIXELS, type Scene } from "#app/components/map/scene.ts";
import { latitudeAt, longitudeAt, MAX_ZOOM } from "#app/entities/search/map/camera.ts";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import { embeddedSources, GPU_ZOOM_OFFSET, mapStyle } from "./style.ts";

maplibre.setWorkerUrl(workerUrl);

const FADED_STYLE: CSSProperties & Record<`--${string}`, number> = { "--faded": FADED };

/** The map on a graphics card: MapLibre draws the base map; deck.gl draws the markers and filters them by time. */
export default function GpuMap({ scene, onFail }: { scene: Scene; onFail: () => void }) {
  const { camera, basemap, palette } = scene;
  const sources = useMemo(() => embeddedSources(basemap), [basemap]);
  const style = useMemo(() => mapStyle(basemap, palette, sources), [basemap, palette, sources]);
  const box = useRef<HTMLDivElement>(null);
  // The card is lost when a computer sleeps or a driver restarts. deck.gl does not draw its markers again after that.
  useEffect(() => {
    const element = box.current;
    element?.addEventListener("webglcontextlost", onFail, { capture: true });
    return () => element?.removeEventListener("webglcontextlost", onFail, { capture: true });
  }, [onFail]);
  return (
    <div
      ref={box}
      className="pointer-events-none absolute inset-0 isolate data-faded:[&_canvas:not(.maplibregl-canvas)]:opacity-(--faded)"
      style={FADED_STYLE}
      data-layer="gpu"
      // Fades the whole canvas: hundreds of faded markers on one spot would add up to a solid one.
      data-faded={scene.isFaded || undefined}
    >
      <MapLibreMap
        mapLib={maplibre}
        longitude={camera.longitude}
        latitude={camera.latitude}
        zoom={camera.zoom + GPU_ZOOM_OFFSET}
        maxZoom={MAX_ZOOM + GPU_ZOOM_OFFSET}
        mapStyle={style}
        interactive={false}
        attributionControl={false}
        fadeDuration={0}
        onError={({ error }) => {
          // Only a missing WebGL context is fatal; a missing tile is not.
          if (/webgl|gpu|context/i.test(`${error.name} ${error.message}`)) onFail();
        }}
      >
        <DeckOverlay layers={useLayers(scene)} />
      </MapLibreMap>
    </div>
  );
}

function DeckOverlay({ layers }: { layers: LayersList }) {
  const props: MapLibreOverlayProps = { interleaved: false, layers, _animate: false };
  const overlay = useControl(() => new MapLibreOverlay(props));
  useEffect(() => {
    overlay.setProps({ layers });
  }, [overlay, layers]);
  return null;
}

const filter = new DataFilterExtension({ filterSize: 2, countItems: false });

/** Times are seconds since the first read: 32-bit floats are exact for half a year of seconds, but not since 1970. */
const NO_TIME = -3e38;
const OPEN: [number, number] = [-3.3e38, 3.3e38];

type ProgramData = { count: number; positions: Float64Array; filterValues: Float32Array };

/** Returns the GPU attributes of one program's markers. */
function programData(points: MapPoints, passAnyTime: Uint8Array, program: number): ProgramData {
  const members: number[] = [];
  for (let point = 0; point < points.count; point++) {
    if (points.programs[point] === program) members.push(point);
  }
  const positions = new Float64Array(members.length * 2);
  const filterValues = new Float32Array(members.length * 2);
  const origin = points.timed > 0 ? at(points.times, 0) : 0;
  members.forEach((point, i) => {
    positions[i * 2] = longitudeAt(points.x[point] ?? 0);
    positions[i * 2 + 1] = latitudeAt(points.y[point] ?? 0);
    const time = points.times[point] ?? 0;
    filterValues[i * 2] = Number.isNaN(time) ? NO_TIME : (time - origin) / 1000;
    filterValues[i * 2 + 1] = passAnyTime[points.rows[point] ?? 0] ?? 0;
  });
  return { count: members.length, positions, filterValues };
}

function deckData({ count, positions, filterValues }: ProgramData) {
  return {
    length: count,
    attributes: {
      getPosition: { value: positions, size: 2 },
      getFilterValue: { value: filterValues, size: 2 },
    },
  };
}

function useLayers(scene: Scene): LayersList {
  const { points, passAnyTime, palette, density, isDense, from, to } = scene;
  const byProgram = useMemo(
    () =>
      Array.from({ length: PROGRAM_COUNT }, (_, program) =>
        deckData(programData(points, passAnyTime, program)),
      ),
    [points, passAnyTime],
  );
  const atlases = useMemo(() => markerAtlases(palette, isDense), [palette, isDense]);
  return useMemo(() => {
    const origin = points.timed > 0 ? at(points.times, 0) : 0;
    const seconds = (time: number) => (time - origin) / 1000;
    const isOpen = from === null && to === null;
    const times: [number, number] = isOpen
      ? OPEN
      : [from === null ? -2.9e38 : seconds(from), to === null ? OPEN[1] : seconds(to)];
    const filterRange: [number, number][] = [times, [0.5, 1.5]];
    const shared = { extensions: [filter], filterRange };
    if (density !== "markers") return [];
    const pixels = isDense ? DENSE_MARKER_PIXELS : MARKER_PIXELS;
    return byProgram.map(
      (data, program) =>
        new IconLayer<unknown, DataFilterExtensionProps>({
          id: `markers-${program}`,
          data,
          ...shared,
          // deck.gl accepts a canvas here, but its types do not.
          iconAtlas: at(atlases, program) as never,
          iconMapping: { marker: iconOf(isDense) },
          getIcon: () => "marker",
          getSize: pixels,
          sizeUnits: "pixels",
        }),
    );
  }, [points, byProgram, atlases, density, isDense, from, to]);
}

const RATIO = 2;

function iconOf(isDense: boolean) {
  const side = (isDense ? DENSE_MARKER_PIXELS : MARKER_PIXELS) * RATIO;
  return { x: 0, y: 0, width: side, height: side, anchorX: side / 2, anchorY: side / 2, mask: false };
}

function markerAtlases(palette: Palette, isDense: boolean): HTMLCanvasElement[] {
  const pixels = isDense ? DENSE_MARKER_PIXELS : MARKER_PIXELS;
  return Array.from({ length: PROGRAM_COUNT }, (_, program) =>
    drawMarker(program, { pixels, ratio: RATIO, palette, withLetter: !isDense }),
  );
}
