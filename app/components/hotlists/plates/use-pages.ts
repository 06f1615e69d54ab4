import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import type { HotlistPlate, ListPart } from "#app/entities/hotlists/entry.ts";
import type { PlatePage } from "#app/entities/hotlists/group.ts";

const TYPING_MS = 200;
/** What the screen's own first page answers: no search, the plates in force. */
const EVERYTHING = "|in-force";
const FAILED = "The plates could not be loaded.";

/** The plates of a part of a group's list, a page at a time, and those that a search finds there. */
export function usePlatePages(groupId: string, first: PlatePage) {
  const [page, setPage] = useState(first);
  const [search, setSearch] = useState("");
  const [part, setPart] = useState<ListPart>("in-force");
  /** What the page is the answer to; empty where what it was of another part has been taken away. */
  const [answered, setAnswered] = useState(EVERYTHING);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const initial = useRef(first);
  const wanted = `${search}|${part}`;
  const path = `/groups/${encodeURIComponent(groupId)}/plates`;

  useEffect(() => {
    if (answered === wanted) return;
    const leave = new AbortController();
    const timer = setTimeout(
      async () => {
        setBusy(true);
        const answer = await callApi<PlatePage>(path, {
          json: { q: search, part },
          failed: FAILED,
          signal: leave.signal,
        });
        if (leave.signal.aborted) return;
        setAnswered(wanted);
        setBusy(false);
        setProblem(answer.ok ? "" : answer.message);
        if (answer.ok) setPage(answer.value);
      },
      answered === "" ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      leave.abort();
      setBusy(false);
    };
  }, [search, part, path, wanted, answered]);

  async function load(json: { q: string; part: ListPart; after?: string | null }) {
    setBusy(true);
    const answer = await callApi<PlatePage>(path, { json, failed: FAILED });
    setBusy(false);
    setProblem(answer.ok ? "" : answer.message);
    return answer.ok ? answer.value : undefined;
  }

  async function more() {
    if (busy || page.next === null) return;
    const next = await load({ q: search, part, after: page.next });
    // What was asked for meanwhile is another list.
    if (next && wantedNow.current === wanted)
      setPage((before) => ({ ...next, plates: [...before.plates, ...next.plates] }));
  }

  /** Looks again: what was done moves plates from one part to another. */
  async function reload() {
    const again = await load({ q: search, part });
    if (again) setPage(again);
  }

  // After a save the screen brings a fresh first page; what is looked at now may be another part.
  const look = useRef(reload);
  look.current = reload;
  const wantedNow = useRef(wanted);
  wantedNow.current = wanted;
  useEffect(() => {
    if (initial.current === first) return;
    initial.current = first;
    if (wantedNow.current === EVERYTHING) setPage(first);
    else look.current();
  }, [first]);

  return {
    plates: page.plates,
    counts: page.counts,
    part,
    choosePart(next: ListPart) {
      if (next === part) return;
      setPart(next);
      // Plates of one part must never stand under the name of another while that is being loaded.
      setAnswered("");
      setPage((before) => ({ ...before, plates: [], next: null }));
    },
    reload,
    hasMore: page.next !== null,
    search,
    setSearch,
    busy: busy || answered !== wanted,
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
