import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withPartialSet } from "#app/components/search/live.ts";
import {
  filterTime,
  filterTimeText,
  NO_FILTER,
  passingRows,
  type ResultFilter,
  termsOf,
  wordCounts,
} from "#app/components/search/results/filter.ts";
import { galleryLines } from "#app/components/search/results/gallery.tsx";
import {
  emptySelection,
  isSelected,
  selectedRows,
  withRows,
} from "#app/components/search/results/selection.ts";
import { defaultSort, hasMatches, SORT_KEYS, sortRows } from "#app/components/search/results/sort.ts";
import {
  createResultsStore,
  type ResultsState,
  type ResultsStore,
} from "#app/components/search/results/state.ts";
import {
  DEFAULT_LAYOUT,
  DENSITIES,
  parseLayout,
  shownColumns,
  type TableLayout,
  tracksOf,
  withMoved,
  withoutMatches,
  withShown,
  withWidth,
} from "#app/components/search/results/table-columns.ts";
import { createImageQueue } from "#app/components/search/sighting/image-queue.ts";
import { FITTED, heldWithin, LARGEST_SCALE, zoomedAt } from "#app/components/search/sighting/image-view.ts";
import { matchText, minutesText, timeText } from "#app/components/search/sighting/text.ts";
import { incompletePrograms, programOutcome, unansweredFirst } from "#app/components/search/sources.ts";
import { lookAlikeMatcher } from "#app/entities/search/look-alikes.ts";
import { mapPoints, timeSlice } from "#app/entities/search/map/points.ts";
import { SOURCE_PROGRAMS, type SourceStatus } from "#app/entities/search/query.ts";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import { decodeColumns, encodeColumns, encodeRows } from "#app/entities/search/result-codec.ts";
import { idAt, likeliestFirst, newestFirst, rowAt } from "#app/entities/search/result-columns.ts";
import { rowsAfter } from "#app/entities/search/result-growth.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { at } from "#app/lib/at.ts";
import { BLANK_SIGHTING, sightingId } from "../../support/search/sighting.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
const PICKED_COLUMNS = ["state", "color", "make", "bodyType", "agency", "camera"] as const;
/** Latest valid time: cameras with a clock up to 5 ms fast. */
const LATEST = T0 + 5;
const instant = fc.option(fc.integer({ min: T0, max: T0 + 6 }), { nil: null });
const word = fc.constantFrom("", "Alpha", "beta 2", "beta 10", "ÉCOLE", "צפון");
const sighting = fc.record({
  program: fc.constantFrom(...SOURCE_PROGRAMS),
  plate: fc.constantFrom("", "ABC123", "ABC129", "XYZ9"),
  plateState: fc.constantFrom("", "CT", "NY"),
  make: word,
  color: word,
  bodyType: word,
  agency: word,
  cameraName: word,
  // Two clocks that were never set, and one far in the future.
  capturedAt: fc.oneof(instant, fc.constantFrom(0, 1, Date.UTC(2300, 0))),
  vehicleImage: fc.option(fc.constant("v"), { nil: null }),
});

const columnsOf = (rows: Partial<Sighting>[], matchOf?: ReturnType<typeof lookAlikeMatcher>) => {
  const builder = createColumns(matchOf);
  appendSightings(
    builder,
    rows.map((row, i) => ({ ...BLANK_SIGHTING, ...row, id: sightingId(i) })),
  );
  return decodeColumns(encodeColumns(builder, matchOf ? likeliestFirst(builder) : newestFirst(builder)));
};
const columns = fc.array(sighting, { maxLength: 60 }).map((rows) => columnsOf(rows));

