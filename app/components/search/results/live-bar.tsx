import { ArrowUp, RotateCw, X } from "lucide-react";
import { listed } from "#app/components/search/form/describe.ts";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { cancelSearch, type LiveSearch } from "#app/components/search/live.ts";
import { ProgramSection } from "#app/components/search/program-section.tsx";
import { Panel } from "#app/components/search/sighting/panel.tsx";
import {
  byProgram,
  type ProgramProgress,
  programLook,
  programWords,
} from "#app/components/search/sources.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Spinner } from "#app/components/ui/spinner.tsx";
import { StatusDot } from "#app/components/ui/status-dot.tsx";
import { numberText } from "#app/lib/number-text.ts";
import type { ReadListHandle } from "./use-read-list.ts";
import type { ShownResultSet } from "./use-result-set.ts";

export type LiveBarProps = {
  set: ShownResultSet;
  live: LiveSearch;
  list: { current: ReadListHandle | null };
};

/**
 * Shown above the reads while their search runs: which programs have not finished, and how many added reads are above
 * those on screen.
 */
export function LiveBar({ set, live, list }: LiveBarProps) {
  const { arrival, forgetArrival, isGrowing, problem, retry } = set;
  const above = arrival?.above ?? 0;
  if (!isGrowing && problem === "" && above === 0) return null;
  const programs = byProgram(live.sources);
  return (
    <section
      aria-label="Search in progress"
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line-strong bg-accent-soft px-4 py-1.5 max-sm:px-3"
    >
      {isGrowing && (
        <>
          <span className="inline-flex items-center gap-2 font-medium">
            <Spinner className="size-4 text-accent" />
            {waitingWords(programs)}
          </span>
          <ul aria-label="Progress by program" className="flex flex-wrap gap-1.5">
            {programs.map((progress) => (
              <li key={progress.program} className="max-w-full">
                <ProgramChip progress={progress} />
              </li>
            ))}
          </ul>
        </>
      )}
      {above > 0 && (
        <span className="inline-flex items-center gap-1.5 text-sm">
          {`${numberText(above)} of the ${numberText(arrival?.added ?? 0)} added reads ${above === 1 ? "is" : "are"} above.`}
          <Button
            size="sm"
            icon={<ArrowUp />}
            onClick={() => {
              forgetArrival();
              list.current?.goToTop();
            }}
          >
            Go to top
          </Button>
          {!isGrowing && (
            <Button
              size="sm"
              variant="ghost"
              icon={<X />}
              onClick={() => {
                forgetArrival();
                list.current?.focus();
              }}
            >
              Dismiss
            </Button>
          )}
        </span>
      )}
      {problem !== "" && (
        <span role="alert" className="inline-flex items-center gap-1.5 text-sm text-hit">
          {problem}
          <Button size="sm" icon={<RotateCw />} onClick={retry}>
            Try again
          </Button>
        </span>
      )}
      {live.state === "running" && (
        <Button size="sm" icon={<X />} aria-label="Cancel search" className="ms-auto" onClick={cancelSearch}>
          Cancel<span className="max-sm:hidden"> search</span>
        </Button>
      )}
    </section>
  );
}

function waitingWords(programs: readonly ProgramProgress[]): string {
  const waiting = programs.filter(({ settled, sources }) => settled < sources.length);
  if (waiting.length === 0) return "Adding the last reads";
  const names = listed(waiting.map(({ program }) => program));
  return `Still searching. ${names} ${waiting.length === 1 ? "has" : "have"} not finished.`;
}

/** The progress of a program; a panel lists its agencies. On a phone a chip has room only for the numbers. */
function ProgramChip({ progress }: { progress: ProgramProgress }) {
  const { program } = progress;
  const [numbers = "", words = ""] = programWords(progress).split(/(?= answered)/);
  return (
    <Panel
      title={`${program}: progress by agency`}
      className="w-120"
      buttonClassName="inline-flex min-h-control-sm items-center gap-1.5 rounded-md border border-line bg-raised px-2 text-sm hover:bg-hover"
      label={
        <>
          <ProgramMark program={program} />
          <StatusDot
            {...programLook(progress)}
            label={
              <>
                {numbers}
                <span className="max-sm:sr-only">{words}</span>
              </>
            }
            className="min-w-0 truncate"
          />
        </>
      }
    >
      <ProgramSection progress={progress} />
    </Panel>
  );
}
