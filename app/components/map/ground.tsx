import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { paintBasemap, type TileImages } from "#app/components/map/paint/basemap.ts";
import { drawMarker, PROGRAM_COUNT, stampOf } from "#app/components/map/paint/marker-shapes.ts";
import { createRaster, type Raster, stampMarkers } from "#app/components/map/paint/markers.ts";
import { lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { Spinner } from "#app/components/ui/spinner.tsx";
import { tileZoom } from "#app/entities/search/map/basemap.ts";
import { frameOf } from "#app/entities/search/map/camera.ts";
import { timeSlice } from "#app/entities/search/map/points.ts";
import { Canvas } from "./canvas.tsx";
import type { Renderer } from "./renderer.ts";
import { DENSE_MARKER_PIXELS, FADED, MARKER_PIXELS, type Scene } from "./scene.ts";

const GpuMap = lazyPart(async () => (await import("#app/components/map/gpu/canvas.client.tsx")).default);

export type MapGroundProps = {
  scene: Scene | null;
  renderer: Renderer;
  onFail: () => void;
  children?: ReactNode;
};

/** Draws the base map and the markers with the chosen renderer. Children are drawn above them. */
export function MapGround({ scene, renderer, onFail, children }: MapGroundProps) {
  return (
    <div data-map-ground data-renderer={renderer} className="absolute inset-0 touch-none">
      {scene === null ? (
        <Waiting />
      ) : renderer === "canvas" ? (
        <CanvasMap scene={scene} />
      ) : (
        <Suspense fallback={<Waiting />}>
          <GpuMap scene={scene} onFail={onFail} />
        </Suspense>
      )}
      {children}
    </div>
  );
}

function Waiting() {
  return (
    <p className="absolute inset-0 flex items-center justify-center gap-2 text-muted">
      <Spinner /> Loading the map…
    </p>
  );
}

/** The map without a graphics card: the same base map and markers, drawn on two 2D canvases. */
function CanvasMap({ scene }: { scene: Scene }) {
  const { camera, size, basemap, palette } = scene;
  const tiles = useTiles(scene);
  const paintGround = useCallback(
    (context: CanvasRenderingContext2D) => paintBasemap(context, { basemap, palette, camera, size, tiles }),
    [basemap, palette, camera, size, tiles],
  );
  return (
    <>
      <Canvas name="ground" size={size} paint={paintGround} />
      <Markers scene={scene} />
    </>
  );
}

function Markers({ scene }: { scene: Scene }) {
  const { camera, size, palette, points, pass, from, to, density, isDense, isFaded } = scene;
  const raster = useRef<Raster | null>(null);
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const stamps = useMemo(() => {
    const pixels = isDense ? DENSE_MARKER_PIXELS : MARKER_PIXELS;
    return Array.from({ length: PROGRAM_COUNT }, (_, program) =>
      stampOf(drawMarker(program, { pixels, ratio, palette, withLetter: !isDense })),
    );
  }, [isDense, palette, ratio]);
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => {
      if (density !== "markers") return;
      const frame = frameOf(camera, size);
      const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
      if (raster.current?.width !== width || raster.current.height !== height) {
        raster.current = createRaster(width, height);
      }
      const slice = timeSlice(points, from, to);
      stampMarkers(raster.current, { points, slice, pass, frame, ratio, stamps });
      context.putImageData(raster.current.image, 0, 0);
    },
    [camera, size, points, pass, from, to, density, ratio, stamps],
  );
  return <Canvas name="markers" size={size} paint={paint} opacity={isFaded ? FADED : 1} />;
}

/** Number of tiles in memory; the oldest is dropped first. */
const KEPT_TILES = 400;
/** A tile that failed is requested again when the map is drawn after this time. Empty tiles fail, too. */
const TRY_AGAIN_MS = 5_000;

function useTiles({ basemap: { info }, camera }: Scene): TileImages | undefined {
  const images = useRef(new Map<string, HTMLImageElement | null>());
  const [arrived, setArrived] = useState(0);
  const isRaster = info.kind === "raster";
  const zoom = tileZoom(info, camera.zoom);
  const alive = useRef(true);
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);
  return useMemo(() => {
    void arrived;
    if (!isRaster || zoom === undefined) return undefined;
    return {
      zoom,
      get: (z, x, y) => {
        const key = `${z}/${x}/${y}`;
        const known = images.current.get(key);
        if (known !== undefined) return known ?? undefined;
        images.current.set(key, null);
        const oldest = images.current.keys().next().value;
        if (images.current.size > KEPT_TILES && oldest !== undefined) images.current.delete(oldest);
        const image = new Image();
        image.onload = () => {
          images.current.set(key, image);
          if (alive.current) setArrived((count) => count + 1);
        };
        image.onerror = () => setTimeout(() => images.current.delete(key), TRY_AGAIN_MS);
        image.src = `/map/tiles/${key}`;
        return undefined;
      },
    };
  }, [isRaster, zoom, arrived]);
}