describe("sorting", () => {
  const collator = new Intl.Collator("en", { numeric: true });
  test("is stable, keeps every row, and sorts missing words last and missing times as oldest", () => {
    fc.assert(
      fc.property(columns, fc.constantFrom(...SORT_KEYS), fc.boolean(), (set, key, descending) => {
        const order = [...sortRows(set, { key, descending })];
        expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: set.count }, (_, row) => row));
        for (let i = 1; i < order.length; i++) {
          const [a, b] = [rowAt(set, at(order, i - 1)), rowAt(set, at(order, i))];
          const compared = compare(a, b);
          if (compared === 0) expect(a.row).toBeLessThan(b.row);
          else expect(compared).toBeLessThan(0);
        }
        function compare(a: ReturnType<typeof rowAt>, b: ReturnType<typeof rowAt>) {
          const sign = descending ? -1 : 1;
          if (key === "time") return sign * ((a.capturedAt ?? -1) - (b.capturedAt ?? -1));
          if (key === "vehicleImage") return sign * (Number(a.hasVehicleImage) - Number(b.hasVehicleImage));
          if (key === "plateImage") return sign * (Number(a.hasPlateImage) - Number(b.hasPlateImage));
          if (key === "match") return sign * ((a.match?.score ?? 0) - (b.match?.score ?? 0));
          if ((a[key] === "") !== (b[key] === "")) return a[key] === "" ? 1 : -1;
          return sign * collator.compare(a[key], b[key]);
        }
      }),
    );
  });
});

describe("filtering", () => {
  test("matches a naive implementation", () => {
    const filter = fc.record({
      text: fc.constantFrom("", "abc", "ABC12 beta", "école", "zzz"),
      program: fc.option(fc.constantFrom(...SOURCE_PROGRAMS), { nil: null }),
      picked: fc.constantFrom<ResultFilter["picked"]>(
        {},
        { state: "CT" },
        { state: "" },
        { color: "Alpha", make: "beta 2" },
        { make: "gone" },
      ),
      from: instant,
      to: instant,
      latest: fc.constantFrom(undefined, LATEST),
    });
    fc.assert(
      fc.property(columns, filter, (set, given) => {
        const pass = passingRows(set, given);
        for (let row = 0; row < set.count; row++) {
          const read = rowAt(set, row);
          const texts = [read.camera, read.agency].map((part) => part.toLowerCase());
          const plate = read.plate.toLowerCase();
          const isIn = (term: string) =>
            texts.some((part) => part.includes(term)) ||
            plate.includes(term.replace(/[^\p{L}\p{N}]/gu, "") || term);
          const time = read.capturedAt;
          const isValid = time !== null && time >= T0 && time <= (given.latest ?? T0 + 6);
          const expected =
            termsOf(given.text).every(isIn) &&
            (given.program === null || read.program === given.program) &&
            PICKED_COLUMNS.every(
              (key) => given.picked[key] === undefined || read[key] === given.picked[key],
            ) &&
            (given.from === null || (isValid && time >= given.from)) &&
            (given.to === null || (isValid && time <= given.to));
          expect(pass[row] === 1).toBe(expected);
        }
      }),
    );
  });

  test("finds a plate as people write it, with hyphens", () => {
    const reads = [{ plate: "ABC1234" }, { plate: "XYZ9876" }, { plate: "QQ1", cameraName: "I-91 north" }];
    const rows = (text: string) => [...passingRows(columnsOf(reads), { ...NO_FILTER, text })];
    expect(rows("abc-1234")).toEqual([1, 0, 0]);
    expect(rows("ABC 1234")).toEqual([1, 0, 0]);
    expect(rows("i-91")).toEqual([0, 0, 1]);
    expect(rows("-")).toEqual([0, 0, 1]);
  });

  test("keeps the same rows by time as the map, for any camera clock", () => {
    const placed = fc
      .array(
        sighting.map((read) => ({ ...read, latitude: 41.76, longitude: -72.67 })),
        { maxLength: 60 },
      )
      .map((rows) => columnsOf(rows));
    fc.assert(
      fc.property(placed, instant, instant, (set, from, to) => {
        fc.pre(from !== null || to !== null);
        const store = createResultsStore(set, { latest: LATEST });
        store.setFilter({ from, to });
        const points = mapPoints(set, store.get().latest);
        const kept = points.rows.slice(...timeSlice(points, from, to));
        expect([...store.get().view].sort()).toEqual([...kept].sort());
      }),
    );
  });

  test("excludes a read from 1970 from a time filter, like a read without a time", () => {
    const set = columnsOf([{ capturedAt: 0 }, {}, { capturedAt: T0 }]);
    const store = createResultsStore(set, { latest: LATEST });
    store.setFilter({ to: T0 });
    const { view } = store.get();
    expect([...view].map((row) => rowAt(set, row).capturedAt)).toEqual([T0]);
    store.setFilter({ to: null });
    expect(store.get().view).toHaveLength(3);
  });

  test("counts words", () => {
    const set = columnsOf([{ color: "Red" }, { color: "Red" }, { color: "Blue" }]);
    expect(wordCounts(set, "color")).toEqual([
      { word: "Red", reads: 2 },
      { word: "Blue", reads: 1 },
    ]);
  });
});

