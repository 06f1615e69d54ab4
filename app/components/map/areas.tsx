import { Circle as CircleIcon, Hand, Square } from "lucide-react";
import { type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { useCamera } from "#app/components/map/use-camera.ts";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import type { Area, Box, Circle, ListedCamera } from "#app/entities/search/investigate/areas.ts";
import {
  type Bounds,
  type Camera,
  DEFAULT_CAMERA,
  milesBetween,
  type Pixel,
  project,
  type Size,
  unproject,
} from "#app/entities/search/map/camera.ts";
import { onePoint } from "#app/entities/search/map/points.ts";
import { PlaceMap } from "./place.tsx";

/** A numbered mark on the map; marks of one group have one color. */
export type AreaMark = { latitude: number; longitude: number; label: string; title: string; strong: boolean };

export type AreaMapProps = {
  areas: readonly (Area | undefined)[];
  /** Cameras with known locations, drawn as dots. */
  cameras?: readonly ListedCamera[];
  marks?: readonly AreaMark[];
  /** The place that drawing changes. */
  active?: number;
  /** Called with what the user drew. Without it, nothing can be drawn. */
  onDraw?: (area: Area) => void;
  className?: string;
};

const MODES = [
  { value: "move", label: "Move", icon: <Hand /> },
  { value: "circle", label: "Draw circle", icon: <CircleIcon /> },
  { value: "box", label: "Draw box", icon: <Square /> },
] as const;
type Mode = (typeof MODES)[number]["value"];

const NO_MARKS: readonly AreaMark[] = [];
const DEGREES_PER_MILE = 1 / 69;

/** A map of places, on which circles and boxes are drawn by dragging. The form has fields for the same values. */
export default function AreaMap({
  areas,
  cameras = [],
  marks = NO_MARKS,
  active = 0,
  onDraw,
  className = "h-96",
}: AreaMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const [mode, setMode] = useState<Mode>("move");
  const control = useCamera({ box, initial: () => DEFAULT_CAMERA });
  const points = useMemo(() => onePoint({ ...DEFAULT_CAMERA, program: 0 }), []);
  const bounds = useMemo(() => boundsOfAll(areas, cameras, marks), [areas, cameras, marks]);
  const isReady = control !== null;
  const showAll = control?.fit;
  const shown = bounds && `${bounds.north},${bounds.south},${bounds.east},${bounds.west}`;

  // Fits the map when the extent changes, but does not move it while the user draws.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the extent changes
  useEffect(() => {
    if (isReady && bounds && mode === "move") showAll?.(bounds);
  }, [isReady, shown]);

  const { drawn, handlers } = useDrawing({
    mode,
    view: control,
    onDrawn: (area) => {
      onDraw?.(area);
      setMode("move");
    },
  });

  return (
    <div className="flex flex-col gap-2">
      {onDraw && (
        <div className="flex flex-wrap items-center gap-2">
          <Segmented label="Map tool" options={MODES} value={mode} onSelect={setMode} />
          <span className="text-sm text-muted">{`Drawing sets place ${active + 1}.`}</span>
        </div>
      )}
      <PlaceMap
        box={box}
        control={control}
        points={points}
        marked={false}
        clear={marks}
        label="Map of the places. Arrow keys move, plus and minus zoom. Circles and boxes can also be typed in the fields."
        className={className}
        onKeyDown={(event) => control?.onKeyDown(event)}
      >
        {/* Before the base map has loaded, too: a drag would move the map instead of drawing. */}
        {control && (
          <>
            <svg
              aria-hidden="true"
              className="pointer-events-none absolute inset-0 size-full"
              viewBox={`0 0 ${control.size.width} ${control.size.height}`}
            >
              {cameras.map((camera) => (
                <CameraDot key={camera.id} at={camera} view={control} picked={isPicked(camera.id, areas)} />
              ))}
              {[...areas.entries()].map(([i, area]) => (
                <AreaShape key={i} area={area} label={String(i + 1)} view={control} strong={i === active} />
              ))}
              {drawn && <AreaShape area={drawn} label="" view={control} strong />}
            </svg>
            {marks.map((mark) => (
              <MarkDot key={`${mark.label} ${mark.title}`} mark={mark} view={control} />
            ))}
            {mode !== "move" && onDraw && (
              <div className="absolute inset-0 cursor-crosshair touch-none" {...handlers} />
            )}
          </>
        )}
      </PlaceMap>
    </div>
  );
}

type View = { camera: Camera; size: Size };

/** Draws an area by dragging. `drawn` is the area so far; `onDrawn` gets it at the end of the drag. */
function useDrawing({
  mode,
  view,
  onDrawn,
}: {
  mode: Mode;
  view: View | null;
  onDrawn: (area: Area) => void;
}) {
  const [drag, setDrag] = useState<{ from: Pixel; to: Pixel } | null>(null);
  const at = (event: PointerEvent<HTMLDivElement>): Pixel => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  return {
    drawn: drag && view && mode !== "move" ? areaOf(mode, drag, view) : null,
    handlers: {
      onPointerDown(event: PointerEvent<HTMLDivElement>) {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: at(event), to: at(event) });
      },
      onPointerMove(event: PointerEvent<HTMLDivElement>) {
        const to = at(event);
        setDrag((last) => last && { ...last, to });
      },
      onPointerCancel: () => setDrag(null),
      onPointerUp(event: PointerEvent<HTMLDivElement>) {
        const area = drag && view ? areaOf(mode, { ...drag, to: at(event) }, view) : null;
        setDrag(null);
        if (area) onDrawn(area);
      },
    },
  };
}

