import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countEvents, paced, type RateLimit, rateLimitFields, returnEvent } from "#app/lib/rate-limit.ts";

describe("the rate limit header fields", () => {
  it("have an item per policy, with the reset only if it is known", () => {
    const limits = [
      { policy: "service-account", quota: 300, windowSeconds: 60, remaining: 12, resetSeconds: 58 },
      { policy: "investigations", quota: 20, windowSeconds: 86_400, remaining: 0 },
    ];
    expect(rateLimitFields(limits)).toEqual({
      policy: '"service-account";q=300;w=60, "investigations";q=20;w=86400',
      limit: '"service-account";r=12;t=58, "investigations";r=0',
    });
  });

  it("follow the token bucket: the remaining tokens, and the time until it is full", () => {
    let now = 1_000_000;
    const app = { clock: () => now, rateLimits: new Map<string, RateLimit>() };
    const event = { source: "fields test", rate: { policy: "test", burst: 4, perSecond: 0.5 } };
    const noted = () => rateLimitFields([...app.rateLimits.values()]).limit;
    countEvents(app, event);
    expect(noted()).toBe('"test";r=3;t=2');
    countEvents(app, { ...event, count: 3 });
    expect(noted()).toBe('"test";r=0;t=8');
    expect(() => countEvents(app, event)).toThrow(
      expect.objectContaining({ code: "too_many", retryAfter: 2 }),
    );
    expect(noted()).toBe('"test";r=0;t=8');
    returnEvent(app, event);
    expect(noted()).toBe('"test";r=1;t=6');
    now += 60_000;
    countEvents(app, event);
    expect(noted()).toBe('"test";r=3;t=2');
    expect(rateLimitFields([...app.rateLimits.values()]).policy).toBe('"test";q=4;w=8');
  });
});

describe("paced callers", () => {
  it("start at once until the burst is used, and then one in each interval", () => {
    const wait = paced({ burst: 3, everyMs: 300 });
    expect([1000, 1000, 1000, 1000, 1000].map(wait)).toEqual([0, 0, 0, 300, 600]);
    expect(wait(1500)).toBe(400);
    expect([9000, 9000, 9000, 9000].map(wait)).toEqual([0, 0, 0, 300]);
  });

  it("start in the order of their calls, and never more than the burst within an interval", () => {
    const pauses = fc.array(fc.nat(900), { maxLength: 60 });
    fc.assert(
      fc.property(pauses, fc.integer({ min: 1, max: 5 }), (gaps, burst) => {
        const wait = paced({ burst, everyMs: 300 });
        let now = 0;
        const starts = gaps.map((gap) => {
          now += gap;
          return now + wait(now);
        });
        for (const [i, start] of starts.entries()) {
          expect(start).toBeGreaterThanOrEqual(starts[i - 1] ?? 0);
          const earlier = starts[i - burst];
          if (earlier !== undefined) expect(start - earlier).toBeGreaterThanOrEqual(300);
        }
      }),
    );
  });
});
