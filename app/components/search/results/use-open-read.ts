import { useLocation, useNavigate, useNavigation, useSearchParams } from "@remix-run/react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { ShownResultSet } from "./use-result-set.ts";

/**
 * The open read, from the URL. Opening adds a history entry, so that Back closes the detail; moving to a neighbor replaces
 * it. The screen does not wait for the URL, so that fast key presses each count. The URL may still name an earlier set of
 * the search: then the same read is open under its number in the shown set, and the URL follows.
 */
export function useOpenRead({ summary: { id }, rowNow }: Pick<ShownResultSet, "summary" | "rowNow">) {
  const [query] = useSearchParams();
  const { key } = useLocation();
  const navigate = useNavigate();
  const { state } = useNavigation();
  const opened = useRef(false);
  /** What the user did that is not in the URL yet, with the set that its number belongs to. */
  const [ahead, setAhead] = useState<{ id: string; read: number | undefined } | null>(null);
  const read = ahead
    ? ahead.read === undefined
      ? undefined
      : rowNow(ahead.id, ahead.read)
    : readIn(query, rowNow);
  // A new navigation cancels a pending one; once the URL changes, it is up to date.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for every history entry
  useEffect(() => setAhead(null), [key]);
  // Going back from an entry that was never rendered does not change the key.
  const latest = useRef(rowNow);
  latest.current = rowNow;
  useEffect(() => {
    const follow = () => setAhead({ id, read: readIn(new URLSearchParams(location.search), latest.current) });
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, [id]);
  // Not while another navigation is pending, which it would cancel.
  const isBehind = query.get("id") !== id && ahead === null && state === "idle";
  useEffect(() => {
    if (isBehind) navigate(addressOf(id, read), { replace: true, preventScrollReset: true });
  }, [isBehind, id, read, navigate]);
  // Stable, so that opening a read does not render the list again.
  const open = useCallback(
    (to: number) => {
      opened.current = true;
      setAhead({ id, read: to });
      navigate(addressOf(id, to), { preventScrollReset: true });
    },
    [navigate, id],
  );
  return {
    read,
    open,
    move: (to: number) => {
      setAhead({ id, read: to });
      // If the entry of the opened read is not in the URL yet, this one is added instead.
      navigate(addressOf(id, to), { replace: isInAddress(), preventScrollReset: true });
    },
    close: () => {
      setAhead({ id, read: undefined });
      if (opened.current && isInAddress()) navigate(-1);
      else navigate(addressOf(id), { replace: true, preventScrollReset: true });
      opened.current = false;
    },
  };
}

function addressOf(id: string, read?: number): string {
  return `/results?id=${encodeURIComponent(id)}${read === undefined ? "" : `&read=${read}`}`;
}

/** Returns the row of the read that a URL opens; undefined if there is none in this result. */
function readIn(query: URLSearchParams, rowNow: ShownResultSet["rowNow"]): number | undefined {
  const text = query.get("read") ?? "";
  return /^\d{1,7}$/.test(text) ? rowNow(query.get("id") ?? "", Number(text)) : undefined;
}

/** Reads the browser's URL, since the last render may be behind it. */
function isInAddress(): boolean {
  return new URLSearchParams(location.search).has("read");
}
