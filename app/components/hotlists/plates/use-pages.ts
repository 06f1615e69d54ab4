import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import type { HotlistPlate, ListPart } from "#app/entities/hotlists/entry.ts";
import type { PlatePage } from "#app/entities/hotlists/group.ts";

const TYPING_MS = 200;
/** The query of the screen's first page: no search, the plates in force. */
const EVERYTHING = "|in-force";

/**
 * Returns the list with the next page added, or unchanged if a new first page replaced it while the next page loaded.
 */
export function withNext(shown: PlatePage, next: { after: string; loaded: PlatePage }): PlatePage {
  const { after, loaded } = next;
  return shown.next === after ? { ...loaded, plates: [...shown.plates, ...loaded.plates] } : shown;
}

/**
 * Returns the list after plates were removed and its first page was loaded again: all plates that were shown, with the
 * new counts. If the first page has plates that were not shown, it replaces the list.
 */
export function afterRemoval(shown: PlatePage, first: PlatePage): PlatePage {
  const ids = new Set(shown.plates.map(({ id }) => id));
  return first.plates.every(({ id }) => ids.has(id)) ? { ...shown, counts: first.counts } : first;
}

/** Returns the list without its plates, because they must not be shown as the answer to another query. */
function cleared(shown: PlatePage): PlatePage {
  return { ...shown, plates: [], next: null };
}

/** Returns the list with a plate as it was changed. */
function withChanged(shown: PlatePage, plate: HotlistPlate): PlatePage {
  const plates = shown.plates.map((other) =>
    other.id === plate.id ? { ...plate, also_in: other.also_in } : other,
  );
  return { ...shown, plates };
}

type PlateQuery = { search: string; part: ListPart; after?: string; signal?: AbortSignal };

function fetchPlates(groupId: string, { search, part, after, signal }: PlateQuery) {
  return callApi<PlatePage>(`/groups/${encodeURIComponent(groupId)}/plates`, {
    json: { q: search, part, after },
    failed: "The plates could not be loaded.",
    signal,
  });
}

/** Loads the plates of one part of a group's list page by page, optionally filtered by a search. */
export function usePlatePages(groupId: string, first: PlatePage) {
  const [page, setPage] = useState(first);
  const [search, setSearch] = useState("");
  const [part, setPart] = useState<ListPart>("in-force");
  /** The query that `page` answers; empty after a change of part has cleared the plates. */
  const [answered, setAnswered] = useState(EVERYTHING);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const wanted = `${search}|${part}`;
  /** The latest search and part, for callbacks of earlier renders. */
  const latest = useRef({ search, part, wanted });
  latest.current = { search, part, wanted };

  useEffect(() => {
    if (answered === wanted) return;
    const leave = new AbortController();
    const { signal } = leave;
    const timer = setTimeout(
      async () => {
        setBusy(true);
        const answer = await fetchPlates(groupId, { search, part, signal });
        if (signal.aborted) return;
        setAnswered(wanted);
        setBusy(false);
        setProblem(answer.ok ? "" : answer.message);
        setPage((before) => (answer.ok ? answer.value : cleared(before)));
      },
      answered === "" ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      leave.abort();
      setBusy(false);
    };
  }, [groupId, search, part, wanted, answered]);

  /** Returns a page for the latest search and part; undefined if it fails, or if they changed before it arrived. */
  async function load(after?: string) {
    const asked = latest.current;
    setBusy(true);
    const answer = await fetchPlates(groupId, { search: asked.search, part: asked.part, after });
    if (latest.current.wanted !== asked.wanted) return;
    setBusy(false);
    setProblem(answer.ok ? "" : answer.message);
    return answer.ok ? answer.value : undefined;
  }

  async function more() {
    const { next } = page;
    if (busy || next === null) return;
    const loaded = await load(next);
    if (loaded) setPage((shown) => withNext(shown, { after: next, loaded }));
  }

  /** Reloads the first page: renewing moves plates from one part to another. */
  async function reload() {
    const again = await load();
    if (again) setPage(again);
  }

  const hasDropped = useRef(false);
  // After a save or a removal, the shown part may differ from the part of the new first page.
  useNewFirstPage(first, async () => {
    const isAfterDrop = hasDropped.current;
    hasDropped.current = false;
    const again = wanted === EVERYTHING ? first : await load();
    if (again) setPage((shown) => (isAfterDrop ? afterRemoval(shown, again) : again));
  });

  return {
    plates: page.plates,
    counts: page.counts,
    part,
    choosePart(next: ListPart) {
      if (next === part) return;
      setPart(next);
      setAnswered("");
      setPage(cleared);
    },
    reload,
    hasMore: page.next !== null,
    search,
    setSearch,
    busy: busy || answered !== wanted,
    problem,
    more,
    /** Loads the first page for the search and the part again. */
    retry: () => setAnswered(""),
    /** Removes a plate from the list before the screen's data is loaded again. */
    drop: (id: number) => {
      hasDropped.current = true;
      setPage((before) => ({ ...before, plates: before.plates.filter((plate) => plate.id !== id) }));
    },
    replace: (plate: HotlistPlate) => setPage((before) => withChanged(before, plate)),
  };
}

/** Calls `onNew` when the screen's loader has returned another first page. */
function useNewFirstPage(first: PlatePage, onNew: () => void): void {
  const latest = useRef(onNew);
  latest.current = onNew;
  const known = useRef(first);
  useEffect(() => {
    if (known.current === first) return;
    known.current = first;
    latest.current();
  }, [first]);
}

export type PlatePages = ReturnType<typeof usePlatePages>;
