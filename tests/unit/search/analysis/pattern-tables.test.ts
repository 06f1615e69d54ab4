import { describe, expect, it } from "vitest";
import { type PatternRead, patternOf, patternTables } from "#app/entities/search/analysis/pattern.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Sunday, 2026-11-15, midnight. */
const SUNDAY = Date.UTC(2026, 10, 15);
const clock = (time: number) => `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
const read = (time: number, camera = "A"): PatternRead => ({ time: SUNDAY + time, camera });
const tables = (...reads: PatternRead[]) => patternTables(patternOf(reads, clock), clock);
const rowsOf = (index: number, ...reads: PatternRead[]) => tables(...reads)[index]?.rows;

describe("the tables of a pattern", () => {
  it("have titles and headings", () => {
    expect(tables().map(({ title, head }) => [title, head])).toEqual([
      ["Places", ["Camera", "Reads", "First read", "Last read", "Days", "Hours"]],
      ["Hours of the week", ["Hour", "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Usual camera"]],
      ["Longest gaps", ["Last read before", "Next read", "Length"]],
    ]);
  });

  it("list places by reads, then by name, with their days and hours", () => {
    const reads = [
      read(0, "B"),
      read(23 * HOUR, "B"),
      read(DAY, "C"),
      read(6 * DAY + HOUR, "C"),
      read(5 * HOUR, ""),
      read(HOUR, "A"),
    ];
    expect(
      rowsOf(0, ...reads)?.map(([camera, count, , , days, hours]) => [camera, count, days, hours]),
    ).toEqual([
      ["B", "2", "Sun", "00:00-01:00, 23:00-24:00"],
      ["C", "2", "Mon, Sat", "00:00-02:00"],
      ["N/A", "1", "Sun", "05:00-06:00"],
      ["A", "1", "Sun", "01:00-02:00"],
    ]);
  });

  it("list cameras of the same name separately, with their agencies", () => {
    const at = (time: number, camera: string, agency: string) => ({ ...read(time, camera), agency });
    const reads = [
      at(0, "Main St", "Berlin"),
      at(HOUR, "Main St", "Berlin"),
      at(2 * HOUR, "Main St", "Avon"),
      at(2 * HOUR, "Elm St", "Avon"),
      at(3 * HOUR, "", "Avon"),
      at(3 * HOUR, "", "Berlin"),
    ];
    expect(rowsOf(0, ...reads)?.map(([camera, count, , , , hours]) => [camera, count, hours])).toEqual([
      ["Main St (Berlin)", "2", "00:00-02:00"],
      ["Elm St", "1", "02:00-03:00"],
      ["Main St (Avon)", "1", "02:00-03:00"],
      ["N/A (Avon)", "1", "03:00-04:00"],
      ["N/A (Berlin)", "1", "03:00-04:00"],
    ]);
    expect(patternOf(reads, clock).cells[2]).toEqual({ reads: 2, camera: "Elm St" });
  });

  it("list the hours with reads, each with the camera that has the most, the first of the places among equals", () => {
    const reads = [
      read(HOUR, "B"),
      read(DAY + HOUR, "A"),
      read(DAY + HOUR, "A"),
      read(DAY + HOUR, "B"),
      read(3 * HOUR, ""),
      read(4 * HOUR, "B"),
    ];
    expect(rowsOf(1, ...reads)).toEqual([
      ["01:00", "1", "3", "0", "0", "0", "0", "0", "B"],
      ["03:00", "1", "0", "0", "0", "0", "0", "0", "N/A"],
      ["04:00", "1", "0", "0", "0", "0", "0", "0", "B"],
    ]);
  });

  it.each([
    [DAY, "1 d"],
    [DAY + 59 * MINUTE, "1 d"],
    [DAY + HOUR, "1 d 1 h"],
    [49 * HOUR, "2 d 1 h"],
    [HOUR, "1 h"],
    [HOUR + MINUTE - 1, "1 h"],
    [HOUR + MINUTE, "1 h 1 min"],
    [23 * HOUR + 59 * MINUTE, "23 h 59 min"],
    [59 * MINUTE, "59 min"],
    [MINUTE, "1 min"],
  ])("write a gap of %d ms as %s", (gap, text) => {
    expect(rowsOf(2, read(0), read(gap))).toEqual([[clock(SUNDAY), clock(SUNDAY + gap), text]]);
  });

  it("have no gap below a minute", () => {
    expect(rowsOf(2, read(0), read(MINUTE - 1))).toEqual([]);
  });
});

describe("a pattern", () => {
  it("has the cells of the week, Sunday first, each with its camera with the most reads, by name among equals", () => {
    const { cells } = patternOf(
      [
        read(0, "B"),
        read(1, "A"),
        read(6 * DAY + 23 * HOUR, "B"),
        read(6 * DAY + 23 * HOUR, "B"),
        read(6 * DAY + 23 * HOUR, "A"),
      ],
      clock,
    );
    expect([cells[0], cells[1], cells[167]]).toEqual([
      { reads: 2, camera: "A" },
      { reads: 0, camera: "" },
      { reads: 3, camera: "B" },
    ]);
  });

  it("has its longest gaps first, then the earliest, five at most", () => {
    const times = [0, 10, 20, 50, 60, 62, 63].map((minutes) => read(minutes * MINUTE));
    const { gaps } = patternOf(times, clock);
    expect(gaps.map(({ from, to }) => [(from - SUNDAY) / MINUTE, (to - SUNDAY) / MINUTE])).toEqual([
      [20, 50],
      [0, 10],
      [10, 20],
      [50, 60],
      [60, 62],
    ]);
  });

  it("of no reads is empty", () => {
    expect(patternOf([{ time: null, camera: "A" }], clock)).toMatchObject({
      reads: 0,
      untimed: 1,
      first: null,
      last: null,
      days: 0,
      places: [],
      gaps: [],
    });
  });
});