describe("the selection", () => {
  test("behaves like a set of rows", () => {
    const step = fc.tuple(fc.array(fc.nat(99), { maxLength: 20 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let selection = emptySelection(100);
        const model = new Set<number>();
        for (const [rows, on] of steps) {
          const before = selection.bits.slice();
          const next = withRows(selection, rows, on);
          expect(selection.bits).toEqual(before);
          selection = next;
          for (const row of rows) on ? model.add(row) : model.delete(row);
        }
        expect(selection.count).toBe(model.size);
        for (let row = 0; row < 100; row++) expect(isSelected(selection, row)).toBe(model.has(row));
        const view = Uint32Array.from({ length: 100 }, (_, i) => 99 - i);
        expect(selectedRows(selection, view)).toEqual([...model].sort((a, b) => b - a));
      }),
    );
  });

  test("select all adds the rows that pass the filter and keeps the others", () => {
    const store = createResultsStore(columnsOf([{ plate: "AAA1" }, { plate: "AAA2" }, { plate: "BBB1" }]));
    store.setFilter({ text: "bbb" });
    store.selectAll(true);
    expect(store.get().selection.count).toBe(1);
    store.setFilter({ text: "aaa" });
    expect(store.get()).toMatchObject({ selectedInView: 0 });
    store.selectAll(true);
    expect(store.get()).toMatchObject({ selectedInView: 2, selection: { count: 3 } });
    store.selectAll(false);
    expect(store.get().selection.count).toBe(1);
  });

  test("updates a range as it grows and shrinks, in view order", () => {
    const store = createResultsStore(columnsOf([1, 2, 3, 4, 5].map((capturedAt) => ({ capturedAt }))));
    store.setSort({ key: "time", descending: false });
    const view = store.get().view;
    store.setCurrent(at(view, 1));
    store.selectTo(at(view, 3));
    expect(selectedRows(store.get().selection, view)).toEqual([...view].slice(1, 4));
    store.selectTo(at(view, 2));
    expect(selectedRows(store.get().selection, view)).toEqual([...view].slice(1, 3));
    store.selectTo(at(view, 0));
    expect(selectedRows(store.get().selection, view)).toEqual([...view].slice(0, 2));
    store.clearSelection();
    expect(store.get().selection.count).toBe(0);
  });

  test("keeps reads selected one by one when a range follows another order or filter", () => {
    const newestFirst = ["FX", "AX", "E", "BX", "D", "CX"];
    const set = columnsOf(newestFirst.map((plate, i) => ({ plate, capturedAt: T0 + 6 - i })));
    const rowOf = (plate: string) => newestFirst.indexOf(plate);
    const selectedIn = (store: ResultsStore) =>
      newestFirst.filter((plate) => isSelected(store.get().selection, rowOf(plate)));

    const sorted = createResultsStore(set, { latest: T0 + 10 });
    sorted.toggle(rowOf("CX"));
    sorted.setCurrent(rowOf("AX"));
    sorted.selectTo(rowOf("D"));
    sorted.setSort({ key: "plate", descending: false });
    sorted.selectTo(rowOf("BX"));
    expect(selectedIn(sorted)).toEqual(["AX", "E", "BX", "D", "CX"]);

    const filtered = createResultsStore(set, { latest: T0 + 10 });
    filtered.toggle(rowOf("E"));
    filtered.setFilter({ text: "x" });
    filtered.setCurrent(rowOf("AX"));
    filtered.selectTo(rowOf("BX"));
    filtered.clearFilter();
    filtered.selectTo(rowOf("FX"));
    expect(selectedIn(filtered)).toEqual(["FX", "AX", "E", "BX"]);
  });

  test("ignores a range to a row hidden by the filter", () => {
    const store = createResultsStore(columnsOf([{ plate: "AAA1" }, { plate: "BBB1" }]));
    store.setFilter({ text: "aaa" });
    const hidden = store.get().view[0] === 0 ? 1 : 0;
    store.selectTo(hidden);
    expect(store.get().selection.count).toBe(0);
  });
});

