import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countdown, planSession } from "#app/components/accounts/session/plan.ts";
import { HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";

const time = (unused_left_ms: number, left_ms: number) => ({ username: "x", unused_left_ms, left_ms });

describe("the plan of a session", () => {
  it("checks again when the warning is due, more than two minutes before the end", () => {
    const plan = planSession(time(30 * MINUTE, 12 * HOUR));
    expect(plan).toEqual({ leftMs: 30 * MINUTE, warn: false, final: false, againMs: 27 * MINUTE });
    const due = planSession(time(30 * MINUTE - plan.againMs, 12 * HOUR - plan.againMs));
    expect(due.warn).toBe(true);
    expect(due.leftMs).toBeGreaterThanOrEqual(2 * MINUTE);
  });

  it("warns near the end and checks often, because another window may be in use", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -MINUTE, max: 3 * MINUTE }),
        fc.integer({ min: 0, max: HOUR }),
        (least, more) => {
          for (const plan of [
            planSession(time(least, least + more)),
            planSession(time(least + more, least)),
          ]) {
            expect(plan.warn).toBe(true);
            expect(plan.leftMs).toBe(Math.max(0, least));
            expect(plan.againMs).toBeGreaterThan(0);
            expect(plan.againMs).toBeLessThanOrEqual(15 * SECOND);
          }
        },
      ),
    );
  });

  it("recognizes an end that using the session does not extend", () => {
    expect(planSession(time(30 * MINUTE, 2 * MINUTE)).final).toBe(true);
    expect(planSession(time(2 * MINUTE, 3 * MINUTE)).final).toBe(false);
  });

  it("counts down in minutes and seconds, never below zero", () => {
    expect([180_000, 179_001, 61_000, 9_000, 1, 0, -5_000].map(countdown)).toEqual([
      "3:00",
      "3:00",
      "1:01",
      "0:09",
      "0:01",
      "0:00",
      "0:00",
    ]);
  });
});
