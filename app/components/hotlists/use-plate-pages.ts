import { useEffect, useRef, useState } from "react";
import type { PlatePage } from "#app/entities/alert-group.ts";
import type { HotlistPlate } from "#app/entities/hotlist.ts";
import { call } from "./call.ts";

const FAILED = "The plates could not be loaded.";

/** The plates of a group, a page at a time, and those that a search finds. */
export function usePlatePages(groupId: string, first: PlatePage) {
  const [page, setPage] = useState(first);
  const [search, setSearch] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const initial = useRef(first);
  const path = `/groups/${encodeURIComponent(groupId)}/plates`;

  // A fresh first page after a save replaces what was there.
  useEffect(() => {
    if (initial.current === first) return;
    initial.current = first;
    setPage(first);
    setSearch("");
  }, [first]);

  const searched = useRef("");
  useEffect(() => {
    if (searched.current === search) return;
    const leave = new AbortController();
    const timer = setTimeout(async () => {
      setBusy(true);
      const query = new URLSearchParams({ q: search });
      const answer = await call<PlatePage>(`${path}?${query}`, { failed: FAILED, signal: leave.signal });
      if (leave.signal.aborted) return;
      searched.current = search;
      setBusy(false);
      setProblem(answer.ok ? "" : answer.message);
      if (answer.ok) setPage(answer.value);
    }, 200);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [search, path]);

  async function more() {
    if (busy || page.next === null) return;
    setBusy(true);
    const query = new URLSearchParams({ q: search, after: page.next });
    const answer = await call<PlatePage>(`${path}?${query}`, { failed: FAILED });
    setBusy(false);
    setProblem(answer.ok ? "" : answer.message);
    if (answer.ok)
      setPage((before) => ({ plates: [...before.plates, ...answer.value.plates], next: answer.value.next }));
  }

  return {
    plates: page.plates,
    hasMore: page.next !== null,
    search,
    setSearch,
    busy,
    problem,
    more,
    drop: (id: number) =>
      setPage((before) => ({ ...before, plates: before.plates.filter((plate) => plate.id !== id) })),
    replace: (plate: HotlistPlate) =>
      setPage((before) => ({
        ...before,
        plates: before.plates.map((other) =>
          other.id === plate.id ? { ...plate, also_in: other.also_in } : other,
        ),
      })),
  };
}

export type PlatePages = ReturnType<typeof usePlatePages>;
