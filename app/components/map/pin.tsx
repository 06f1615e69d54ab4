import { MapPin } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef } from "react";
import { useCamera } from "#app/components/map/use-camera.ts";
import { DEFAULT_CAMERA, type Pixel, project, unproject } from "#app/entities/search/map/camera.ts";
import { onePoint } from "#app/entities/search/map/points.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";
import type { Place } from "#app/entities/search/sighting.ts";
import { sixDecimals } from "#app/lib/degrees.ts";
import { PlaceMap } from "./place.tsx";

export type PinMapProps = {
  place: Place | null;
  program: SourceProgram;
  onMove: (place: Place) => void;
};

/** Close enough to see both sides of a street. */
const PIN_ZOOM = 15;
const KEY_PIXELS = 4;
const KEYS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** A map with one pin. Drag it, move it with the arrow keys while it has the focus, or click a new location. */
export default function PinMap({ place, program, onMove }: PinMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const grip = useRef<Pixel | null>(null);
  const moveTo = (pixel: Pixel) => {
    if (!control) return;
    const { latitude, longitude } = unproject(pixel, control.camera, control.size);
    onMove({ latitude: sixDecimals(latitude), longitude: sixDecimals(longitude) });
  };
  const control = useCamera({
    box,
    initial: () => (place ? { ...place, zoom: PIN_ZOOM } : DEFAULT_CAMERA),
    onClick: moveTo,
  });
  // The map draws no marker; the pin is a button above it.
  const points = useMemo(
    () => onePoint({ ...DEFAULT_CAMERA, program: SOURCE_PROGRAMS.indexOf(program) }),
    [program],
  );
  const pin = place && control && project(place, control.camera, control.size);
  const isOutside =
    pin && (pin.x < 0 || pin.y < 0 || pin.x > control.size.width || pin.y > control.size.height);

  // Typed coordinates move the map if the pin would be outside; panning the map does not.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the coordinates change
  useEffect(() => {
    if (isOutside && place && !grip.current) control?.goTo(place);
  }, [place?.latitude, place?.longitude]);

  function onPointerDown(event: PointerEvent<HTMLButtonElement>) {
    if (event.button !== 0 || !pin) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = { x: event.clientX - pin.x, y: event.clientY - pin.y };
  }
  function onPointerMove(event: PointerEvent<HTMLButtonElement>) {
    if (grip.current) moveTo({ x: event.clientX - grip.current.x, y: event.clientY - grip.current.y });
  }
  function onPinKey(event: KeyboardEvent<HTMLButtonElement>) {
    const by = KEYS[event.key];
    if (!by || !pin) return;
    event.preventDefault();
    event.stopPropagation();
    const step = event.shiftKey ? KEY_PIXELS * 8 : KEY_PIXELS;
    moveTo({ x: pin.x + by[0] * step, y: pin.y + by[1] * step });
  }

  return (
    <PlaceMap
      box={box}
      control={control}
      points={points}
      marked={false}
      label="Map to place the camera. Arrow keys move the map, plus and minus zoom. Focus the pin to move it with the arrow keys."
      className="h-72"
      onKeyDown={(event) => control?.onKeyDown(event)}
    >
      {pin && !isOutside && (
        <button
          type="button"
          aria-label="Camera pin. Drag it or use the arrow keys"
          className="absolute size-9 -translate-x-1/2 -translate-y-full cursor-grab touch-none rounded-full text-hit active:cursor-grabbing"
          style={{ left: pin.x, top: pin.y }}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={() => {
            grip.current = null;
          }}
          onPointerCancel={() => {
            grip.current = null;
          }}
          onKeyDown={onPinKey}
        >
          <MapPin aria-hidden="true" className="size-9 fill-raised" />
        </button>
      )}
    </PlaceMap>
  );
}
