import { Link } from "@remix-run/react";
import { Hourglass, SearchX, TriangleAlert } from "lucide-react";
import { listed } from "#app/components/search/form/describe.ts";
import { silentPrograms } from "#app/components/search/sources.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ResultSummary } from "#app/entities/search/result-set.ts";
import { refineAddress } from "./toolbar.tsx";

/** In place of a result whose time is over. The form can be refilled only while the search is remembered. */
export function ResultsPurged({ id }: { id: string }) {
  return (
    <EmptyState
      icon={<Hourglass />}
      title="These results have been purged."
      actions={
        <Link to={id === "" ? "/search" : refineAddress(id)} className={buttonClass("primary")}>
          Refine Previous Search
        </Link>
      }
    >
      Results are kept for a limited time unless they are exported. Search again to see what is known now.
    </EmptyState>
  );
}

export function ResultsUnknown() {
  return (
    <EmptyState
      icon={<SearchX />}
      title="There are no such results."
      actions={
        <Link to="/search" className={buttonClass("primary")}>
          Search
        </Link>
      }
    >
      Results belong to the one who searched, and are kept for a limited time.
    </EmptyState>
  );
}

export function ResultsFailed({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <div role="alert">
      <EmptyState
        icon={<TriangleAlert />}
        title={message}
        actions={
          <Button variant="primary" onClick={onRetry}>
            Try again
          </Button>
        }
      >
        They are still kept. Nothing has to be searched again.
      </EmptyState>
    </div>
  );
}

/** Nothing was found: which is only said plainly where everybody answered. */
export function ResultsEmpty({ summary }: { summary: ResultSummary }) {
  const silent = silentPrograms(summary.statuses);
  const refine = (
    <Link to={refineAddress(summary.id)} className={buttonClass("primary")}>
      Refine Previous Search
    </Link>
  );
  if (silent.length > 0) {
    return (
      <EmptyState icon={<TriangleAlert />} title={`${listed(silent)} did not answer fully.`} actions={refine}>
        Those that answered found nothing, but there may be reads that could not be asked for.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<SearchX />} title={MESSAGES.noResults} actions={refine}>
      Everybody who was asked answered. Try a longer time, part of the plate, or fewer filters.
    </EmptyState>
  );
}

export function ResultsLoading() {
  return (
    <div
      role="status"
      aria-label="The results are coming"
      className="flex min-h-0 flex-1 flex-col overflow-hidden"
    >
      <div className="h-9 shrink-0 border-b border-line-strong bg-sunken" />
      {Array.from({ length: 12 }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: places, not things
        <div key={i} className="flex h-14 shrink-0 items-center gap-4 border-b border-line bg-raised px-4">
          <Skeleton className="size-4" />
          <Skeleton className="h-6 w-28" />
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-4 flex-1" />
          <Skeleton className="h-10 w-24" />
        </div>
      ))}
    </div>
  );
}
