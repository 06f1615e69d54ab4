import { ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { type ScreenFormState, useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { counted } from "#app/lib/number-text.ts";

type PageOf<Row, Cursor> = { rows: Row[]; next: Cursor | null };

export type FilteredPages<Filter, Page> = {
  /** Undefined until the first page has loaded. */
  found: Page | undefined;
  problem: string;
  loading: boolean;
  filter: Filter;
  page: number;
  hasNext: boolean;
  search(filter: Filter): void;
  previous(): void;
  next(): void;
  again(): void;
};

/**
 * Pages of a filtered list, read from `url`, and the form of its filter. Each page starts at a cursor, so that every page is
 * equally fast. For a form sent without scripts, the first page is the result of the screen's action.
 */
export function useFilteredPages<Filter, Cursor, Page extends PageOf<unknown, Cursor>>(options: {
  url: string;
  failed: string;
  noFilter: Filter;
}): [form: ScreenFormState<Page & { filter: Filter }>, pages: FilteredPages<Filter, Page>] {
  const { url, failed, noFilter } = options;
  const form = useScreenForm<Page & { filter: Filter }>({ intent: "filter", failed });
  const shown = form.posted?.result;
  const [filter, setFilter] = useState(shown?.filter ?? noFilter);
  /** The cursor at which each page up to this one starts. */
  const [starts, setStarts] = useState<(Cursor | null)[]>([null]);
  const [found, setFound] = useState<Page | undefined>(shown);
  const [problem, setProblem] = useState("");
  const [loading, setLoading] = useState(shown === undefined);
  const isShown = useRef(shown !== undefined);
  const lastTurn = useRef(0);

  const load = useCallback(
    async (wanted: Filter, after: Cursor | null) => {
      const turn = ++lastTurn.current;
      setLoading(true);
      const answer = await callApi<Page>(url, { json: { filter: wanted, after }, failed });
      if (turn !== lastTurn.current) return;
      if (answer.ok) setFound(answer.value);
      setProblem(answer.ok ? "" : answer.message);
      setLoading(false);
    },
    [url, failed],
  );
  useEffect(() => {
    if (!isShown.current) void load(noFilter, null);
  }, [load, noFilter]);

  const goTo = (wanted: Filter, path: (Cursor | null)[]) => {
    setFilter(wanted);
    setStarts(path);
    void load(wanted, path.at(-1) ?? null);
  };
  const pages = {
    found,
    problem,
    loading,
    filter,
    page: starts.length,
    // After a failure, the rows belong to another page.
    hasNext: problem === "" && found !== undefined && found.next !== null,
    search: (wanted: Filter) => goTo(wanted, [null]),
    previous: () => goTo(filter, starts.slice(0, -1)),
    next: () => goTo(filter, [...starts, found?.next ?? null]),
    again: () => goTo(filter, starts),
  };
  return [form, pages];
}

type AnyPages = FilteredPages<unknown, PageOf<unknown, unknown>>;

/**
 * Shown instead of rows: why they could not be loaded, that they are loading, or, without scripts, the button that
 * loads them.
 */
export function NotLoaded({
  pages: { problem, again },
  nouns,
  button,
  icon,
}: {
  pages: AnyPages;
  nouns: string;
  button: string;
  icon: ReactNode;
}) {
  return problem ? (
    <EmptyState icon={icon} title={problem} actions={<Button onClick={again}>Try again</Button>}>
      {`No ${nouns} were loaded.`}
    </EmptyState>
  ) : (
    <>
      <Skeleton className="h-96 w-full noscript:hidden" />
      <p className="hidden text-muted noscript:block">{`Choose ${button} to see the ${nouns}.`}</p>
    </>
  );
}

type PageButtonsProps = { pages: AnyPages; noun: string; nouns: string };

/** The buttons between pages. `noun` names one row, `nouns` several. */
export function PageButtons({ pages, noun, nouns }: PageButtonsProps) {
  const { found, loading, page } = pages;
  return (
    <nav aria-label="Pages" className="flex items-center gap-3 noscript:hidden print:hidden">
      <Button icon={<ChevronLeft />} disabled={page === 1 || loading} onClick={pages.previous}>
        Previous
      </Button>
      <span role="status" className="text-sm text-muted">
        {found && !loading && !pages.problem && `Page ${page}, ${counted(found.rows.length, noun, nouns)}`}
      </span>
      <Button disabled={!pages.hasNext || loading} onClick={pages.next}>
        Next
        <ChevronRight aria-hidden="true" />
      </Button>
    </nav>
  );
}
