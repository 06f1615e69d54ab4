import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PatternRead, patternOf, patternTables } from "#app/entities/search/analysis/pattern.ts";
import { timeWriter } from "#app/lib/time/dates.ts";

const HOUR = 3_600_000;
const clock = timeWriter("America/New_York");
const world = fc.array(
  fc.record({
    // Six weeks around the end of daylight saving time.
    time: fc.option(
      fc.integer({ min: 0, max: 42 * 24 * 60 }).map((minute) => Date.UTC(2026, 9, 10) + minute * 60_000),
      {
        nil: null,
        freq: 9,
      },
    ),
    camera: fc.constantFrom("Maple Ave", "Elm St", "I-91 Exit 11", ""),
  }),
  { maxLength: 60 },
);

const naiveFormat = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  weekday: "short",
  hour: "2-digit",
  hourCycle: "h23",
});

/** The weekday and hour by Intl, which the product does not use for this: `Mon 07`. */
const naiveHour = (time: number) => naiveFormat.format(time).replace(",", "");

const timesOf = (reads: PatternRead[]) =>
  reads.flatMap(({ time }) => (time === null ? [] : [time])).sort((a, b) => a - b);

describe("the pattern of a plate", () => {
  test("counts every read once in its hour of the week, with the usual camera", () => {
    fc.assert(
      fc.property(world, (reads) => {
        const { cells } = patternOf(reads, clock);
        expect(cells).toHaveLength(168);
        const named = reads.map((read) => ({
          ...read,
          hour: read.time === null ? "" : naiveHour(read.time),
        }));
        cells.forEach((cell, i) => {
          const weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Math.floor(i / 24)];
          const own = named.filter(({ hour }) => hour === `${weekday} ${String(i % 24).padStart(2, "0")}`);
          expect(cell.reads).toBe(own.length);
          const countOf = (camera: string) => own.filter((read) => read.camera === camera).length;
          for (const { camera } of own) expect(countOf(cell.camera)).toBeGreaterThanOrEqual(countOf(camera));
        });
      }),
    );
  });

  test("lists places with as many reads by name, with numbers as numbers", () => {
    const names = ["Camera 2", "Camera 10", "elm St", "Maple Ave"];
    const reads = names.toReversed().map((camera, i) => ({ camera, time: Date.UTC(2026, 9, 10) + i }));
    const { places, cells } = patternOf(reads, clock);
    expect(places.map(({ camera }) => camera)).toEqual(names);
    expect(cells.find((cell) => cell.reads > 0)?.camera).toBe("Camera 2");
  });

  test("has first and last seen, places by frequency, and days", () => {
    fc.assert(
      fc.property(world, (reads) => {
        const pattern = patternOf(reads, clock);
        const times = timesOf(reads);
        expect([pattern.reads, pattern.untimed]).toEqual([times.length, reads.length - times.length]);
        expect([pattern.first, pattern.last]).toEqual([times.at(0) ?? null, times.at(-1) ?? null]);
        expect(pattern.days).toBe(new Set(times.map((time) => clock(time).slice(0, 10))).size);
        const counts = pattern.places.map((place) => place.reads);
        expect(counts).toEqual([...counts].sort((a, b) => b - a));
        for (const place of pattern.places) {
          const own = timesOf(reads.filter(({ camera }) => camera === place.camera));
          expect([place.reads, place.first, place.last]).toEqual([own.length, own.at(0), own.at(-1)]);
          for (const list of [place.hours, place.weekdays])
            expect(list.reduce((sum, count) => sum + count, 0)).toBe(own.length);
        }
        expect(new Set(pattern.places.map(({ camera }) => camera)).size).toBe(counts.length);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(times.length);
      }),
    );
  });

  test("has the five longest gaps between consecutive reads", () => {
    fc.assert(
      fc.property(world, (reads) => {
        const times = timesOf(reads);
        const lengths = times.flatMap((time, i) => (i > 0 ? [time - (times[i - 1] ?? time)] : []));
        const { gaps } = patternOf(reads, clock);
        expect(gaps.map(({ from, to }) => to - from)).toEqual(
          lengths
            .filter((length) => length >= 60_000)
            .sort((a, b) => b - a)
            .slice(0, 5),
        );
        for (const { from, to } of gaps) {
          expect(times.includes(from) && times.includes(to)).toBe(true);
          expect(times.some((time) => time > from && time < to)).toBe(false);
        }
      }),
    );
  });

  test("is written as plain tables for the screen and reports", () => {
    const monday = Date.UTC(2026, 10, 16, 12, 30);
    const reads = [
      { time: monday, camera: "Maple Ave" },
      { time: monday + HOUR, camera: "Maple Ave" },
      { time: monday + 28 * HOUR, camera: "Elm St" },
      { time: null, camera: "Elm St" },
    ];
    const [places, hours, gaps] = patternTables(patternOf(reads, clock), clock);
    expect(places?.rows).toEqual([
      ["Maple Ave", "2", "2026-11-16 07:30:00 EST", "2026-11-16 08:30:00 EST", "Mon", "07:00-09:00"],
      ["Elm St", "1", "2026-11-17 11:30:00 EST", "2026-11-17 11:30:00 EST", "Tue", "11:00-12:00"],
    ]);
    expect(hours?.rows).toEqual([
      ["07:00", "0", "1", "0", "0", "0", "0", "0", "Maple Ave"],
      ["08:00", "0", "1", "0", "0", "0", "0", "0", "Maple Ave"],
      ["11:00", "0", "0", "1", "0", "0", "0", "0", "Elm St"],
    ]);
    expect(gaps?.rows.map(([, , length]) => length)).toEqual(["1 d 3 h", "1 h"]);
    expect(patternTables(patternOf([], clock), clock).every(({ rows }) => rows.length === 0)).toBe(true);
  });
});
