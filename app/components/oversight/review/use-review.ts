import { useCallback, useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import {
  NO_REVIEW_FILTER,
  type ReviewCounts,
  type ReviewCursor,
  type ReviewFilter,
  type ReviewPage,
} from "#app/entities/oversight/review-calls.ts";

type Page = ReviewPage & { counts: ReviewCounts };

/** The first page as the screen's action answered it to a form without scripts. */
export type ShownReview = Page & { filter: ReviewFilter };

export type Review = {
  /** Undefined until the first page is there. */
  found: Page | undefined;
  problem: string;
  loading: boolean;
  filter: ReviewFilter;
  page: number;
  search(filter: ReviewFilter): void;
  previous(): void;
  next(): void;
  again(): void;
};

/** Pages of findings under a filter. Each page begins behind the one before it, so that none is ever slow. */
export function useReview(shown?: ShownReview): Review {
  const [filter, setFilter] = useState(shown?.filter ?? NO_REVIEW_FILTER);
  /** Where each page up to this one begins. */
  const [starts, setStarts] = useState<(ReviewCursor | null)[]>([null]);
  const [found, setFound] = useState<Page | undefined>(shown);
  const [problem, setProblem] = useState("");
  const [loading, setLoading] = useState(shown === undefined);
  const isShown = useRef(shown !== undefined);
  const asked = useRef(0);

  const load = useCallback(async (wanted: ReviewFilter, after: ReviewCursor | null) => {
    const turn = ++asked.current;
    setLoading(true);
    const answer = await callApi<Page>("/review/rows", {
      json: { filter: wanted, after },
      failed: "The findings could not be loaded.",
    });
    if (turn !== asked.current) return;
    if (answer.ok) setFound(answer.value);
    setProblem(answer.ok ? "" : answer.message);
    setLoading(false);
  }, []);
  useEffect(() => {
    if (!isShown.current) void load(NO_REVIEW_FILTER, null);
  }, [load]);

  const goTo = (wanted: ReviewFilter, path: (ReviewCursor | null)[]) => {
    setFilter(wanted);
    setStarts(path);
    void load(wanted, path.at(-1) ?? null);
  };
  return {
    found,
    problem,
    loading,
    filter,
    page: starts.length,
    search: (wanted) => goTo(wanted, [null]),
    previous: () => goTo(filter, starts.slice(0, -1)),
    next: () => goTo(filter, [...starts, found?.next ?? null]),
    again: () => goTo(filter, starts),
  };
}
