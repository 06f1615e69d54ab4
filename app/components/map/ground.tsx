import { lazy, type ReactNode, Suspense } from "react";
import { Spinner } from "#app/components/ui/spinner.tsx";
import { CanvasMap } from "./canvas-view.tsx";
import type { Renderer } from "./renderer.ts";
import type { Scene } from "./scene.ts";

const GpuMap = lazy(() => import("#app/components/map/gpu/canvas.client.tsx"));

export type MapGroundProps = {
  scene: Scene | null;
  renderer: Renderer;
  onFail: () => void;
  children?: ReactNode;
};

/** Ground and markers by whichever renderer there is; what lies above them are the children. */
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
      <Spinner /> Drawing the map…
    </p>
  );
}