describe("matches of a search with look-alikes", () => {
  const matchOf = lookAlikeMatcher({ kind: "contains", text: "ABC123" });
  const plates = ["ABC1Z3", "ABC123", "A8C123", "ABC129", "ABC123"];
  const stored = () =>
    columnsOf(
      plates.map((plate, i) => ({ plate, capturedAt: T0 - i })),
      matchOf,
    );

  test("are stored and shown exact first, then by score, each newest first", () => {
    const columns = stored();
    const shown = [...sortRows(columns, defaultSort(columns))].map((row) => rowAt(columns, row));
    expect(shown.map(({ row }) => row)).toEqual([0, 1, 2, 3, 4]);
    expect(shown.map(({ plate, match }) => `${plate} ${matchText(match)}`)).toEqual([
      "ABC123 Exact",
      "ABC123 Exact",
      "ABC1Z3 0.90: 2 read as Z",
      "A8C123 0.90: B read as 8",
      "ABC129 0.70: 3 read as 9",
    ]);
    const newest = sortRows(columns, { key: "time", descending: true });
    expect([...newest].map((row) => rowAt(columns, row).plate)).toEqual(plates);
  });

  test("can be filtered, and are missing from other sets", () => {
    const columns = stored();
    const pass = passingRows(columns, { ...NO_FILTER, picked: { match: "1.00" } });
    expect([...pass]).toEqual([1, 1, 0, 0, 0]);
    expect(hasMatches(columns)).toBe(true);
    const others = columnsOf([{ plate: "ABC123" }]);
    expect(hasMatches(others)).toBe(false);
    expect(rowAt(others, 0)).not.toHaveProperty("match");
  });
});

describe("the table's layout", () => {
  test("is restored from storage, and invalid values fall back to defaults", () => {
    const layout = withWidth(withMoved(withShown(DEFAULT_LAYOUT, "make", false), "time", -3), "camera", 333);
    expect(parseLayout(JSON.stringify(layout))).toEqual(layout);
    for (const text of [
      null,
      "",
      "nonsense",
      "null",
      "[]",
      '{"order":["x","plate","plate"],"hidden":["plate"]}',
    ]) {
      const parsed = parseLayout(text);
      expect([...parsed.order].sort()).toEqual([...DEFAULT_LAYOUT.order].sort());
      expect(shownColumns(parsed).some(({ key }) => key === "plate")).toBe(true);
    }
  });

  test("never hides the plate or makes an image column smaller than its image", () => {
    expect(withShown(DEFAULT_LAYOUT, "plate", false)).toBe(DEFAULT_LAYOUT);
    const narrow = withWidth({ ...DEFAULT_LAYOUT, density: "full" }, "vehicleImage", 10);
    expect(shownColumns(narrow).find(({ key }) => key === "vehicleImage")?.width).toBeGreaterThanOrEqual(360);
  });

  test.each(DENSITIES.map((density) => [density, density === "medium" ? 1280 : 1366] as const))(
    "fits all columns on a laptop screen with a scrollbar: %s rows, %i px",
    (density, window) => {
      // Only searches with look-alikes have the match column; with it, the table may scroll.
      const columns = shownColumns(withoutMatches({ ...DEFAULT_LAYOUT, density }));
      expect(columns).toHaveLength(SORT_KEYS.length - 1);
      const select = 40;
      expect(columns.reduce((sum, { width }) => sum + width, select)).toBeLessThanOrEqual(window - 17);
    },
  );

  test("shows the time on one line where there is room, and on two where there is not", () => {
    const trackOf = (layout: TableLayout) =>
      tracksOf(shownColumns(layout), layout).split(/ (?!1fr|[\d.]+rem\))/)[9];
    expect(trackOf(DEFAULT_LAYOUT)).toBe("minmax(6.75rem, 13rem)");
    expect(trackOf({ ...DEFAULT_LAYOUT, density: "compact" })).toBe("13rem");
    expect(trackOf({ ...DEFAULT_LAYOUT, density: "full" })).toBe("6.75rem");
    expect(trackOf(withWidth(DEFAULT_LAYOUT, "time", 160))).toBe("10rem");
  });

  test("puts a column that a stored layout lacks after the one that it follows by default", () => {
    const kept = withoutMatches(withMoved(DEFAULT_LAYOUT, "plate", 4));
    const { order } = parseLayout(JSON.stringify(kept));
    expect(order[order.indexOf("plate") + 1]).toBe("match");
  });

  test("moves a column up to either end, but not beyond", () => {
    expect(withMoved(DEFAULT_LAYOUT, "plate", -9).order[0]).toBe("plate");
    expect(withMoved(DEFAULT_LAYOUT, "plate", 99).order.at(-1)).toBe("plate");
  });
});

