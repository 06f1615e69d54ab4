import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { queueLateEvent } from "#app/domain/ingest/late-events.ts";
import { isAppError } from "#app/lib/errors.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";

const NOW = Date.UTC(2026, 6, 1);
const LATE = { newestAt: NOW - 60 * MINUTE, now: NOW, bytes: 1000 };
const CURRENT = { ...LATE, newestAt: NOW - MINUTE };
const AT_ONCE = 16;

/** Posts in the order in which their work began, each with the function that ends it. */
let begun: { name: string; end: () => void }[] = [];
const names = () => begun.map(({ name }) => name);

function post(name: string, what = LATE): Promise<string> {
  return queueLateEvent(what, () => new Promise((resolve) => begun.push({ name, end: () => resolve(name) })));
}

const ends = (name: string) => begun.find((one) => one.name === name)?.end();
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const refusal = (posted: Promise<unknown>) =>
  posted.then(
    () => "stored",
    (error: unknown) => (isAppError(error) ? [error.code, error.retryAfter] : error),
  );

describe("late events", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    begun = [];
  });
  afterEach(async () => {
    // Turns are kept by the module.
    await pass(10 * MINUTE);
    for (const { end } of begun) end();
    await pass(0);
    vi.useRealTimers();
  });

  const late = Array.from({ length: AT_ONCE + 3 }, (_, n) => `late ${n}`);

  test("begin sixteen at a time, in order; a current one begins at once", async () => {
    const posted = late.map((name) => post(name));
    await pass(100);
    expect(names()).toEqual(late.slice(0, AT_ONCE));
    const current = post("current", CURRENT);
    expect(names().at(-1)).toBe("current");
    ends("late 3");
    await pass(100);
    expect(names()).toEqual([...late.slice(0, AT_ONCE), "current", `late ${AT_ONCE}`]);
    expect(await posted[3]).toBe("late 3");
    ends("current");
    expect(await current).toBe("current");
    for (let left = 0; left < late.length; left++) {
      for (const { end } of begun) end();
      await pass(100);
    }
    expect(await Promise.all(posted)).toEqual(late);
  });

  test("a turn that failed is over", async () => {
    const failed = Array.from({ length: AT_ONCE }, () =>
      refusal(queueLateEvent(LATE, () => Promise.reject(new Error("the database is gone")))),
    );
    const next = post("next");
    await pass(100);
    expect(await Promise.all(failed)).toHaveLength(AT_ONCE);
    expect(names()).toEqual(["next"]);
    ends("next");
    await next;
  });

  test("are to be sent again if their turn does not come", async () => {
    for (const name of late.slice(0, AT_ONCE)) void post(name);
    const waiting = refusal(post("waiting"));
    await pass(9 * SECOND);
    expect(await waiting).toEqual(["unavailable", 10]);
    expect(names()).not.toContain("waiting");
  });

  test("are to be sent again if too many bytes wait; a single large one is stored", async () => {
    const large = { ...LATE, bytes: 40 * 1024 * 1024 };
    const first = post("large", large);
    await pass(100);
    expect(names()).toEqual(["large"]);
    expect(await refusal(post("more"))).toEqual(["unavailable", 10]);
    ends("large");
    expect(await first).toBe("large");
  });

  test("whose request was canceled without a word hold no turn for longer than a minute", async () => {
    for (const name of late.slice(0, AT_ONCE)) void post(name);
    await pass(61 * SECOND);
    void post("after");
    await pass(100);
    expect(names().at(-1)).toBe("after");
  });
});
