import { useCallback, useMemo, useRef } from "react";
import { DETAIL_ZOOM, project, type Size } from "#app/entities/map-camera.ts";
import { onePoint } from "#app/entities/map-points.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search.ts";
import { paintBasemap, paintLabels } from "./basemap-painter.ts";
import { Canvas } from "./canvas.tsx";
import { Attribution, ScaleBar, ZoomButtons } from "./map-controls.tsx";
import { MapGround } from "./map-ground.tsx";
import { css, type Palette, usePalette } from "./palette.ts";
import { useRenderer } from "./renderer.ts";
import type { Scene } from "./scene.ts";
import { type Basemap, useBasemap } from "./use-basemap.ts";
import { useCamera } from "./use-camera.ts";

export type SmallMapProps = {
  latitude: number;
  longitude: number;
  program: SourceProgram;
  /** What stands over the marker: the plate. */
  label?: string;
};

const ALL = Uint8Array.of(1);

/** Where one read was: close, with an overview in the corner where the ground itself shows little. */
export default function SmallMap({ latitude, longitude, program, label }: SmallMapProps) {
  const palette = usePalette();
  const basemap = useBasemap();
  const { renderer, fail } = useRenderer();
  const box = useRef<HTMLDivElement>(null);
  const control = useCamera({ box, initial: () => ({ latitude, longitude, zoom: DETAIL_ZOOM }) });
  const points = useMemo(
    () => onePoint({ latitude, longitude, program: SOURCE_PROGRAMS.indexOf(program) }),
    [latitude, longitude, program],
  );
  const isVector = basemap?.info.kind === "vector";
  const scene: Scene | null =
    basemap && control
      ? {
          camera: control.camera,
          size: control.size,
          basemap,
          palette,
          points,
          pass: ALL,
          passAnyTime: ALL,
          from: null,
          to: null,
          density: "markers",
          isFaded: false,
          isDense: false,
        }
      : null;
  return (
    <div
      ref={box}
      role="application"
      aria-label="Map of the place of this read. Arrows move, plus and minus zoom."
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the keys that zoom and pan
      tabIndex={0}
      className="relative h-64 w-full overflow-hidden rounded-sm border border-line bg-sunken"
      onKeyDown={(event) => {
        control?.onKeyDown(event);
        // The dialog's arrows go to the next read: not from here.
        if (event.defaultPrevented) event.stopPropagation();
      }}
    >
      <MapGround scene={scene} renderer={isVector ? renderer : "canvas"} onFail={fail}>
        {scene?.basemap.info.kind === "embedded" && <Names scene={scene} />}
      </MapGround>
      {scene && label && <MarkerLabel scene={scene} place={{ latitude, longitude }} text={label} />}
      {control && <ScaleBar camera={control.camera} />}
      {control && <ZoomButtons zoom={control.camera.zoom} onZoom={control.zoomBy} />}
      {basemap && <Attribution text={basemap.info.attribution} />}
      {basemap?.info.kind === "embedded" && (
        <Overview basemap={basemap} palette={palette} latitude={latitude} longitude={longitude} />
      )}
    </div>
  );
}

type MarkerLabelProps = { scene: Scene; place: { latitude: number; longitude: number }; text: string };

function MarkerLabel({ scene, place, text }: MarkerLabelProps) {
  const { x, y } = project(place, scene.camera, scene.size);
  return (
    <div
      className="sheet plate-text pointer-events-none absolute z-1 -translate-x-1/2 -translate-y-full px-2 py-0.5 text-sm whitespace-nowrap"
      style={{ left: x, top: y - 14 }}
    >
      {text}
    </div>
  );
}

function Names({ scene }: { scene: Scene }) {
  const { basemap, palette, camera, size } = scene;
  const paint = useCallback(
    (context: CanvasRenderingContext2D) =>
      paintLabels(context, { basemap, palette, camera, size, obstacles: [] }),
    [basemap, palette, camera, size],
  );
  return <Canvas name="names" size={size} paint={paint} />;
}

const OVERVIEW: Size = { width: 150, height: 112 };
const OVERVIEW_ZOOM = 8.6;

type OverviewProps = { basemap: Basemap; palette: Palette; latitude: number; longitude: number };

function Overview({ basemap, palette, latitude, longitude }: OverviewProps) {
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => {
      const camera = { latitude, longitude, zoom: OVERVIEW_ZOOM };
      const { x, y } = project({ latitude, longitude }, camera, OVERVIEW);
      paintBasemap(context, { basemap, palette, camera, size: OVERVIEW });
      const obstacles = [[x - 8, y - 8, x + 8, y + 8]] as const;
      paintLabels(context, { basemap, palette, camera, size: OVERVIEW, obstacles });
      context.beginPath();
      context.arc(x, y, 5, 0, Math.PI * 2);
      context.fillStyle = css(palette.hit);
      context.fill();
      context.strokeStyle = css(palette.ring);
      context.lineWidth = 2;
      context.stroke();
    },
    [basemap, palette, latitude, longitude],
  );
  return (
    <div
      className="pointer-events-none absolute start-2 top-2 overflow-hidden rounded-sm border border-line-strong"
      style={OVERVIEW}
    >
      <Canvas name="overview" size={OVERVIEW} paint={paint} />
    </div>
  );
}
