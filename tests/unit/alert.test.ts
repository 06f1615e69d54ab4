import { describe, expect, it } from "vitest";
import { ageText } from "#app/components/alerts/alert-time.tsx";
import { afterAnswer, afterLooking, NOTHING_YET } from "#app/components/alerts/live-state.ts";
import { POLL_MS, pollDelay } from "#app/components/alerts/polling.ts";
import {
  type LiveAlert,
  type LiveAlerts,
  parseAlertFilter,
  readAlertKey,
  shareCorrect,
  writeAlertKey,
} from "#app/entities/alert.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/dates.ts";

const T = Date.UTC(2026, 10, 20, 12);

function hit(id: string, over: Partial<LiveAlert> = {}): LiveAlert {
  return {
    id,
    plate: "AB12345",
    state: "CT",
    camera: "Main St",
    timestamp: isoTime(T),
    arrived_at: isoTime(T),
    group: "Stolen",
    priority: "normal",
    seen: false,
    ...over,
  };
}

function answer(alerts: LiveAlert[], over: Partial<LiveAlerts> = {}): LiveAlerts {
  return { member: true, alerts, unread: alerts.length, cursor: String(T), ...over };
}

describe("the place in a history", () => {
  it("is read as it was written, also before 1970", () => {
    for (const key of [
      { capturedAt: T, id: "a-B_9" },
      { capturedAt: -5, id: "x" },
    ])
      expect(readAlertKey(writeAlertKey(key))).toEqual(key);
  });

  it.each([null, "", "1", "1.", ".a", "1.a b", "1e9.a", `${"9".repeat(17)}.a`])("is none: %j", (text) => {
    expect(readAlertKey(text)).toBeUndefined();
  });
});

describe("the filter of a history", () => {
  const parse = (query: string) => parseAlertFilter(new URLSearchParams(query));

  it("finds a plate anywhere within, or as a pattern from end to end", () => {
    expect(parse("plate=ab-1")).toMatchObject({ plate: "*AB1*" });
    expect(parse("plate=ab*")).toMatchObject({ plate: "AB*" });
    expect(parse("")).toMatchObject({ plate: "", program: "", from: null, until: null });
  });

  it("never lets a character class of the pattern language through", () => {
    expect(parse("plate=[A-Z]*")).toBeTypeOf("string");
  });
});

describe("the share of correct hits", () => {
  it("leaves out what was dismissed and what nobody has checked", () => {
    const counts = { correct: 3, "wrong-state": 0, misread: 1, dismissed: 90 };
    expect(shareCorrect({ counts })).toBe(0.75);
    expect(shareCorrect({ counts: { ...counts, correct: 0, misread: 0 } })).toBeNull();
  });
});

describe("asking for news", () => {
  it("is never more often than every five seconds, and rarer after failures", () => {
    expect(POLL_MS).toBeGreaterThanOrEqual(5000);
    const delays = [0, 1, 2, 3, 10, 1000].map(pollDelay);
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    expect(delays.at(-1)).toBe(2 * MINUTE);
  });

  it("takes the first answer for what was there before, and later hits for news", () => {
    const first = afterAnswer(NOTHING_YET, answer([hit("a")]));
    expect(first.arrived).toEqual([]);
    const second = afterAnswer(first.state, answer([hit("b"), hit("a")], { unread: 2 }));
    expect(second.arrived.map(({ id }) => id)).toEqual(["b"]);
    expect(second.state).toMatchObject({ unread: 2, cursor: String(T) });
  });

  it("tells whoever becomes a member while the app stands open nothing of what was there before", () => {
    const stranger = afterAnswer(NOTHING_YET, answer([], { member: false }));
    const member = afterAnswer(stranger.state, answer([hit("a")], { unread: 1 }));
    expect(member.arrived).toEqual([]);
    expect(member.state).toMatchObject({ member: true, unread: 1 });
    expect(afterAnswer(member.state, answer([hit("b")])).arrived).toHaveLength(1);
  });

  it("tells no hit twice, however often an answer repeats it", () => {
    const first = afterAnswer(NOTHING_YET, answer([]));
    const second = afterAnswer(first.state, answer([hit("a")]));
    const third = afterAnswer(second.state, answer([hit("a")]));
    expect([second.arrived.length, third.arrived.length]).toEqual([1, 0]);
  });

  it("tells nothing that was read in another window meanwhile", () => {
    const first = afterAnswer(NOTHING_YET, answer([]));
    expect(afterAnswer(first.state, answer([hit("a", { seen: true })], { unread: 0 })).arrived).toEqual([]);
  });

  it("keeps the count where nothing has come, and the newest twenty", () => {
    const many = Array.from({ length: 20 }, (_, i) => hit(`h${i}`, { arrived_at: isoTime(T - i * 1000) }));
    const first = afterAnswer(NOTHING_YET, answer(many, { unread: 7 }));
    const quiet = afterAnswer(first.state, answer([], { unread: null }));
    expect(quiet.state).toMatchObject({ unread: 7 });
    const late = hit("late", { arrived_at: isoTime(T + 1000) });
    const { state } = afterAnswer(quiet.state, answer([late], { unread: 8 }));
    expect(state.alerts).toHaveLength(20);
    expect(state.alerts[0]?.id).toBe("late");
  });

  it("has nothing unread once the list was looked at", () => {
    const { state } = afterAnswer(NOTHING_YET, answer([hit("a")]));
    expect(afterLooking(state)).toMatchObject({ unread: 0, alerts: [{ seen: true }] });
  });
});

describe("the age of a hit", () => {
  it("is one short word", () => {
    const ages = [0, 59_000, MINUTE, 59 * MINUTE, HOUR, DAY - 1, 3 * DAY];
    expect(ages.map((age) => ageText(isoTime(T - age), T))).toEqual([
      "now",
      "now",
      "1 min",
      "59 min",
      "1 h",
      "23 h",
      "3 d",
    ]);
  });
});
