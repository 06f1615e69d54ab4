import {
  ArrowDown,
  ArrowUp,
  Columns3,
  LayoutGrid,
  Map as MapIcon,
  RotateCcw,
  Rows2,
  Rows3,
  Rows4,
  Table2,
} from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import { Panel } from "#app/components/search/sighting/panel.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Checkbox, checkStateOf } from "#app/components/ui/fields/checkbox.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { at } from "#app/lib/at.ts";
import { hasMatches, SORT_KEYS, type SortKey, startsDescending } from "./sort.ts";
import { type ResultsStore, useResults } from "./state.ts";
import {
  columnOf,
  DEFAULT_LAYOUT,
  type Density,
  type TableLayout,
  withMoved,
  withShown,
} from "./table-columns.ts";

export type ResultsTab = "table" | "gallery" | "map";

export const TABS = [
  { value: "table", label: "Table View", icon: <Table2 aria-hidden="true" /> },
  { value: "gallery", label: "Gallery View", icon: <LayoutGrid aria-hidden="true" /> },
  { value: "map", label: "Map View", icon: <MapIcon aria-hidden="true" /> },
] as const satisfies readonly { value: ResultsTab; label: string; icon: ReactNode }[];

/** The id of the panel that the tabs control. */
export const TAB_PANEL = "results-panel";

export function tabId(tab: ResultsTab): string {
  return `results-tab-${tab}`;
}

type ViewTabsProps = {
  value: ResultsTab;
  onSelect: (tab: ResultsTab) => void;
  /** Whether the page has the panel with the id TAB_PANEL. */
  hasPanel: boolean;
};

/** Table, gallery or map. */
export function ViewTabs({ value, onSelect, hasPanel }: ViewTabsProps) {
  function move(event: KeyboardEvent<HTMLElement>) {
    const index = TABS.findIndex((tab) => tab.value === value);
    const last = TABS.length - 1;
    const places = new Map([
      ["ArrowRight", index === last ? 0 : index + 1],
      ["ArrowLeft", index === 0 ? last : index - 1],
      ["Home", 0],
      ["End", last],
    ]);
    const place = places.get(event.key);
    if (place === undefined) return;
    event.preventDefault();
    const other = at(TABS, place).value;
    onSelect(other);
    document.getElementById(tabId(other))?.focus();
  }
  return (
    <div role="tablist" aria-label="View" className="flex gap-1" onKeyDown={move}>
      {TABS.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          id={tabId(tab.value)}
          aria-selected={tab.value === value}
          aria-controls={hasPanel ? TAB_PANEL : undefined}
          tabIndex={tab.value === value ? 0 : -1}
          className={cx(
            "inline-flex min-h-control-sm items-center justify-center gap-1.5 border-b-2 px-2 text-base font-medium max-sm:min-h-10 max-sm:min-w-10 [&_svg]:size-4",
            tab.value === value
              ? "border-accent text-text"
              : "border-transparent text-muted hover:text-text forced-colors:border-b-0",
          )}
          onClick={() => onSelect(tab.value)}
        >
          {tab.icon}
          <span className="max-sm:sr-only">{tab.label}</span>
        </button>
      ))}
    </div>
  );
}

/** For views without a table head. */
export function SelectAll({ store }: { store: ResultsStore }) {
  const shown = useResults(store, (state) => state.view.length);
  const selected = useResults(store, (state) => state.selectedInView);
  return (
    <Checkbox
      label="Select all"
      className="text-sm print:hidden"
      checked={checkStateOf(selected, shown)}
      disabled={shown === 0}
      onCheckedChange={store.selectAll}
    />
  );
}

/** The sort order, for views without a table head. */
export function SortSelect({ store }: { store: ResultsStore }) {
  const { key, descending } = useResults(store, (state) => state.sort);
  // Only a search with look-alikes has matches to sort by.
  const isMatched = useResults(store, ({ columns }) => hasMatches(columns));
  const options = isMatched ? SORT_OPTIONS : SORT_OPTIONS.filter(({ sort }) => sort.key !== "match");
  return (
    <Select
      controlSize="sm"
      aria-label="Sort"
      className="!w-44"
      value={`${key} ${descending}`}
      onChange={({ currentTarget }) => {
        const chosen = SORT_OPTIONS.find(({ value }) => value === currentTarget.value);
        if (chosen) store.setSort(chosen.sort);
      }}
    >
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  );
}

const SORT_OPTIONS = [...SORT_KEYS]
  .sort((a, b) => Number(b === "time") - Number(a === "time"))
  .flatMap((key) =>
    [startsDescending(key), !startsDescending(key)].map((descending) => ({
      value: `${key} ${descending}`,
      label: sortLabel(key, descending),
      sort: { key, descending },
    })),
  );

/** Returns an order in words: `Newest first`, `Plate, A to Z`. */
export function sortLabel(key: SortKey, descending: boolean): string {
  const { label } = columnOf(key);
  if (key === "time") return descending ? "Newest first" : "Oldest first";
  if (startsDescending(key)) return `${label} ${descending ? "first" : "last"}`;
  return `${label}, ${descending ? "Z to A" : "A to Z"}`;
}

const DENSITY_OPTIONS = [
  { value: "compact", label: "Compact rows", icon: <Rows4 aria-hidden="true" /> },
  { value: "medium", label: "Rows with small images", icon: <Rows3 aria-hidden="true" /> },
  { value: "full", label: "Rows with full images", icon: <Rows2 aria-hidden="true" /> },
] as const satisfies readonly { value: Density; label: string; icon: ReactNode }[];

/** Row size and columns of the table. */
export function TableControls({
  layout,
  onLayout,
}: {
  layout: TableLayout;
  onLayout: (layout: TableLayout) => void;
}) {
  return (
    <div className="ms-auto flex items-center gap-1.5 max-sm:hidden print:hidden">
      <Segmented
        label="Row size"
        size="sm"
        iconOnly
        options={DENSITY_OPTIONS}
        value={layout.density}
        onSelect={(density) => onLayout({ ...layout, density })}
      />
      <ColumnChooser layout={layout} onChange={onLayout} />
    </div>
  );
}

type ColumnChooserProps = { layout: TableLayout; onChange: (layout: TableLayout) => void };

/** Selects the columns of the table and their order. */
function ColumnChooser({ layout, onChange }: ColumnChooserProps) {
  return (
    <Panel
      title="Columns"
      align="end"
      className="w-72"
      label={
        <>
          <Columns3 aria-hidden="true" />
          Columns
        </>
      }
    >
      <ul className="flex flex-col">
        {layout.order.map((key, index) => {
          const { label } = columnOf(key);
          return (
            <li key={key} className="flex items-center gap-1">
              <Checkbox
                className="flex-1"
                label={label}
                checked={!layout.hidden.includes(key)}
                disabled={key === "plate"}
                onCheckedChange={(shown) => onChange(withShown(layout, key, shown))}
              />
              <IconButton
                size="sm"
                label={`Move ${label} up`}
                icon={<ArrowUp />}
                disabled={index === 0}
                onClick={() => onChange(withMoved(layout, key, -1))}
              />
              <IconButton
                size="sm"
                label={`Move ${label} down`}
                icon={<ArrowDown />}
                disabled={index === layout.order.length - 1}
                onClick={() => onChange(withMoved(layout, key, 1))}
              />
            </li>
          );
        })}
      </ul>
      <Button
        size="sm"
        className="mt-2 w-full"
        icon={<RotateCcw />}
        onClick={() => onChange({ ...DEFAULT_LAYOUT, density: layout.density })}
      >
        Reset columns
      </Button>
    </Panel>
  );
}
