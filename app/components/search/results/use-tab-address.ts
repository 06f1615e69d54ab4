import { useLocation } from "@remix-run/react";
import { useEffect } from "react";
import { type ResultsTab, TABS } from "./view-controls.tsx";

const PARAMETER = "view";

/** Returns the tab that a URL names; the table if it names none. */
export function tabIn(query: URLSearchParams): ResultsTab {
  return TABS.find(({ value }) => value === query.get(PARAMETER))?.value ?? "table";
}

/**
 * Keeps the tab in the URL, for a reload. It replaces the URL of the history entry itself: a navigation would cancel a
 * pending one, such as the opening of a read. Runs for every entry, because their URLs are made without the tab.
 */
export function useTabAddress(tab: ResultsTab): void {
  const { key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for every history entry
  useEffect(() => {
    const url = new URL(location.href);
    if (url.pathname !== "/results" || (url.searchParams.get(PARAMETER) ?? "table") === tab) return;
    if (tab === "table") url.searchParams.delete(PARAMETER);
    else url.searchParams.set(PARAMETER, tab);
    history.replaceState(history.state, "", url);
  }, [tab, key]);
}
