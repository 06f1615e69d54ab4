import { describe, expect, it } from "vitest";
import {
  afterAnswer,
  afterRefusal,
  INITIAL_STATE,
  type LiveState,
  needsFullLoad,
  noticesUntil,
  readUntil,
  unreadNotices,
  withListClosed,
  withListOpen,
} from "#app/components/alerts/live/state.ts";
import { noticeText } from "#app/components/alerts/text.ts";
import { ageText } from "#app/components/alerts/time.tsx";
import {
  dispositionLabel,
  type ExpiryNotice,
  type LiveAlert,
  type LiveAlerts,
  readAlertKey,
  shareCorrect,
  writeAlertKey,
} from "#app/entities/alerts/hit.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";

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
    group_id: "stolen",
    priority: "normal",
    reason: "Stolen vehicle",
    match: "Exact",
    image_url: null,
    images_pending: false,
    seen: false,
    ...over,
  };
}

function answer(alerts: LiveAlert[], over: Partial<LiveAlerts> = {}): LiveAlerts {
  const unread = alerts.length;
  return { member: true, alerts, notices: null, unread, seen_at: isoTime(0), cursor: String(T), ...over };
}

describe("the position in an alert history", () => {
  it("survives writing and reading, including times before 1970", () => {
    for (const key of [
      { capturedAt: T, id: "a-B_9" },
      { capturedAt: -5, id: "x" },
    ])
      expect(readAlertKey(writeAlertKey(key))).toEqual(key);
  });

  it.each([null, "", "1", "1.", ".a", "1.a b", "1e9.a", `${"9".repeat(17)}.a`])("is rejected: %j", (text) => {
    expect(readAlertKey(text)).toBeUndefined();
  });
});

describe("the share of correct hits", () => {
  it("ignores dismissed and unreviewed hits", () => {
    const counts = { correct: 3, "wrong-state": 0, misread: 1, dismissed: 90 };
    expect(shareCorrect({ counts })).toBe(0.75);
    expect(shareCorrect({ counts: { ...counts, correct: 0, misread: 0 } })).toBeNull();
  });
});

describe("the name of a disposition", () => {
  it("is the text that users see", () => {
    expect(dispositionLabel("correct")).toBe("Correct");
    expect(dispositionLabel("wrong-state")).toBe("Wrong state");
  });
});

describe("live hits", () => {
  const news = (before: LiveState, given: LiveAlerts) =>
    afterAnswer(before, { answer: given, isFull: false, at: T });
  const full = (before: LiveState, given: LiveAlerts) =>
    afterAnswer(before, { answer: given, isFull: true, at: T });
  const start = (...alerts: LiveAlert[]) => full(INITIAL_STATE, answer(alerts)).state;
  const ids = (alerts: readonly LiveAlert[]) => alerts.map(({ id }) => id);
  const many = (count: number, from = T) =>
    Array.from({ length: count }, (_, i) => hit(`h${i}`, { arrived_at: isoTime(from - i * 1000) }));

  it("treat hits of the first answer as known, and later hits as new", () => {
    const first = full(INITIAL_STATE, answer([hit("a")]));
    expect(first.arrived).toEqual([]);
    const second = news(first.state, answer([hit("b"), hit("a")], { unread: 2 }));
    expect(ids(second.arrived)).toEqual(["b"]);
    expect(second.state).toMatchObject({ unread: 2, cursor: String(T) });
  });

  it("announce the first hits of a user who becomes a member while the app is open", () => {
    const stranger = full(INITIAL_STATE, answer([], { member: false }));
    const member = full(stranger.state, answer([hit("a"), hit("read", { seen: true })], { unread: 1 }));
    expect(ids(member.arrived)).toEqual(["a"]);
    expect(member.state).toMatchObject({ member: true, unread: 1 });
    expect(news(member.state, answer([hit("b")])).arrived).toHaveLength(1);
  });

  it("are removed while the user may not see hits, and loaded again seldom; without a session they wait", () => {
    const before = start(hit("b"), hit("a"));
    expect(afterRefusal(before, 403)).toEqual({ outcome: "seldom", state: INITIAL_STATE, gone: ["b", "a"] });
    expect(afterRefusal(before, 401)).toEqual({ outcome: "stop", state: before, gone: [] });
    expect(needsFullLoad(afterRefusal(before, 403).state, { resumed: false, now: T })).toBe(true);
  });

  it("announce each hit once, even if later answers repeat it", () => {
    const second = news(start(), answer([hit("a")]));
    const third = news(second.state, answer([hit("a")]));
    const fourth = full(third.state, answer([hit("a")]));
    expect([second, third, fourth].map(({ arrived }) => arrived.length)).toEqual([1, 0, 0]);
  });

  it("do not announce hits that were read in another window", () => {
    expect(news(start(), answer([hit("a", { seen: true })], { unread: 0 })).arrived).toEqual([]);
  });

  it("keep the unread count if nothing is new, and the newest twenty hits", () => {
    const first = full(INITIAL_STATE, answer(many(20), { unread: 7 }));
    const quiet = news(first.state, answer([], { unread: null }));
    expect(quiet.state).toMatchObject({ unread: 7 });
    const late = hit("late", { arrived_at: isoTime(T + 1000) });
    const { state } = news(quiet.state, answer([late], { unread: 8 }));
    expect(state.alerts).toHaveLength(20);
    expect(state.alerts[0]?.id).toBe("late");
  });

  it("mark hits as read that were read in another window", () => {
    const before = start(hit("b", { arrived_at: isoTime(T + 1) }), hit("a"));
    const { state } = news(before, answer([], { unread: 1, seen_at: isoTime(T) }));
    expect(state).toMatchObject({ unread: 1, alerts: [{ seen: false }, { seen: true }] });
  });

  it("load everything at first, after a pause and every five minutes", () => {
    const state = start(hit("a"));
    expect(needsFullLoad(INITIAL_STATE, { resumed: false, now: T })).toBe(true);
    expect(needsFullLoad(start(), { resumed: true, now: T })).toBe(true);
    expect(needsFullLoad(state, { resumed: false, now: T + 5 * MINUTE - 1 })).toBe(false);
    const later = news(state, answer([])).state;
    expect(needsFullLoad(later, { resumed: false, now: T + 5 * MINUTE })).toBe(true);
  });

  it("load everything while a picture of a recent hit is pending", () => {
    const pending = start(hit("a", { images_pending: true }), hit("b"));
    expect(needsFullLoad(pending, { resumed: false, now: T + MINUTE })).toBe(true);
    expect(needsFullLoad(pending, { resumed: false, now: T + 3 * MINUTE })).toBe(false);
  });

  it("drop hits of a group that the user left, without announcing hits that replace them", () => {
    const before = start(...many(20));
    const rest = before.alerts.filter((_, i) => i % 2 === 0);
    const older = hit("older", { arrived_at: isoTime(T - MINUTE) });
    const { state, arrived, gone } = full(before, answer([...rest, older]));
    expect(ids(state.alerts)).toEqual([...ids(rest), "older"]);
    expect(arrived).toEqual([]);
    expect(gone).toEqual(ids(before.alerts.filter((_, i) => i % 2 === 1)));
    expect(full(state, answer([], { member: false })).state).toMatchObject({ member: false, alerts: [] });
  });

  it("do not report a hit as gone if newer hits pushed it out of the list", () => {
    const { gone } = full(start(hit("old", { arrived_at: isoTime(T - HOUR) })), answer(many(20)));
    expect(gone).toEqual([]);
  });

  it("announce hits that arrived during a pause, even if the list is full", () => {
    const before = start(...many(20));
    const slept = hit("slept", { arrived_at: isoTime(T + HOUR) });
    const { arrived } = full(before, answer([slept, ...before.alerts.slice(0, 19)]));
    expect(ids(arrived)).toEqual(["slept"]);
  });

  it("are all read after the list was open", () => {
    expect(withListClosed(start(hit("a")))).toMatchObject({ unread: 0, alerts: [{ seen: true }] });
  });

  it("keep their unread marks while the list is open", () => {
    const open = withListOpen(start(hit("a")));
    expect(open.unread).toBe(0);
    const { state } = news(open, answer([hit("a", { seen: true })], { unread: 0, seen_at: isoTime(T) }));
    expect(state.alerts).toMatchObject([{ seen: false }]);
    expect(withListClosed(state).alerts).toMatchObject([{ seen: true }]);
  });

  it("are read up to the newest listed hit, including one that arrived while the list was open", () => {
    expect(readUntil(start(hit("a", { seen: true })))).toBe(isoTime(T));
    const read = withListClosed(start(hit("a")));
    expect(readUntil(read)).toBeUndefined();
    const later = hit("b", { arrived_at: isoTime(T + MINUTE) });
    const open = news(withListOpen(read), answer([later])).state;
    expect(readUntil(open)).toBe(later.arrived_at);
    expect(readUntil(start())).toBeUndefined();
  });
});

