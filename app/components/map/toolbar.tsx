import { ChevronLeft, ChevronRight, Route, X } from "lucide-react";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { PatternButton } from "#app/components/search/plate-tools.tsx";
import type { ResultsStore } from "#app/components/search/results/state.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import type { Density } from "./scene.ts";

const DENSITIES = [
  { value: "markers", label: "Markers" },
  { value: "heat", label: "Heat" },
  { value: "hexagons", label: "Hexagons" },
] as const satisfies readonly { value: Density; label: string }[];

export type MapToolbarProps = {
  store: ResultsStore;
  density: Density;
  onDensity: (density: Density) => void;
  /** The number of reads in the fullest hexagon; undefined without hexagons. */
  most: number | undefined;
  /** Whether there are enough reads for heat and hexagons. */
  hasDensity: boolean;
  /** The plate whose track is shown. */
  plate: string | null;
  /** The plate whose track can be shown; "" for none. */
  candidate: string;
  onTrack: (plate: string | null) => void;
  onStep: (by: 1 | -1) => void;
  /** The number of reads without valid coordinates. */
  unplaced: number;
};

export function MapToolbar(props: MapToolbarProps) {
  const { density, onDensity, hasDensity, plate, candidate, onTrack, onStep, unplaced } = props;
  return (
    // One line on phones, which scrolls sideways, so that the map has most of the screen.
    <div className="flex items-center gap-x-4 gap-y-2 border-b border-line bg-raised px-4 py-1 max-sm:gap-x-2 max-sm:overflow-x-auto max-sm:px-2 sm:flex-wrap *:shrink-0">
      {density === "markers" ? <Legend /> : <DensityLegend most={props.most} />}
      {hasDensity && (
        <Segmented label="Draw as" size="sm" options={DENSITIES} value={density} onSelect={onDensity} />
      )}
      {plate !== null ? (
        <Button size="sm" icon={<X />} onClick={() => onTrack(null)}>
          Hide track
        </Button>
      ) : (
        candidate !== "" && (
          <Button size="sm" icon={<Route />} onClick={() => onTrack(candidate)}>
            Show track <span className="plate-text">{candidate}</span>
          </Button>
        )
      )}
      {(plate ?? candidate) !== "" && <PatternButton store={props.store} plate={plate ?? candidate} />}
      {unplaced > 0 && (
        <p className="text-sm text-muted">{counted(unplaced, "read has", "reads have")} no location</p>
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
      </span>
    </div>
  );
}

function Legend() {
  return (
    // On phones, the programs and their marks are in the header of the results.
    <ul aria-label="Legend" className="flex items-center gap-3 text-sm max-sm:sr-only">
      {SOURCE_PROGRAMS.map((program) => (
        <li key={program}>
          <ProgramMark program={program} size="sm" named />
        </li>
      ))}
    </ul>
  );
}

/** The color legend of heat and hexagons. Hexagons have numbers; heat has only "few" and "many". */
function DensityLegend({ most }: { most: number | undefined }) {
  return (
    <p className="inline-flex items-center gap-2 text-sm">
      <span className="sr-only">Legend: </span>
      {most === undefined ? "Few reads" : "1 read"}
      <span
        aria-hidden="true"
        className="h-2.5 w-24 rounded-full bg-linear-to-r from-[color-mix(in_srgb,var(--color-accent)_30%,var(--color-raised))] via-[color-mix(in_srgb,var(--color-accent)_65%,var(--color-raised))] to-accent-strong"
      />
      <span className="sr-only">to</span>
      {most === undefined ? "many" : numberText(most)}
    </p>
  );
}
