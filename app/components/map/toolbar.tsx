import { ChevronLeft, ChevronRight, Cpu, Route, X } from "lucide-react";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { numberText } from "#app/components/search/sighting/text.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import type { Track } from "#app/entities/search/map/track.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import type { Renderer, RendererChoice } from "./renderer.ts";
import type { Density } from "./scene.ts";

const DENSITIES = [
  { value: "markers", label: "Markers" },
  { value: "heat", label: "Heat" },
  { value: "hexagons", label: "Hexagons" },
] as const satisfies readonly { value: Density; label: string }[];

export type MapToolbarProps = {
  density: Density;
  onDensity: (density: Density) => void;
  /** How many reads the fullest hexagon has; undefined where none are drawn. */
  most: number | undefined;
  /** Heat and hexagons say nothing of a few reads. */
  hasDensity: boolean;
  plate: string | null;
  track: Track | null;
  /** The plate of the read that is looked at, whose track may be asked for. */
  candidate: string;
  onTrack: (plate: string | null) => void;
  onStep: (by: 1 | -1) => void;
  choice: RendererChoice;
  renderer: Renderer;
  onChoose: (choice: RendererChoice) => void;
  /** Reads that pass but have no place. */
  unplaced: number;
};

export function MapToolbar(props: MapToolbarProps) {
  const { density, onDensity, hasDensity, plate, track, candidate, onTrack, onStep, unplaced } = props;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-raised px-4 py-2">
      {density === "markers" ? <Legend /> : <DensityLegend most={props.most} />}
      {hasDensity && (
        <Segmented label="Draw as" size="sm" options={DENSITIES} value={density} onSelect={onDensity} />
      )}
      {plate !== null && track ? (
        <span className="inline-flex min-h-control-sm items-center gap-1 rounded-md bg-accent-soft ps-2.5 text-sm">
          <Route aria-hidden="true" className="size-4" />
          <span className="plate-text">{plate}</span>
          <span className="text-muted">{trackWords(track)}</span>
          <IconButton label="Hide the track" size="sm" icon={<X />} onClick={() => onTrack(null)} />
        </span>
      ) : (
        candidate !== "" && (
          <Button size="sm" icon={<Route />} onClick={() => onTrack(candidate)}>
            Track <span className="plate-text">{candidate}</span>
          </Button>
        )
      )}
      {unplaced > 0 && (
        <p className="text-sm text-muted">
          {unplaced === 1 ? "1 read has" : `${numberText(unplaced)} reads have`} no place on the map
        </p>
      )}
      <span className="ms-auto flex items-center gap-1">
        <IconButton
          label="Previous marker"
          shortcut="p"
          size="sm"
          icon={<ChevronLeft />}
          onClick={() => onStep(-1)}
        />
        <IconButton
          label="Next marker"
          shortcut="n"
          size="sm"
          icon={<ChevronRight />}
          onClick={() => onStep(1)}
        />
        <RendererMenu {...props} />
      </span>
    </div>
  );
}

function trackWords({ stops, kilometers }: Track): string {
  if (stops.length === 0) return "not read in this range";
  const places = stops.length === 1 ? "1 stop" : `${numberText(stops.length)} stops`;
  return stops.length === 1 ? places : `${places}, ${(kilometers / 1.609344).toFixed(1)} mi`;
}

function Legend() {
  return (
    <ul aria-label="Legend" className="flex items-center gap-3 text-sm">
      {SOURCE_PROGRAMS.map((program) => (
        <li key={program}>
          <ProgramMark program={program} size="sm" named />
        </li>
      ))}
    </ul>
  );
}

/** What the colors of heat and hexagons mean; a hexagon has its number as well, heat only more and less. */
function DensityLegend({ most }: { most: number | undefined }) {
  return (
    <p className="inline-flex items-center gap-2 text-sm">
      <span className="sr-only">Legend: </span>
      {most === undefined ? "Few reads" : "1 read"}
      <span
        aria-hidden="true"
        className="h-2.5 w-24 rounded-full bg-linear-to-r from-[color-mix(in_srgb,var(--color-warn)_35%,var(--color-raised))] via-warn to-hit"
      />
      <span className="sr-only">to</span>
      {most === undefined ? "many" : numberText(most)}
    </p>
  );
}

const RENDERERS: { value: RendererChoice; label: string }[] = [
  { value: "automatic", label: "Automatic" },
  { value: "gpu", label: "Graphics card" },
  { value: "canvas", label: "2-D canvas" },
];

function RendererMenu({
  choice,
  renderer,
  onChoose,
}: Pick<MapToolbarProps, "choice" | "renderer" | "onChoose">) {
  return (
    <Menu
      label="How the map is drawn"
      align="end"
      trigger={
        <Button size="sm" variant="ghost" icon={<Cpu />}>
          <span className="sr-only">Drawn by: </span>
          {renderer === "gpu" ? "Graphics card" : "2-D canvas"}
        </Button>
      }
    >
      {RENDERERS.map(({ value, label }) => (
        <MenuItem key={value} radio checked={choice === value} onSelect={() => onChoose(value)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
