import { describe, expect, it } from "vitest";
import {
  comparedPlate,
  createHourOf,
  repeatedSearches,
  SAMPLE_BELOW,
  unusualHour,
} from "#app/entities/oversight/review.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const utcHour = (at: number) => Math.floor(at / HOUR) % 24;

/** Searches at an hour, one a day, on the first `days` days and then again from the first, a millisecond apart. */
const searchesAt = (hour: number, count: number, days = count) =>
  Array.from({ length: count }, (_, n) => (n % days) * DAY + hour * HOUR + n);

describe("the hour of a search", () => {
  const unusual = (hour: number, history: number[]) => unusualHour(500 * DAY + hour * HOUR, history, utcHour);

  it.each([
    [0, "23:00", "02:00"],
    [1, "00:00", "03:00"],
    [9, "08:00", "11:00"],
    [21, "20:00", "23:00"],
    [22, "21:00", "00:00"],
    [23, "22:00", "01:00"],
  ])("%d is compared with the hours from %s to %s", (hour, from, to) => {
    const other = (hour + 12) % 24;
    expect(unusual(hour, searchesAt(other, 30))).toBe(
      `None of this person's 30 searches in the 60 days before were made between ${from} and ${to}.`,
    );
    for (const near of [hour + 23, hour, hour + 1])
      expect(unusual(hour, searchesAt(near % 24, 30))).toBeUndefined();
    for (const far of [hour + 22, hour + 2]) expect(unusual(hour, searchesAt(far % 24, 30))).toBeDefined();
  });

  it("is unusual with one search in a hundred, not with one in ninety-nine", () => {
    expect(unusual(3, [...searchesAt(12, 99), ...searchesAt(3, 1)])).toBe(
      "1 of this person's 100 searches in the 60 days before was made between 02:00 and 05:00.",
    );
    expect(unusual(3, [...searchesAt(12, 98), ...searchesAt(3, 1)])).toBeUndefined();
    expect(unusual(3, [...searchesAt(12, 198), ...searchesAt(2, 1), ...searchesAt(4, 1)])).toBe(
      "2 of this person's 200 searches in the 60 days before were made between 02:00 and 05:00.",
    );
  });

  it.each([
    [30, 10, true],
    [29, 10, false],
    [30, 9, false],
    [90, 9, false],
  ])("is reported with %d searches on %d days: %s", (count, days, reported) => {
    expect(unusual(3, searchesAt(12, count, days)) !== undefined).toBe(reported);
  });

  it("is in the time zone of the agency; an unknown zone throws", () => {
    const hourOf = createHourOf("America/New_York");
    const midnight = Date.parse("2026-07-01T04:00:00Z");
    expect([midnight - 1, midnight, midnight, midnight + HOUR - 1, midnight + HOUR].map(hourOf)).toEqual([
      23, 0, 0, 0, 1,
    ]);
    expect(() => createHourOf("America/Hartford")).toThrow(RangeError);
  });
});

describe("the limits of the other rules", () => {
  it("compare plates of at least three characters", () => {
    expect(["a-b", "a-b-c", "ab1"].map(comparedPlate)).toEqual(["", "ABC", "AB1"]);
  });

  it("take one link of a hundred as the sample: below 42,949,673 of 2^32", () => {
    expect(SAMPLE_BELOW).toBe("028f5c29");
  });

  it("list each repeated search once, with those of the 14 days before, to the millisecond", () => {
    const from = 100 * DAY;
    const searches = (...ats: number[]) => ats.map((at, seq) => ({ seq, at }));
    const found = (ats: number[]) =>
      repeatedSearches(searches(...ats), from, from + DAY).map(({ seq }) => seq);
    const last = from + HOUR;
    const early = last - 14 * DAY;
    expect(found([early, last - 3, last - 2, last - 1, last])).toEqual([0, 1, 2, 3, 4]);
    expect(found([early - 1, last - 3, last - 2, last - 1, last])).toEqual([]);
    expect(found([early - 1, last - 4, last - 3, last - 2, last - 1, last])).toEqual([0, 1, 2, 3, 4, 5]);
    expect(found([from - 4, from - 3, from - 2, from - 1, from])).toEqual([0, 1, 2, 3, 4]);
    expect(found([from - 5, from - 4, from - 3, from - 2, from - 1])).toEqual([]);
    expect(found([from, from + 1, from + 2, from + 3, from + DAY])).toEqual([]);
    expect(found([from, from + 1, from + 2, from + 3, from + DAY - 1])).toEqual([0, 1, 2, 3, 4]);
  });
});
