import { useEffect, useState } from "react";
import { DEFAULT_LAYOUT, parseLayout, type TableLayout } from "./table-columns.ts";

const KEY = "odin-results-table";

/** How the user has arranged the table, remembered in this browser. */
export function useTableLayout(): [TableLayout, (layout: TableLayout) => void] {
  const [layout, setLayout] = useState(DEFAULT_LAYOUT);
  useEffect(() => {
    try {
      const kept = localStorage.getItem(KEY);
      const isNarrow = matchMedia("(max-width: 40rem)").matches;
      // On a telephone full images are beside the screen, and their rows would be empty and high.
      setLayout(kept === null && isNarrow ? { ...DEFAULT_LAYOUT, density: "medium" } : parseLayout(kept));
    } catch {
      // Storage may be forbidden: then nothing is remembered.
    }
  }, []);
  return [
    layout,
    (next) => {
      setLayout(next);
      try {
        localStorage.setItem(KEY, JSON.stringify(next));
      } catch {
        // As above.
      }
    },
  ];
}
