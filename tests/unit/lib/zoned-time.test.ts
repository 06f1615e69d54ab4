import { afterEach, describe, expect, it, vi } from "vitest";
import { localTime, timeWriter } from "#app/lib/time/dates.ts";
import { localAsUtc, zonedTime } from "#app/lib/time/zoned-time.ts";

const NEW_YORK = "America/New_York";
const QUARTER = 15 * 60_000;
const MINUTE = 60_000;
const NOON = Date.UTC(2026, 10, 20, 17);

afterEach(() => vi.restoreAllMocks());

/** Counts the calls of Intl, which take most of the time. */
const counted = () => vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts");

describe("times in a zone", () => {
  it("are those of its clocks, with its name", () => {
    const write = zonedTime(NEW_YORK);
    expect(write(NOON + 3_007_999)).toBe("2026-11-20 12:50:07 EST");
    expect(write(Date.UTC(2026, 6, 1, 4))).toBe("2026-07-01 00:00:00 EDT");
    expect(write(Date.UTC(2026, 6, 1, 4) - 1)).toBe("2026-06-30 23:59:59 EDT");
    expect(zonedTime("Asia/Kathmandu")(NOON)).toBe("2026-11-20 22:45:00 GMT+5:45");
    expect(zonedTime("UTC")(0)).toBe("1970-01-01 00:00:00 UTC");
    expect(zonedTime("UTC")(-1)).toBe("1969-12-31 23:59:59 UTC");
    expect(() => zonedTime("Mars/Olympus")).toThrow(RangeError);
  });

  it("ask Intl only at the ends of each quarter of an hour", () => {
    const calls = counted();
    const write = zonedTime(NEW_YORK);
    for (const at of [NOON, NOON + 1, NOON + QUARTER - 1]) write(at);
    expect(calls).toHaveBeenCalledTimes(2);
    expect(calls.mock.calls).toEqual([[NOON], [NOON + QUARTER - 1000]]);
    write(NOON + QUARTER);
    write(NOON - 1);
    expect(calls).toHaveBeenCalledTimes(6);
    write(NOON);
    expect(calls).toHaveBeenCalledTimes(6);
  });

  it("remember 500 quarters", () => {
    const calls = counted();
    const write = zonedTime("UTC");
    for (let i = 0; i < 500; i++) write(NOON + i * QUARTER);
    write(NOON);
    expect(calls).toHaveBeenCalledTimes(1000);
    write(NOON + 500 * QUARTER);
    write(NOON + 500 * QUARTER);
    expect(calls).toHaveBeenCalledTimes(1002);
    write(NOON);
    expect(calls).toHaveBeenCalledTimes(1004);
  });

  it.each([
    ["1970-01-01 00:00:00 UTC", 0, 2],
    ["1969-12-31 23:59:59 UTC", -1, 1],
    ["8999-12-31 23:59:59 UTC", Date.UTC(9000, 0) - 1, 2],
    ["9000-01-01 00:00:00 UTC", Date.UTC(9000, 0), 1],
    ["275760-09-13 00:00:00 UTC", 8.64e15, 1],
  ])("have other forms before 1970 and from 9000 on, which are not cached: %s", (text, at, count) => {
    const calls = counted();
    expect(zonedTime("UTC")(at)).toBe(text);
    expect(calls).toHaveBeenCalledTimes(count);
  });

  /** A zone whose clocks change at a minute within a quarter. */
  function changing(of: (at: number) => { offset: number; name: string }) {
    return counted().mockImplementation((at) => {
      const { offset, name } = of(Number(at));
      const [year, month, day, hour, minute, second] = new Date(Number(at) + offset)
        .toISOString()
        .split(/\D/);
      const parts = { year, month, day, hour, minute, second, timeZoneName: name };
      return Object.entries(parts).map(([type, value]) => ({ type, value }) as Intl.DateTimeFormatPart);
    });
  }

  it.each([
    ["clocks", 60 * MINUTE, "A", "2026-11-20 18:05:00 A"],
    ["name", 0, "B", "2026-11-20 17:05:00 B"],
    ["clocks and name", 60 * MINUTE, "B", "2026-11-20 18:05:00 B"],
  ])("are right if only the %s change within a quarter", (_, later, name, after) => {
    const change = NOON + 5 * MINUTE;
    const calls = changing((at) => (at < change ? { offset: 0, name: "A" } : { offset: later, name }));
    const write = zonedTime("UTC");
    expect([write(change - 1000), write(change)]).toEqual(["2026-11-20 17:04:59 A", after]);
    // Both ends once, and each time.
    expect(calls).toHaveBeenCalledTimes(4);
  });

  it("may change exactly at the end of a quarter", () => {
    const change = NOON + QUARTER;
    const calls = changing((at) => (at < change ? { offset: 0, name: "A" } : { offset: MINUTE, name: "B" }));
    const write = zonedTime("UTC");
    expect([write(change - 1000), write(change)]).toEqual(["2026-11-20 17:14:59 A", "2026-11-20 17:16:00 B"]);
    expect(calls).toHaveBeenCalledTimes(4);
  });

  it("are those of UTC clocks that show the same", () => {
    expect(localAsUtc(Date.UTC(2026, 6, 1, 16, 0, 7), NEW_YORK)).toBe(Date.UTC(2026, 6, 1, 12, 0, 7));
    expect(localAsUtc(Date.UTC(2026, 0, 1, 3), NEW_YORK)).toBe(Date.UTC(2025, 11, 31, 22));
  });

  it("have one writer for each zone", () => {
    expect(timeWriter(NEW_YORK)).toBe(timeWriter(NEW_YORK));
    expect(timeWriter(NEW_YORK)).not.toBe(timeWriter("UTC"));
    expect(localTime(8.64e15, "UTC")).toBe("275760-09-13 00:00:00 UTC");
    expect(localTime(-8.64e15 - 1, "UTC")).toBeUndefined();
  });
});
