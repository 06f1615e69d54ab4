import { Map as MapIcon, Table2 } from "lucide-react";
import type { KeyboardEvent } from "react";
import { cx } from "#app/components/ui/cx.ts";

export type ResultsTab = "table" | "map";

const TABS = [
  { value: "table", label: "Table View", icon: <Table2 aria-hidden="true" /> },
  { value: "map", label: "Map View", icon: <MapIcon aria-hidden="true" /> },
] as const;

export const TAB_PANEL = "results-panel";

/** Table View and Map View; what one of them shows is the panel with the id TAB_PANEL. */
export function ViewTabs({ value, onSelect }: { value: ResultsTab; onSelect: (tab: ResultsTab) => void }) {
  function move(event: KeyboardEvent<HTMLElement>) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    const other = value === "table" ? "map" : "table";
    onSelect(other);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab=${other}]`)?.focus();
  }
  return (
    <div role="tablist" aria-label="View" className="flex gap-1" onKeyDown={move}>
      {TABS.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          id={`results-tab-${tab.value}`}
          data-tab={tab.value}
          aria-selected={tab.value === value}
          aria-controls={TAB_PANEL}
          tabIndex={tab.value === value ? 0 : -1}
          className={cx(
            "inline-flex min-h-control-sm items-center gap-1.5 border-b-2 px-2 text-base font-medium [&_svg]:size-4",
            tab.value === value ? "border-accent text-text" : "border-transparent text-muted hover:text-text",
          )}
          onClick={() => onSelect(tab.value)}
        >
          {tab.icon}
          {tab.label}
        </button>
      ))}
    </div>
  );
}
