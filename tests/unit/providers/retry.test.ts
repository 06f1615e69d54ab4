import fc from "fast-check";
import { expect, test } from "vitest";
import { fullJitter, retryAfter, withRetry } from "#app/lib/retry.ts";
import { sleep } from "#app/lib/waiting.ts";
import { pauseAfter } from "#app/providers/http.ts";
import { ProviderFailure } from "#app/providers/provider.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const quiet = () => new AbortController().signal;

test("Retry-After is parsed as seconds and as an HTTP date", () => {
  expect(retryAfter("0", NOW)).toBe(0);
  expect(retryAfter(" 120 ", NOW)).toBe(120_000);
  expect(retryAfter("Fri, 20 Nov 2026 12:00:30 GMT", NOW)).toBe(30_000);
  expect(retryAfter("Fri, 20 Nov 2026 11:00:00 GMT", NOW)).toBe(0);
  for (const nonsense of [null, "", "soon", "-5", "1.5", "5 apples", "99999999999"]) {
    expect(retryAfter(nonsense, NOW)).toBeUndefined();
  }
});

test("Retry-After is limited, whatever the vendor sends", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const wait = retryAfter(text, NOW);
      expect(wait === undefined || (wait >= 0 && Number.isFinite(wait))).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 86_400 }), (seconds) => {
      expect(retryAfter(new Date(NOW + seconds * 1000).toUTCString(), NOW)).toBe(seconds * 1000);
    }),
  );
});

test("jitter is between zero and the step, and the step is capped", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (attempt, random) => {
        const delay = fullJitter(attempt, { base: 100, cap: 1000, random: () => random });
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(Math.min(1000, 100 * 2 ** (attempt - 1)));
      },
    ),
  );
});

test("a failing attempt is repeated as often as planned, and its last error is thrown", async () => {
  let made = 0;
  const attempt = async () => {
    made++;
    throw new Error(`attempt ${made}`);
  };
  await expect(withRetry(attempt, { attempts: 3, delayAfter: () => 0, signal: quiet() })).rejects.toThrow(
    "attempt 3",
  );
  expect(made).toBe(3);
  const onlyOnce = withRetry(attempt, { attempts: 3, delayAfter: () => undefined, signal: quiet() });
  await expect(onlyOnce).rejects.toThrow("attempt 4");
  expect(await withRetry(async () => 7, { attempts: 3, delayAfter: () => 0, signal: quiet() })).toBe(7);
});

test("an abort ends the wait at once, and there is no further attempt", async () => {
  const controller = new AbortController();
  let made = 0;
  const attempt = async () => {
    made++;
    throw new Error("down");
  };
  const running = withRetry(attempt, { attempts: 2, delayAfter: () => 60_000, signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  await expect(running).rejects.toThrow("down");
  expect(made).toBe(1);
  await sleep(60_000, controller.signal);
});

test("only failures that a retry may fix are retried, and only while a user waits", () => {
  const pause = (kind: ProviderFailure["kind"], after?: number) =>
    pauseAfter(new ProviderFailure(kind, "", after === undefined ? {} : { retryAfter: after }), 1);
  for (const kind of ["unreachable", "server-error", "rate-limited"] as const)
    expect(pause(kind)).toBeLessThan(1000);
  for (const kind of ["timeout", "refused", "bad-answer", "missing", "cancelled"] as const) {
    expect(pause(kind)).toBeUndefined();
  }
  expect(pause("rate-limited", 1000)).toBeGreaterThanOrEqual(1000);
  expect(pause("rate-limited", 60_000)).toBeUndefined();
  expect(pauseAfter(new Error("a bug"), 1)).toBeUndefined();
});
