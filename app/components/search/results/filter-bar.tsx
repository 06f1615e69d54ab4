import { ListFilter, Search, X } from "lucide-react";
import { type ChangeEvent, type KeyboardEvent, useLayoutEffect, useMemo, useRef } from "react";
import { Panel } from "#app/components/search/sighting/panel.tsx";
import { matchText, timeText } from "#app/components/search/sighting/text.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { TimeInput } from "#app/components/ui/fields/time-input.tsx";
import { useHotkey, useSingleKeys } from "#app/components/ui/keys/single-keys.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { matchOf } from "#app/entities/search/result-columns.ts";
import { bodyTypeText, colorText, makeText } from "#app/entities/search/vehicle-text.ts";
import { numberText } from "#app/lib/number-text.ts";
import { truncated } from "#app/lib/text.ts";
import { fieldTime } from "#app/lib/time/wall-clock.ts";
import {
  filterTime,
  filterTimeText,
  isFiltering,
  PICKED,
  type Picked,
  type ResultFilter,
  wordCounts,
} from "./filter.ts";
import { hasMatches } from "./sort.ts";
import { type ResultsStore, useResults } from "./state.ts";

const NAMES: Record<Picked, string> = {
  match: "Match",
  state: "State",
  color: "Color",
  make: "Make",
  bodyType: "Body type",
  agency: "Agency",
  camera: "Camera",
};

const TEXTS: Partial<Record<Picked, (word: string) => string>> = {
  match: (word) => matchText(matchOf(word)),
  make: makeText,
  color: colorText,
  bodyType: bodyTypeText,
};

function wordText(column: Picked, word: string, longest: number): string {
  return truncated(TEXTS[column]?.(word) ?? word, longest) || MESSAGES.missing;
}

/** Longest list of values in a menu; the text filter covers the rest. */
const LISTED_WORDS = 300;

/** Filters the loaded result in the browser, without another search. */
export function FilterBar({ store, onLeave }: { store: ResultsStore; onLeave: () => void }) {
  const filter = useResults(store, (state) => state.filter);
  const input = useRef<HTMLInputElement>(null);
  const slashActs = useSingleKeys();
  useHotkey("/", (event) => {
    event.preventDefault();
    input.current?.focus();
    input.current?.select();
  });

  function leave(event: KeyboardEvent) {
    if (event.key === "Escape" && filter.text !== "") store.setFilter({ text: "" });
    else if (event.key === "Escape" || event.key === "Enter" || event.key === "ArrowDown") onLeave();
    else return;
    event.preventDefault();
  }

  return (
    <search className="flex min-w-0 flex-wrap items-center gap-1.5">
      <span className="relative w-60 max-w-full">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute start-2 top-1/2 size-4 -translate-y-1/2 text-muted"
        />
        <Input
          ref={input}
          controlSize="sm"
          type="search"
          aria-label="Filter these results by plate, camera or agency"
          aria-keyshortcuts={slashActs ? "/" : undefined}
          placeholder="Plate, camera, agency"
          className="!ps-8"
          value={filter.text}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => store.setFilter({ text: event.currentTarget.value })}
          onKeyDown={leave}
        />
      </span>
      <Panel
        title="Filter these results"
        // Firefox cuts off the end of a time with seconds in a narrower panel.
        className="w-96"
        label={
          <>
            <ListFilter aria-hidden="true" />
            Filter
          </>
        }
      >
        <FilterFields store={store} filter={filter} />
      </Panel>
      <ActiveFilters store={store} filter={filter} />
    </search>
  );
}

function FilterFields({ store, filter }: { store: ResultsStore; filter: ResultFilter }) {
  const { columns } = store.get();
  return (
    <div className="flex flex-col gap-2.5">
      <LabeledSelect
        name="Program"
        value={filter.program ?? "any"}
        onPick={(value) =>
          store.setFilter({ program: SOURCE_PROGRAMS.find((program) => program === value) ?? null })
        }
        options={SOURCE_PROGRAMS.map((program) => ({ value: program, label: program }))}
      />
      {PICKED.filter((column) => column !== "match" || hasMatches(columns)).map((column) => (
        <PickedSelect key={column} store={store} column={column} filter={filter} columns={columns} />
      ))}
      <fieldset className="grid grid-cols-1 gap-2">
        <legend className="mb-1 text-sm font-medium">Read time (local)</legend>
        <TimeField name="From" at={filter.from} onChange={(from) => store.setFilter({ from })} />
        <TimeField name="To" at={filter.to} onChange={(to) => store.setFilter({ to })} />
      </fieldset>
      <Button size="sm" disabled={!isFiltering(filter)} onClick={store.clearFilter}>
        Show all
      </Button>
    </div>
  );
}