describe("an enlarged image", () => {
  const view = fc.record({
    scale: fc.double({ min: 1, max: LARGEST_SCALE, noNaN: true }),
    x: fc.integer({ min: -500, max: 500 }),
    y: fc.integer({ min: -500, max: 500 }),
  });
  const point = fc.record({ x: fc.integer({ min: -400, max: 400 }), y: fc.integer({ min: -300, max: 300 }) });
  test("keeps the point under the pointer", () => {
    fc.assert(
      fc.property(view, point, fc.double({ min: 0.2, max: 5, noNaN: true }), (before, at, factor) => {
        const after = zoomedAt(before, factor, at);
        expect((at.x - after.x) / after.scale).toBeCloseTo((at.x - before.x) / before.scale, 4);
        expect((at.y - after.y) / after.scale).toBeCloseTo((at.y - before.y) / before.scale, 4);
      }),
    );
  });
  test("never leaves the window", () => {
    expect(heldWithin({ scale: 0.2, x: 50, y: -50 }, { width: 800, height: 600 })).toEqual(FITTED);
    expect(heldWithin({ scale: 2, x: 9000, y: -9000 }, { width: 800, height: 600 })).toEqual({
      scale: 2,
      x: 400,
      y: -300,
    });
  });
});

test("images load from the top, and images that scrolled out of view are not loaded", async () => {
  const queue = createImageQueue(2);
  const started: number[] = [];
  const leave = [9, 3, 5, 1, 7].map((place) => queue.enter(place, () => started.push(place)));
  leave[2]?.();
  await Promise.resolve();
  expect(started).toEqual([1, 3]);
  leave[3]?.();
  expect(started).toEqual([1, 3, 7]);
  leave[3]?.();
  expect(started).toEqual([1, 3, 7]);
  leave[1]?.();
  expect(started).toEqual([1, 3, 7, 9]);
});

describe("texts", () => {
  test("show the time zone, and mark missing and invalid times", () => {
    expect(timeText(Date.UTC(2026, 10, 20, 19, 3, 7), "America/New_York")).toBe("2026-11-20 14:03:07 EST");
    expect(timeText(Date.UTC(2026, 6, 1, 4, 0, 0), "America/New_York")).toBe("2026-07-01 00:00:00 EDT");
    expect(timeText(null)).toBe("N/A");
    for (const at of [0, -5, Number.NaN, 9e15, Number.POSITIVE_INFINITY])
      expect(timeText(at)).toBe("Invalid timestamp");
  });

  test("format durations in minutes", () => {
    expect([0, 59_000, 60_000, 59 * 60_000, 3_600_000, 7_500_000, -1].map(minutesText)).toEqual([
      "less than 1 min",
      "less than 1 min",
      "1 min",
      "59 min",
      "1 hour",
      "2 hours 5 min",
      "less than 1 min",
    ]);
  });

  test("never report a failure as no reads", () => {
    const status = (state: SourceStatus["state"], reads = 0, message = ""): SourceStatus => ({
      sourceId: `${state}${reads}`,
      program: "Axon",
      agency: "A",
      state,
      reads,
      truncated: false,
      message,
      milliseconds: 1,
    });
    expect(programOutcome([status("ok", 0)])).toEqual({ kind: "ok", text: "0 reads" });
    expect(programOutcome([status("failed", 0, "It answered 503.")])).toEqual({
      kind: "failed",
      text: "failed: It answered 503.",
    });
    expect(programOutcome([status("unsupported")]).kind).toBe("failed");
    expect(programOutcome([status("ok", 7), status("slow")])).toEqual({
      kind: "partly",
      text: "7 reads, 1 of 2 agencies too slow",
    });
    expect(incompletePrograms([status("ok"), status("failed")])).toEqual(["Axon"]);
    expect(incompletePrograms([status("ok")])).toEqual([]);
    const [found, none, slow, failed] = [status("ok", 7), status("ok"), status("slow", 3), status("failed")];
    expect(unansweredFirst([found, slow, none, failed])).toEqual([slow, failed, found, none]);
    expect(programOutcome([...Array(1200).fill(none), ...Array(1100).fill(slow)]).text).toBe(
      "3,300 reads, 1,100 of 2,300 agencies too slow",
    );
  });
});

