import { describe, expect, test } from "vitest";
import { mapPoints } from "#app/entities/search/map/points.ts";
import {
  chosenSpan,
  type Drag,
  draggedPart,
  draggedRange,
  filterOf,
  grabbedPart,
  histogram,
  movedRange,
  movedThumb,
  stepTimes,
  type Thumb,
  type TimeSpan,
  timeAfterKey,
  timeStep,
} from "#app/entities/search/map/time.ts";
import { columnsOf, type MapRead } from "../../../support/map-reads.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
const SECOND = 1000;
const DAY = 86_400 * SECOND;
const read = (seconds: number | null): MapRead => ({
  place: [41.5, -72.7],
  time: seconds === null ? null : T0 + seconds * SECOND,
  plate: "A",
  program: "Axis",
});

describe("the histogram", () => {
  const columns = columnsOf([0, 1, 24, 25, 50, 99, 100, 101, null].map(read));
  const points = mapPoints(columns);
  const span = { from: T0, to: T0 + 100 * SECOND };
  const pass = new Uint8Array(columns.count).fill(1);

  test("counts the reads in each part of the span, the end in the last part, and none outside", () => {
    expect([...histogram(points, { pass, span, bins: 4 })]).toEqual([3, 1, 1, 2]);
    const later = { from: T0 + 24 * SECOND, to: span.to };
    expect([...histogram(points, { pass, span: later, bins: 2 })]).toEqual([3, 2]);
  });

  test("counts all reads of a moment in the first part", () => {
    const moment = { from: T0 + SECOND, to: T0 + SECOND };
    expect([...histogram(points, { pass, span: moment, bins: 3 })]).toEqual([1, 0, 0]);
  });

  test("counts only passing reads", () => {
    // Rows are newest first: 8 has no time, 7 is the oldest.
    const last = new Uint8Array(columns.count);
    last.set([1, 1], 7);
    expect([...histogram(points, { pass: last, span, bins: 4 })]).toEqual([1, 0, 0, 0]);
  });
});

test("playback steps through the times of passing reads, each once", () => {
  const points = mapPoints(columnsOf([5, 1, 1, 3, null, 3].map(read)));
  const seconds = (pass: number[]) =>
    Array.from(stepTimes(points, Uint8Array.from(pass)), (time) => (time - T0) / SECOND);
  expect(seconds([1, 1, 1, 1, 1, 1])).toEqual([1, 3, 5]);
  expect(seconds([1, 0, 0, 1, 0, 1])).toEqual([1, 5]);
  expect(seconds([0, 0, 1, 0, 1, 1])).toEqual([1, 3]);
});

describe("the arrow keys", () => {
  test.each([
    [0, 1],
    [200, 1],
    [999, 1],
    [1000, 5],
    [3000, 15],
    [12_000, 60],
    [60_000, 300],
    [180_000, 900],
    [360_000, 1800],
    [720_000, 3600],
    [1_440_000, 7200],
    [4_320_000, 21_600],
    [8_640_000, 43_200],
    [17_279_999, 43_200],
    [17_280_000, 86_400],
    [90_000_000, 86_400],
  ])("of a span of %d seconds move by %d seconds", (span, step) => {
    expect(timeStep({ from: T0, to: T0 + span * SECOND })).toBe(step * SECOND);
  });

  // A span of 3,000 s has steps of 15 s; T0 is a full hour.
  const span = { from: T0, to: T0 + 3000 * SECOND };
  test.each([
    ["ArrowLeft", 60, 45],
    ["ArrowDown", 60, 45],
    ["ArrowRight", 60, 75],
    ["ArrowUp", 60, 75],
    ["PageDown", 600, 450],
    ["PageUp", 600, 750],
    ["Home", 60, 0],
    ["End", 60, 3000],
    // From between two steps to the nearest step one further, but always by a second at least.
    ["ArrowRight", 64, 75],
    ["ArrowLeft", 71, 60],
    ["ArrowRight", 68, 90],
    ["PageUp", 64, 210],
  ])("%s moves from %d to %d seconds", (key, from, to) => {
    expect((Number(timeAfterKey(key, T0 + from * SECOND, span)) - T0) / SECOND).toBe(to);
  });

  test("move by a second at least", () => {
    const at = T0 + 400;
    const short = { from: T0, to: T0 + 10 * SECOND };
    expect(timeAfterKey("ArrowRight", at, short)).toBe(at + SECOND);
    expect(timeAfterKey("ArrowLeft", T0 + 600, short)).toBe(T0 + 600 - SECOND);
    expect(timeAfterKey("ArrowRight", T0 + 600, short)).toBe(T0 + 2 * SECOND);
    expect(timeAfterKey("Enter", at, short)).toBeUndefined();
  });
});

