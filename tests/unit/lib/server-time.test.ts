import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { noteServerTime, serverTime } from "#app/components/forms/server-time.ts";
import { DAY, HOUR, SECOND } from "#app/lib/time/dates.ts";

const NOW = Date.UTC(2026, 10, 20, 17);

/** Notes an answer that the server wrote at a time, on a computer whose clock is ahead of it. */
function answered(input: { at: number; ahead: number; before?: number; after?: number }): void {
  const { at, ahead, before = 0, after = 0 } = input;
  vi.setSystemTime(at + ahead + after);
  const headers = new Headers({ date: new Date(at).toUTCString(), "cache-control": "no-store" });
  noteServerTime(headers, { sent: at + ahead - before, received: at + ahead + after });
}

describe("the server's time", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    answered({ at: NOW, ahead: 0 });
    vi.useRealTimers();
  });

  it("is that of a right clock, also after an answer that took long", () => {
    answered({ at: NOW, ahead: 0, before: 20 * SECOND, after: 20 * SECOND });
    expect(serverTime()).toBe(Date.now());
  });

  it("stays as it was known after an answer without a time, or from the browser's cache", () => {
    answered({ at: NOW, ahead: -2 * HOUR });
    const [date, later] = ["Fri, 20 Nov 2026 12:00:00 GMT", { sent: NOW, received: NOW }];
    noteServerTime(new Headers({ "cache-control": "no-store" }), later);
    noteServerTime(new Headers({ date: "soon", "cache-control": "no-store" }), later);
    for (const cacheControl of ["private, max-age=300", "private, no-cache"])
      noteServerTime(new Headers({ date, "cache-control": cacheControl }), later);
    expect(serverTime()).toBe(NOW);
  });

  it("is known within a second and the time of the answer, however wrong the clock is", () => {
    const milliseconds = (most: number) => fc.integer({ min: 0, max: most });
    fc.assert(
      fc.property(
        fc.integer({ min: -30 * DAY, max: 30 * DAY }),
        milliseconds(DAY),
        milliseconds(10 * SECOND),
        milliseconds(10 * SECOND),
        (ahead, since, before, after) => {
          const at = NOW + since;
          answered({ at, ahead, before, after });
          expect(Math.abs(serverTime() - (at + after))).toBeLessThanOrEqual(before + after + SECOND);
        },
      ),
    );
  });
});