describe("notices of expiring plates", () => {
  const notice = (over: Partial<ExpiryNotice> = {}): ExpiryNotice => ({
    id: "stolen.week",
    group_id: "stolen",
    group: "Stolen",
    stage: "week",
    plates: 1,
    plate: "AB12345",
    noticed_at: isoTime(T),
    seen: false,
    ...over,
  });
  const given = (notices: ExpiryNotice[] | null) => answer([], { notices });
  const apply = (before: LiveState, answered: LiveAlerts) =>
    afterAnswer(before, { answer: answered, isFull: false, at: T }).state;

  it("are unread until the list was open, and stay if an answer does not contain notices", () => {
    const state = apply(INITIAL_STATE, given([notice(), notice({ id: "b", seen: true })]));
    expect(unreadNotices(state)).toBe(1);
    expect(noticesUntil(state)).toBe(isoTime(T));
    expect(unreadNotices(apply(state, given(null)))).toBe(1);
    const open = withListOpen(state);
    expect(unreadNotices(open)).toBe(0);
    expect(open.notices[0]?.seen).toBe(false);
    const read = withListClosed(open);
    expect([unreadNotices(read), noticesUntil(read)]).toEqual([0, undefined]);
    expect(unreadNotices(apply(read, given([notice({ id: "c" })])))).toBe(1);
    expect(apply(read, given([])).notices).toEqual([]);
  });

  it("name the plate, or the number of plates", () => {
    expect(noticeText(notice())).toBe('AB12345 in "Stolen" expires within a week.');
    expect(noticeText(notice({ stage: "day", plates: 2, plate: "" }))).toBe(
      '2 plates in "Stolen" expire within a day.',
    );
    expect(noticeText(notice({ stage: "expired", plates: 1000, plate: "" }))).toBe(
      'More than 999 plates in "Stolen" have expired and are no longer matched.',
    );
  });
});

describe("the age of a hit", () => {
  it("is a short text", () => {
    const ages = [-5000, 0, 59_999, MINUTE + 1000, HOUR - 1, HOUR, DAY - 1, 3 * DAY];
    expect(ages.map((age) => ageText(isoTime(T - age), T))).toEqual([
      "0 s",
      "0 s",
      "59 s",
      "1 min 1 s",
      "59 min 59 s",
      "1 h 0 min",
      "23 h 59 min",
      "3 d",
    ]);
  });
});