describe("the chosen range", () => {
  const span = { from: T0, to: T0 + 10 * DAY };
  const days = (from: number, to: number) => ({ from: T0 + from * DAY, to: T0 + to * DAY });

  test.each([
    ["from", 3, [3, 7]],
    ["from", -1, [0, 7]],
    ["from", 9, [7, 7]],
    ["to", 9, [2, 9]],
    ["to", 12, [2, 10]],
    ["to", 1, [2, 2]],
  ] as const)("after moving the thumb %s to day %d is %j", (thumb, at, [from, to]) => {
    expect(movedThumb(days(2, 7), thumb, { at: T0 + at * DAY, span })).toEqual(days(from, to));
  });

  test.each([
    [1, [3, 8]],
    [-1, [1, 6]],
    [-5, [0, 5]],
    [5, [5, 10]],
  ] as const)("moves by %d days at most to the ends of the span: %j", (by, [from, to]) => {
    expect(movedRange(days(2, 7), by * DAY, span)).toEqual(days(from, to));
  });

  test("filters by the ends that are not those of the span", () => {
    expect(filterOf(days(0, 7), span)).toEqual({ from: null, to: T0 + 7 * DAY });
    expect(filterOf(days(2, 10), span)).toEqual({ from: T0 + 2 * DAY, to: null });
    expect(filterOf(days(-1, 11), span)).toEqual({ from: null, to: null });
  });

  test("of a filter is within the span, and does not end before it starts", () => {
    const chosen = (from: number | null, to: number | null) =>
      chosenSpan({ from: from && T0 + from * DAY, to: to && T0 + to * DAY }, span);
    expect(chosen(null, null)).toEqual(span);
    expect(chosen(2, null)).toEqual(days(2, 10));
    expect(chosen(null, 7)).toEqual(days(0, 7));
    expect(chosen(-3, 12)).toEqual(span);
    expect(chosen(12, 14)).toEqual(days(10, 10));
    expect(chosen(5, 3)).toEqual(days(5, 5));
  });
});

describe("a drag of the time slider", () => {
  const span = { from: 0, to: 100 };
  /** Returns what is chosen after a pointer was pressed and moved. */
  function drag(chosen: TimeSpan, { thumb, path }: { thumb?: Thumb; path: readonly [number, ...number[]] }) {
    const [start, ...moves] = path;
    const held: Drag = { what: grabbedPart(start, { thumb, chosen, span }), start, chosen };
    let now = chosen;
    for (const at of moves) {
      held.what = draggedPart(held, { at, chosen: now, span });
      now = draggedRange(held, { at, chosen: now, span });
    }
    return now;
  }

  test.each([
    ["at the end, to the left", { from: 100, to: 100 }, [100, 101, 60], { from: 60, to: 100 }],
    ["at the beginning, to the right", { from: 0, to: 0 }, [0, -1, 40], { from: 0, to: 40 }],
    ["between, to the left", { from: 80, to: 80 }, [80, 79, 40], { from: 40, to: 80 }],
    ["between, to the right", { from: 80, to: 80 }, [80, 81, 90], { from: 80, to: 90 }],
    ["between, and back", { from: 80, to: 80 }, [80, 70, 90], { from: 80, to: 80 }],
    ["not moved", { from: 80, to: 80 }, [80], { from: 80, to: 80 }],
  ] as const)("moves the one of two thumbs at the same time that can move: %s", (_, chosen, path, after) => {
    // The later thumb lies on top.
    expect(drag(chosen, { thumb: "to", path })).toEqual(after);
  });

  test("takes the nearer thumb, also if both are at the same time", () => {
    const part = (at: number, chosen: TimeSpan) => grabbedPart(at, { thumb: undefined, chosen, span });
    expect(part(90, { from: 80, to: 80 })).toBe("to");
    expect(part(70, { from: 80, to: 80 })).toBe("from");
    expect(part(30, span)).toBe("from");
    expect(part(70, span)).toBe("to");
    expect(part(10, { from: 20, to: 60 })).toBe("from");
    expect(part(90, { from: 20, to: 60 })).toBe("to");
    expect(part(30, { from: 20, to: 60 })).toBe("range");
  });

  test("keeps all times of the other thumb when later reads arrive meanwhile", () => {
    const held: Drag = { what: "from", start: 0, chosen: span };
    const grown = { from: -10, to: 130 };
    const next = draggedRange(held, { at: 30, chosen: grown, span: grown });
    expect(filterOf(next, grown)).toEqual({ from: 30, to: null });
  });

  test("moves a range by the way of the pointer", () => {
    expect(drag({ from: 20, to: 60 }, { path: [30, 50, 55] })).toEqual({ from: 45, to: 85 });
  });
});
