import { useCallback, useMemo, useRef } from "react";
import { paintBasemap, paintLabels } from "#app/components/map/paint/basemap.ts";
import { css } from "#app/components/map/paint/palette.ts";
import { useCamera } from "#app/components/map/use-camera.ts";
import { DETAIL_ZOOM, project, type Size } from "#app/entities/search/map/camera.ts";
import { onePoint } from "#app/entities/search/map/points.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";
import type { Place } from "#app/entities/search/sighting.ts";
import { Canvas } from "./canvas.tsx";
import { PlaceMap } from "./place.tsx";
import type { Scene } from "./scene.ts";

export type SmallMapProps = Place & {
  program: SourceProgram;
  /** Text above the marker: the plate. */
  label?: string;
};

/** A close map of one read, with an overview in the corner if the embedded base map has no detail. */
export default function SmallMap({ latitude, longitude, program, label }: SmallMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const control = useCamera({ box, initial: () => ({ latitude, longitude, zoom: DETAIL_ZOOM }) });
  const points = useMemo(
    () => onePoint({ latitude, longitude, program: SOURCE_PROGRAMS.indexOf(program) }),
    [latitude, longitude, program],
  );
  const clear = useMemo(() => [{ latitude, longitude }], [latitude, longitude]);
  return (
    <PlaceMap
      box={box}
      control={control}
      points={points}
      marked
      clear={clear}
      label="Map of the location of this read. Arrow keys move, plus and minus zoom."
      className="h-64"
      onKeyDown={(event) => {
        control?.onKeyDown(event);
        // The dialog's arrow keys open the next read; on the map they pan.
        if (event.defaultPrevented) event.stopPropagation();
      }}
    >
      {(scene) => (
        <>
          {label && <MarkerLabel scene={scene} place={{ latitude, longitude }} text={label} />}
          {scene.basemap.info.kind === "embedded" && (
            <Overview scene={scene} latitude={latitude} longitude={longitude} />
          )}
        </>
      )}
    </PlaceMap>
  );
}

type MarkerLabelProps = { scene: Scene; place: Place; text: string };

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

const OVERVIEW: Size = { width: 150, height: 112 };
const OVERVIEW_ZOOM = 8.6;

type OverviewProps = Place & { scene: Scene };

function Overview({ scene, latitude, longitude }: OverviewProps) {
  const { basemap, palette } = scene;
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