function MarkDot({ mark, view }: { mark: AreaMark; view: View }) {
  const { x, y } = project(mark, view.camera, view.size);
  return (
    <span
      title={mark.title}
      className={`pointer-events-auto absolute grid min-w-6 -translate-1/2 place-items-center rounded-full border-2 border-raised px-1 text-xs font-semibold ${
        mark.strong ? "bg-accent text-on-accent" : "bg-hit text-on-accent"
      }`}
      style={{ left: x, top: y }}
    >
      {mark.label}
    </span>
  );
}

/**
 * Minimum drag in pixels. A shorter drag draws nothing, and neither does a drag along a line: a search refuses a box
 * without width or height.
 */
const LEAST_DRAG = 8;
const LEAST_SIDE = 2;

function areaOf(
  mode: Mode,
  { from, to }: { from: Pixel; to: Pixel },
  { camera, size }: View,
): Circle | Box | null {
  const [width, height] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  if (Math.hypot(width, height) < LEAST_DRAG) return null;
  if (mode === "box" && Math.min(width, height) < LEAST_SIDE) return null;
  const [a, b] = [unproject(from, camera, size), unproject(to, camera, size)];
  if (mode === "circle") {
    const { latitude, longitude } = a;
    return { kind: "circle", latitude, longitude, radius_miles: milesBetween(a, b) };
  }
  return {
    kind: "box",
    north: Math.max(a.latitude, b.latitude),
    south: Math.min(a.latitude, b.latitude),
    east: Math.max(a.longitude, b.longitude),
    west: Math.min(a.longitude, b.longitude),
  };
}

function AreaShape({
  area,
  label,
  view,
  strong,
}: {
  area: Area | undefined;
  label: string;
  view: View;
  strong: boolean;
}) {
  if (!area || area.kind === "cameras") return null;
  const { north, south, east, west } = boundsOfArea(area);
  const [top, bottom] = [
    project({ latitude: north, longitude: west }, view.camera, view.size),
    project({ latitude: south, longitude: east }, view.camera, view.size),
  ];
  const paint = `fill-accent/15 stroke-accent ${strong ? "stroke-3" : "stroke-2"}`;
  const middle = { x: (top.x + bottom.x) / 2, y: (top.y + bottom.y) / 2 };
  return (
    <g>
      {area.kind === "circle" ? (
        <ellipse
          cx={middle.x}
          cy={middle.y}
          rx={(bottom.x - top.x) / 2}
          ry={(bottom.y - top.y) / 2}
          className={paint}
        />
      ) : (
        <rect x={top.x} y={top.y} width={bottom.x - top.x} height={bottom.y - top.y} className={paint} />
      )}
      <text
        x={middle.x}
        y={middle.y}
        textAnchor="middle"
        dominantBaseline="central"
        className="fill-text font-semibold"
      >
        {label}
      </text>
    </g>
  );
}

function CameraDot({ at, view, picked }: { at: ListedCamera; view: View; picked: boolean }) {
  const { latitude, longitude } = at;
  if (latitude === null || longitude === null) return null;
  const { x, y } = project({ latitude, longitude }, view.camera, view.size);
  return (
    <circle
      cx={x}
      cy={y}
      r={picked ? 8 : 4}
      className={picked ? "fill-accent stroke-raised stroke-2" : "fill-muted stroke-raised"}
    />
  );
}

function isPicked(id: string, areas: readonly (Area | undefined)[]): boolean {
  return areas.some((area) => area?.kind === "cameras" && area.cameras.includes(id));
}

function boundsOfArea(area: Circle | Box): Bounds {
  if (area.kind === "box") return area;
  const high = area.radius_miles * DEGREES_PER_MILE;
  const wide = high / Math.max(0.1, Math.cos((area.latitude * Math.PI) / 180));
  return {
    north: area.latitude + high,
    south: area.latitude - high,
    east: area.longitude + wide,
    west: area.longitude - wide,
  };
}

/** Returns the extent of the areas and marks; of all cameras if there are none. */
function boundsOfAll(
  areas: readonly (Area | undefined)[],
  cameras: readonly ListedCamera[],
  marks: readonly AreaMark[],
): Bounds | undefined {
  const spot = ({ latitude, longitude }: { latitude: number | null; longitude: number | null }): Bounds[] =>
    latitude === null || longitude === null
      ? []
      : [{ north: latitude, south: latitude, east: longitude, west: longitude }];
  const drawn = areas.flatMap((area) => {
    if (!area) return [];
    if (area.kind !== "cameras") return [boundsOfArea(area)];
    return cameras.filter(({ id }) => area.cameras.includes(id)).flatMap(spot);
  });
  const all = [...drawn, ...marks.flatMap(spot)];
  const used = all.length > 0 ? all : cameras.flatMap(spot);
  if (used.length === 0) return undefined;
  return {
    north: Math.max(...used.map(({ north }) => north)),
    south: Math.min(...used.map(({ south }) => south)),
    east: Math.max(...used.map(({ east }) => east)),
    west: Math.min(...used.map(({ west }) => west)),
  };
}
