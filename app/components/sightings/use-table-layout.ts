import { useEffect, useState } from "react";
import { DEFAULT_LAYOUT, parseLayout, type TableLayout } from "./table-columns.ts";

const KEY = "odin-results-table";

/** How the user has arranged the table, remembered in this browser. */
export function useTableLayout(): [TableLayout, (layout: TableLayout) => void] {
  const [layout, setLayout] = useState(DEFAULT_LAYOUT);
  useEffect(() => {
    try {
      setLayout(parseLayout(localStorage.getItem(KEY)));
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
