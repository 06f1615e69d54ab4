import { describe, expect, it } from "vitest";
import { believableTime, isReadTime, latestOnScale } from "#app/entities/ingest/read-time.ts";

const EARLIEST = Date.UTC(1980, 0, 1);
const END = Date.UTC(2200, 0, 1);

describe("the time of a read", () => {
  it.each([
    [EARLIEST - 1, false],
    [EARLIEST, true],
    [END - 1, true],
    [END, false],
    [Number.NaN, false],
  ])("%d is plausible: %s", (time, expected) => {
    expect(isReadTime(time)).toBe(expected);
    expect(believableTime(time)).toBe(expected ? time : Number.NaN);
  });

  it("counts as missing if it is later than the given latest time", () => {
    const latest = Date.UTC(2026, 10, 20);
    expect(believableTime(latest, latest)).toBe(latest);
    expect(believableTime(latest + 1, latest)).toBeNaN();
  });

  it("is on the scale up to one day from now", () => {
    expect(latestOnScale(Date.UTC(2026, 10, 20, 12))).toBe(Date.UTC(2026, 10, 21, 12));
  });
});