describe("the first rows of a result", () => {
  const rows = fc.array(sighting, { minLength: 1, maxLength: 40 });

  test("are the same alone as in the whole set", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 12 }), (reads, most) => {
        const columns = columnsOf(reads);
        const order = newestFirst(columns).subarray(0, most);
        const first = decodeColumns(encodeRows(columns, order));
        expect(first.count).toBe(order.length);
        order.forEach((row, place) => {
          expect(rowAt(first, place)).toEqual({ ...rowAt(columns, row), row: place });
        });
      }),
    );
  });

  test("pass their selection, sort order and current read to the whole set", () => {
    const all = columnsOf([{ plate: "AAA1" }, { plate: "CCC1" }, { plate: "BBB1" }]);
    const first = createResultsStore(decodeColumns(encodeRows(all, Uint32Array.of(0, 1))), {
      isPartial: true,
    });
    first.toggle(1);
    first.setSort({ key: "plate", descending: true });
    first.selectAll(true);
    expect(first.get().selection.count).toBe(1);
    const whole = createResultsStore(all, { before: first.get() }).get();
    expect(selectedRows(whole.selection, whole.view)).toEqual([1]);
    expect([...whole.view]).toEqual([1, 2, 0]);
    expect(whole.current).toBe(1);
    expect(whole.isPartial).toBe(false);
  });
});

