import { Maximize, Minus, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { type Camera, MAX_ZOOM, MIN_ZOOM, scaleBar } from "#app/entities/search/map/camera.ts";

const BUTTON =
  "grid size-11 place-items-center border-b border-line bg-raised text-text last:border-b-0 hover:bg-hover disabled:opacity-40 [&_svg]:size-5";

export type ZoomButtonsProps = { zoom: number; onZoom: (steps: number) => void; onFit?: () => void };

/** Zoom buttons, 44 px for touch and gloves. */
export function ZoomButtons({ zoom, onZoom, onFit }: ZoomButtonsProps) {
  return (
    <div className="sheet absolute end-3 top-3 flex flex-col overflow-hidden !p-0">
      <MapButton label="Zoom in" disabled={zoom >= MAX_ZOOM} onPress={() => onZoom(1)}>
        <Plus />
      </MapButton>
      <MapButton label="Zoom out" disabled={zoom <= MIN_ZOOM} onPress={() => onZoom(-1)}>
        <Minus />
      </MapButton>
      {onFit && (
        <MapButton label="Show all reads" onPress={onFit}>
          <Maximize />
        </MapButton>
      )}
    </div>
  );
}

type MapButtonProps = { label: string; disabled?: boolean; onPress: () => void; children: ReactNode };

function MapButton({ label, disabled, onPress, children }: MapButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={BUTTON}
      disabled={disabled}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** A scale bar. */
export function ScaleBar({ camera }: { camera: Camera }) {
  const { pixels, label } = scaleBar(camera, 110);
  return (
    <div className="pointer-events-none absolute bottom-2 start-3">
      <span className="rounded-sm bg-raised/85 px-1 text-xs font-medium text-text">{label}</span>
      <div className="mt-0.5 h-1.5 border-2 border-t-0 border-text" style={{ width: pixels }} />
    </div>
  );
}

export function Attribution({ text }: { text: string }) {
  return (
    <p className="pointer-events-none absolute end-0 bottom-0 max-w-[65%] rounded-ss-sm text-end bg-raised/85 px-1.5 text-xs text-muted">
      {text}
    </p>
  );
}
