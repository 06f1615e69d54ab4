import { type KeyboardEvent, type ReactNode, type RefObject, useCallback } from "react";
import { paintLabels } from "#app/components/map/paint/basemap.ts";
import { usePalette } from "#app/components/map/paint/palette.ts";
import type { CameraControl } from "#app/components/map/use-camera.ts";
import { cx } from "#app/components/ui/cx.ts";
import { project } from "#app/entities/search/map/camera.ts";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import type { Place } from "#app/entities/search/sighting.ts";
import { Canvas } from "./canvas.tsx";
import { Attribution, ScaleBar, ZoomButtons } from "./controls.tsx";
import { MapGround } from "./ground.tsx";
import { hasOwnNames, useRenderer } from "./renderer.ts";
import { MARKER_PIXELS, type Scene } from "./scene.ts";
import { useBasemap } from "./use-basemap.ts";

export type PlaceMapProps = {
  box: RefObject<HTMLDivElement>;
  control: CameraControl | null;
  points: MapPoints;
  /** Whether the point is drawn as a marker. */
  marked: boolean;
  /** Places that are drawn above the map; names keep clear of them. */
  clear?: readonly Place[];
  label: string;
  className: string;
  onKeyDown: (event: KeyboardEvent<HTMLDivElement>) => void;
  children: ReactNode | ((scene: Scene) => ReactNode);
};

/** A map of one location in a form or dialog, without search results. */
export function PlaceMap(props: PlaceMapProps) {
  const { box, control, points, marked, clear = NOWHERE, label, className, onKeyDown, children } = props;
  const palette = usePalette();
  const basemap = useBasemap();
  const { renderer, fail } = useRenderer();
  const shownBy = basemap?.info.kind === "vector" ? renderer : "canvas";
  const pass = marked ? SHOWN : HIDDEN;
  const scene: Scene | null =
    basemap && control
      ? {
          camera: control.camera,
          size: control.size,
          basemap,
          palette,
          points,
          pass,
          passAnyTime: pass,
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
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the keys that zoom and pan
      tabIndex={0}
      className={cx("relative w-full overflow-hidden rounded-sm border border-line bg-sunken", className)}
      onKeyDown={onKeyDown}
    >
      <MapGround scene={scene} renderer={shownBy} onFail={fail}>
        {scene && !hasOwnNames(scene.basemap.info.kind, shownBy) && <Names scene={scene} clear={clear} />}
      </MapGround>
      {control && <ScaleBar camera={control.camera} />}
      {control && <ZoomButtons zoom={control.camera.zoom} onZoom={control.zoomBy} />}
      {basemap && <Attribution text={basemap.info.attribution} />}
      {typeof children === "function" ? scene && children(scene) : children}
    </div>
  );
}

/** The names of places, for base maps without their own. */
function Names({ scene, clear }: { scene: Scene; clear: readonly Place[] }) {
  const { basemap, palette, camera, size } = scene;
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => {
      const obstacles = clear.map((place) => {
        const { x, y } = project(place, camera, size);
        const half = MARKER_PIXELS / 2;
        return [x - half, y - half, x + half, y + half] as const;
      });
      paintLabels(context, { basemap, palette, camera, size, obstacles });
    },
    [basemap, palette, camera, size, clear],
  );
  return <Canvas name="names" size={size} paint={paint} />;
}

const NOWHERE: readonly Place[] = [];
const SHOWN = Uint8Array.of(1);
const HIDDEN = Uint8Array.of(0);