describe("a result that grows", () => {
  test("ignores a set with fewer reads than the last", () => {
    const sets = withPartialSet([], { resultId: "a", count: 20 });
    const more = withPartialSet(sets, { resultId: "c", count: 30 });
    expect(withPartialSet(more, { resultId: "b", count: 25 })).toBe(more);
    // A program without reads answered.
    expect(withPartialSet(more, { resultId: "d", count: 30 }).map(({ id }) => id)).toEqual(["a", "c", "d"]);
  });

  /** All reads, and those that had arrived, which are in the same order. */
  const grown = fc.array(fc.tuple(sighting, fc.boolean()), { minLength: 1, maxLength: 40 }).map((reads) => {
    const builder = columnsOf(reads.map(([read]) => read));
    const order = newestFirst(builder);
    const all = decodeColumns(encodeColumns(builder, order));
    const arrived = Uint32Array.from([...order.keys()].filter((place) => reads[at(order, place)]?.[1]));
    return { all, arrived, some: decodeColumns(encodeRows(all, arrived)) };
  });

  test("finds each read again by its id", () => {
    fc.assert(
      fc.property(grown, ({ all, arrived, some }) => {
        expect([...rowsAfter(some, all)]).toEqual([...arrived]);
        // Also in another order, and in a set without the read.
        const reversed = decodeColumns(encodeColumns(all, Uint32Array.from([...order(all.count)].reverse())));
        const rows = rowsAfter(some, reversed);
        for (const [i, row] of arrived.entries()) expect(rows[i]).toBe(all.count - 1 - row);
        expect([...rowsAfter(all, some)].filter((row) => row >= 0)).toEqual([...arrived.keys()]);
      }),
    );
  });

  const order = (count: number) => Array.from({ length: count }, (_, row) => row);

  test("keeps filter, sort order, selection, also of hidden reads, and the current read", () => {
    const text = fc.constantFrom("", "abc", "xyz");
    fc.assert(
      fc.property(
        grown,
        fc.array(fc.nat(39)),
        fc.constantFrom(...SORT_KEYS),
        fc.boolean(),
        text,
        ({ all, arrived, some }, picks, key, descending, filterText) => {
          fc.pre(some.count > 0);
          const before = createResultsStore(some, { latest: LATEST });
          for (const pick of picks) before.toggle(pick % some.count);
          before.setFilter({ text: filterText });
          before.setSort({ key, descending });
          before.setCurrent((picks[0] ?? 0) % some.count);
          const fresh = createResultsStore(all, { latest: LATEST });
          fresh.setFilter({ text: filterText });
          fresh.setSort({ key, descending });
          const after = createResultsStore(all, { latest: LATEST, before: before.get() }).get();
          expect([...after.view]).toEqual([...fresh.get().view]);
          expect([after.sort, after.filter]).toEqual([before.get().sort, before.get().filter]);
          const selectedIds = (state: ResultsState) =>
            order(state.columns.count)
              .filter((row) => isSelected(state.selection, row))
              .map((row) => idAt(state.columns, row))
              .sort();
          expect(selectedIds(after)).toEqual(selectedIds(before.get()));
          expect(after.current).toBe(at(arrived, (picks[0] ?? 0) % some.count));
          expect(after.anchor).toBe(after.current);
          // New reads are not selected.
          expect(after.selection.count).toBe(before.get().selection.count);
        },
      ),
    );
  });
});

test("gallery tiles fill the line, two on a phone, and never exceed their width limits", () => {
  expect(galleryLines(390).perLine).toBe(2);
  expect(galleryLines(0).perLine).toBe(1);
  fc.assert(
    fc.property(fc.integer({ min: 360, max: 5000 }), (width) => {
      const { perLine, lineHeight } = galleryLines(width);
      const tile = (width - 8) / perLine - 8;
      expect(tile).toBeGreaterThanOrEqual(168);
      expect(tile).toBeLessThanOrEqual(288);
      expect(lineHeight).toBeGreaterThan((tile * 9) / 16);
    }),
  );
  // Of text twice as large as usual, a plate takes twice as much room.
  expect(galleryLines(390, 2).perLine).toBe(1);
  expect(galleryLines(1280, 2).perLine).toBe(3);
});

test("a typed end of the filter keeps the reads of its whole second, which show that time", () => {
  const zone = "America/New_York";
  const start = Date.UTC(2026, 10, 20, 19, 3, 7);
  expect(filterTime("2026-11-20T14:03:07", "start", zone)).toBe(start);
  expect(filterTime("2026-11-20T14:03:07", "end", zone)).toBe(start + 999);
  // Clocks show 01:30 twice: a range has both.
  expect(filterTime("2026-11-01T01:30", "start", zone)).toBe(Date.UTC(2026, 10, 1, 5, 30));
  expect(filterTime("2026-11-01T01:30", "end", zone)).toBe(Date.UTC(2026, 10, 1, 6, 30, 0, 999));
  expect(filterTime("", "end", zone)).toBeUndefined();
  expect(filterTime("2026-03-08T02:30", "end", zone)).toBeUndefined();
});

test("a time field has the filter's time, and keeps what is not completely typed", () => {
  const zone = "America/New_York";
  const at = Date.UTC(2026, 10, 20, 19, 3, 7);
  const typed = "2026-11-20T14:03:07";
  expect(filterTimeText(typed, { at: null, edge: "start", zone })).toBe("");
  expect(filterTimeText(typed, { at, edge: "start", zone })).toBeUndefined();
  expect(filterTimeText(typed, { at: at + 999, edge: "end", zone })).toBeUndefined();
  expect(filterTimeText("", { at: null, edge: "start", zone })).toBeUndefined();
  expect(filterTimeText("", { at, edge: "start", zone })).toBe(typed);
});