type PickedSelectProps = {
  store: ResultsStore;
  column: Picked;
  filter: ResultFilter;
  columns: ReturnType<ResultsStore["get"]>["columns"];
};

function PickedSelect({ store, column, filter, columns }: PickedSelectProps) {
  const words = useMemo(() => wordCounts(columns, column), [columns, column]);
  function pick(word: string | undefined) {
    const { [column]: _, ...others } = filter.picked;
    store.setFilter({ picked: word === undefined ? others : { ...others, [column]: word } });
  }
  const picked = filter.picked[column];
  return (
    <LabeledSelect
      name={NAMES[column]}
      value={picked === undefined ? "any" : `=${picked}`}
      onPick={(value) => pick(value?.slice(1))}
      options={words.slice(0, LISTED_WORDS).map(({ word, reads }) => ({
        value: `=${word}`,
        label: `${wordText(column, word, 60)} (${numberText(reads)})`,
      }))}
    />
  );
}

type LabeledSelectProps = {
  name: string;
  value: string;
  options: { value: string; label: string }[];
  onPick: (value: string | undefined) => void;
};

function LabeledSelect({ name, value, options, onPick }: LabeledSelectProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside the Select component
    <label className="grid grid-cols-[5.5rem_minmax(0,1fr)] items-center gap-2 text-sm">
      <span>{name}</span>
      <Select
        controlSize="sm"
        value={value}
        onChange={({ currentTarget }) =>
          onPick(currentTarget.value === "any" ? undefined : currentTarget.value)
        }
      >
        <option value="any">Any</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </Select>
    </label>
  );
}

type TimeFieldProps = { name: string; at: number | null; onChange: (at: number | null) => void };

function TimeField({ name, at, onChange }: TimeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const edge = name === "From" ? "start" : "end";
  // A field that was typed in keeps its text when the filter is cleared elsewhere.
  useLayoutEffect(() => {
    const field = input.current;
    if (!field) return;
    const text = filterTimeText(field.value, { at, edge });
    if (text !== undefined) field.value = text;
  }, [at, edge]);
  function change(event: ChangeEvent<HTMLInputElement>) {
    onChange(filterTime(event.currentTarget.value, edge) ?? null);
  }
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside the Select component
    <label className="grid grid-cols-[5.5rem_minmax(0,1fr)] items-center gap-2 text-sm">
      <span>{name}</span>
      <TimeInput
        input={input}
        controlSize="sm"
        edge={edge}
        step={1}
        defaultValue={at === null ? "" : fieldTime(at)}
        onChange={change}
      />
    </label>
  );
}

function ActiveFilters({ store, filter }: { store: ResultsStore; filter: ResultFilter }) {
  const chips: { key: string; text: string; remove: () => void }[] = [];
  if (filter.program) {
    chips.push({ key: "program", text: filter.program, remove: () => store.setFilter({ program: null }) });
  }
  for (const column of PICKED) {
    const word = filter.picked[column];
    if (word === undefined) continue;
    const { [column]: _, ...others } = filter.picked;
    chips.push({
      key: column,
      text: `${NAMES[column]}: ${wordText(column, word, 30)}`,
      remove: () => store.setFilter({ picked: others }),
    });
  }
  if (filter.from !== null) {
    const text = `From ${timeText(filter.from)}`;
    chips.push({ key: "from", text, remove: () => store.setFilter({ from: null }) });
  }
  if (filter.to !== null) {
    const text = `To ${timeText(filter.to)}`;
    chips.push({ key: "to", text, remove: () => store.setFilter({ to: null }) });
  }
  return chips.map((chip) => (
    <button
      key={chip.key}
      type="button"
      aria-label={`Remove filter ${chip.text}`}
      className="inline-flex min-h-control-sm max-w-full items-center gap-1 rounded-md bg-accent-soft px-2 text-xs text-accent hover:underline"
      onClick={chip.remove}
    >
      <bdi className="truncate">{chip.text}</bdi>
      <X aria-hidden="true" className="size-3.5 shrink-0" />
    </button>
  ));
}
