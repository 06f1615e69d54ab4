import type { KeyboardEvent, ReactNode, RefObject } from "react";
import { usePalette } from "#app/components/map/paint/palette.ts";
import { cx } from "#app/components/ui/cx.ts";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import { Attribution, ScaleBar, ZoomButtons } from "./controls.tsx";
import { MapGround } from "./ground.tsx";
import { type Renderer, useRenderer } from "./renderer.ts";
import type { Scene } from "./scene.ts";
import { useBasemap } from "./use-basemap.ts";
import type { CameraControl } from "./use-camera.ts";

export type PlaceMapProps = {
  box: RefObject<HTMLDivElement>;
  control: CameraControl | null;
  points: MapPoints;
  /** Whether the point is drawn as a marker. */
  marked: boolean;
  label: string;
  className: string;
  onKeyDown: (event: KeyboardEvent<HTMLDivElement>) => void;
  /** Rendered on the map, below the controls. */
  ground?: (scene: Scene, renderer: Renderer) => ReactNode;
  children: ReactNode | ((scene: Scene) => ReactNode);
};

/** A map of one location in a form or dialog, without search results. */
export function PlaceMap(props: PlaceMapProps) {
  const { box, control, points, marked, label, className, onKeyDown, ground, children } = props;
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
        {scene && ground?.(scene, shownBy)}
      </MapGround>
      {control && <ScaleBar camera={control.camera} />}
      {control && <ZoomButtons zoom={control.camera.zoom} onZoom={control.zoomBy} />}
      {basemap && <Attribution text={basemap.info.attribution} />}
      {typeof children === "function" ? scene && children(scene) : children}
    </div>
  );
}

const SHOWN = Uint8Array.of(1);
const HIDDEN = Uint8Array.of(0);
