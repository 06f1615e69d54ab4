import { isRouteErrorResponse, Link, useParams, useRouteError, useSearchParams } from "@remix-run/react";
import { FilterX, Hourglass, SearchX, TriangleAlert } from "lucide-react";
import { listed } from "#app/components/search/form/describe.ts";
import { incompletePrograms } from "#app/components/search/sources.ts";
import { Reference } from "#app/components/shell/reference.tsx";
import { RouteError } from "#app/components/shell/route-error.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import { RESULTS_PURGED, type ResultSummary } from "#app/entities/search/result-set.ts";
import { textIn } from "#app/lib/json/parse.ts";
import { numberText } from "#app/lib/number-text.ts";
import type { ResultsStore } from "./state.ts";
import { refineAddress } from "./toolbar.tsx";

/**
 * Replaces results that have expired, or that have reads of an agency that has ended its sharing. The form can be
 * refilled only while the search itself is still stored. `message` is the server's message, or "".
 */
export function ResultsGone({ id, message }: { id: string; message: string }) {
  return (
    <EmptyState
      icon={<Hourglass />}
      title={message || RESULTS_PURGED}
      isPage
      actions={
        <Link to={id === "" ? "/search" : refineAddress(id)} className={buttonClass("primary")}>
          Refine Previous Search
        </Link>
      }
    >
      {message === "" || message === RESULTS_PURGED
        ? "Results are kept for a limited time unless they are exported. Search again to see current reads."
        : "These results had reads that you may no longer see. Search again to see the others."}
      <Reference />
    </EmptyState>
  );
}

export function ResultsUnknown() {
  return (
    <EmptyState
      icon={<SearchX />}
      title="Results not found."
      isPage
      actions={
        <Link to="/search" className={buttonClass("primary")}>
          Search
        </Link>
      }
    >
      Only the user who ran a search can open its results, and results are kept for a limited time.
      <Reference />
    </EmptyState>
  );
}

/** The error boundary of screens that show a stored result or a part of it. */
export function StoredResultsError() {
  const error = useRouteError();
  const params = useParams();
  const [query] = useSearchParams();
  const id = params.id ?? query.get("id") ?? "";
  if (isRouteErrorResponse(error) && error.status === 410)
    return <ResultsGone id={id} message={textIn(error.data, "message")} />;
  if (isRouteErrorResponse(error) && error.status === 404) return <ResultsUnknown />;
  return <RouteError isNested />;
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
        The results are still stored. You don't need to search again.
      </EmptyState>
    </div>
  );
}

/** No reads were found. Says "No results found." only if every agency answered. */
export function ResultsEmpty({ summary }: { summary: ResultSummary }) {
  const incomplete = incompletePrograms(summary.statuses);
  const refine = (
    <Link to={refineAddress(summary.id)} className={buttonClass("primary")}>
      Refine Previous Search
    </Link>
  );
  if (incomplete.length > 0) {
    return (
      <EmptyState
        icon={<TriangleAlert />}
        title={`${listed(incomplete)} did not return complete results.`}
        actions={refine}
      >
        The agencies that answered found no reads. The others may have reads that are not shown.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<SearchX />} title={MESSAGES.noResults} actions={refine}>
      All selected agencies answered. Try a longer time range, part of the plate, or fewer filters.
    </EmptyState>
  );
}

/** Shows on paper which reads are missing: only reads on the screen are rendered and printed. */
export function PrintedReads({ printed, found }: { printed: number; found: number }) {
  if (printed >= found) return null;
  return (
    <p className="hidden p-2 text-sm print:block">
      Printed: the {printed} reads on the screen, of {numberText(found)}. To print all, select and export them
      to PDF.
    </p>
  );
}

/** Shown in place of the reads when the filter excludes all of them. */
export function NothingPasses({ store }: { store: ResultsStore }) {
  return (
    <EmptyState
      icon={<FilterX />}
      title="No reads match."
      actions={<Button onClick={store.clearFilter}>Show all</Button>}
      className="sticky start-0"
    >
      Clear the filter to show all reads.
    </EmptyState>
  );
}

export function ResultsLoading() {
  return (
    <div role="status" aria-label="Loading results" className="flex min-h-0 flex-1 flex-col overflow-hidden">
      <div className="h-9 shrink-0 border-b border-line-strong bg-sunken" />
      {Array.from({ length: 12 }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
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
