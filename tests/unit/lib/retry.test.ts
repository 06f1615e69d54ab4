import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fullJitter, retryAfter, retryBriefly, withRetry } from "#app/lib/retry.ts";
import { sleep, withDeadline } from "#app/lib/waiting.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A step that fails a number of times, and the milliseconds at which it was tried. */
function failing(times: number) {
  const start = Date.now();
  const triedAt: number[] = [];
  const step = async () => {
    triedAt.push(Date.now() - start);
    if (triedAt.length <= times) throw new Error(`failure ${triedAt.length}`);
    return "done";
  };
  return { step, triedAt };
}

describe("a step that fails", () => {
  it("is tried again after each delay, which depends on the error and the attempt", async () => {
    const { step, triedAt } = failing(2);
    const delays: unknown[] = [];
    const delayAfter = (error: unknown, attempt: number) => {
      delays.push([error instanceof Error && error.message, attempt]);
      return attempt * 1000;
    };
    const result = withRetry(step, { attempts: 5, delayAfter, signal: new AbortController().signal });
    await vi.runAllTimersAsync();
    expect(await result).toBe("done");
    expect([triedAt, delays]).toEqual([
      [0, 1000, 3000],
      [
        ["failure 1", 1],
        ["failure 2", 2],
      ],
    ]);
  });

  it("is not tried again after an abort, before or during the delay", async () => {
    const controller = new AbortController();
    const { step, triedAt } = failing(9);
    const plan = { attempts: 5, delayAfter: vi.fn(() => 1000), signal: controller.signal };
    const result = withRetry(step, plan).catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(500);
    controller.abort();
    expect([await result, triedAt, vi.getTimerCount()]).toEqual(["failure 1", [0], 0]);
    await expect(withRetry(step, plan)).rejects.toThrow("failure 2");
    expect(plan.delayAfter).toHaveBeenCalledTimes(1);
  });

  it("against our own databases is tried four times within a second", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.999);
    const { step, triedAt } = failing(9);
    const result = retryBriefly(step).catch((error: Error) => error.message);
    await vi.runAllTimersAsync();
    expect([await result, triedAt]).toEqual(["failure 4", [0, 99, 298, 697]]);
  });
});

it.each([
  [1, 0.5, 50],
  [2, 0.5, 100],
  [3, 0.5, 200],
  [4, 0.5, 250],
  [9, 0.999, 499],
  [9, 0, 0],
])("the delay after attempt %d with the random number %d is %d ms", (attempt, random, delay) => {
  expect(fullJitter(attempt, { base: 100, cap: 500, random: () => random })).toBe(delay);
});

it.each([
  ["0", 0],
  ["999999999", 999_999_999_000],
  ["1000000000", undefined],
  ["Fri, 20 Nov 2026 12:00:30 GMT", 30_000],
  ["Friday, 20-Nov-26 12:00:30 GMT", 30_000],
  ["Fri Nov 20 12:00:30 2026 GMT", 30_000],
  ["fri, 20 Nov 2026 11:00:00 GMT", 0],
  ["Fri, 40 Nov 2026 12:00:30 GMT", undefined],
  ["20 Nov 2026 12:00:30 GMT", undefined],
  ["xFri, 20 Nov 2026 12:00:30 GMT", undefined],
  ["Fri", undefined],
  [null, undefined],
])("Retry-After: %s is %j ms", (header, delay) => {
  expect(retryAfter(header, Date.UTC(2026, 10, 20, 12))).toBe(delay);
});

it("a wait ends after its time or at an abort, and leaves neither a timer nor a listener", async () => {
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, "removeEventListener");
  let ended = false;
  void sleep(1000, signal).then(() => {
    ended = true;
  });
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect([ended, vi.getTimerCount(), removed.mock.calls[0]?.[0]]).toEqual([true, 0, "abort"]);
  await sleep(1000, AbortSignal.abort());
  expect(vi.getTimerCount()).toBe(0);
});

it("work that takes too long fails, and work in time leaves no timer", async () => {
  const late = expect(withDeadline(1000, sleep(1001), "too late")).rejects.toThrow("too late");
  await vi.advanceTimersByTimeAsync(1001);
  await late;
  expect([await withDeadline(1000, Promise.resolve("done"), "too late"), vi.getTimerCount()]).toEqual([
    "done",
    0,
  ]);
});
