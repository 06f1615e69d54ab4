import { describe, expect, it } from "vitest";
import {
  type AuditFacts,
  count,
  did,
  exportWords,
  factorWords,
  failedJobs,
  fieldsOf,
  follows,
  list,
  rangeWords,
  reasonOf,
  searchWords,
  serviceAccountIn,
  text,
  timeWords,
} from "#app/entities/oversight/audit-words.ts";

const facts = (detail: AuditFacts["detail"], row: Partial<AuditFacts["row"]> = {}): AuditFacts => ({
  row: { outcome: "ok", object: "", plate: "", timestamp: "2026-11-20T12:00:00.000Z", ...row },
  detail,
  before: {},
  after: {},
  zone: "UTC",
});

describe("a value in a sentence", () => {
  it.each<[value: unknown, words: string]>([
    ["Main Street", "Main Street"],
    ["  two \n\t lines  ", "two lines"],
    [1234567, "1,234,567"],
    [0, "0"],
    [true, ""],
    [null, ""],
    [undefined, ""],
    [["a"], ""],
    [{ name: "a" }, ""],
  ])("%j reads %j", (value, words) => {
    expect(text(value)).toBe(words);
  });

  it("has no invisible characters: a mark of direction would reverse what follows it, such as the case number", () => {
    expect(text("Theft \u202e7-62 esac\u2066, see\u200b report")).toBe("Theft 7-62 esac, see report");
  });

  it("is cut after 300 characters", () => {
    expect(text("x".repeat(300))).toBe("x".repeat(300));
    expect(text("x".repeat(301))).toBe(`${"x".repeat(300)}…`);
  });

  it.each<[value: unknown, words: string]>([
    [0, "0 users"],
    [1, "1 user"],
    [2, "2 users"],
    [1234, "1,234 users"],
    [[], "0 users"],
    [["a"], "1 user"],
    ["2", ""],
    [undefined, ""],
    [null, ""],
    [{ length: 2 }, ""],
  ])("counts %j as %j", (value, words) => {
    expect(count(value, "user")).toBe(words);
  });

  it("is counted with an irregular plural", () => {
    expect([count(1, "entry", "entries"), count(2, "entry", "entries")]).toEqual(["1 entry", "2 entries"]);
  });

  it("follows its words, which are left out without it", () => {
    expect([follows("of user", "jo"), follows("of user", "")]).toEqual([" of user jo", ""]);
    expect([list(["a", "", "b"]), list(["", ""]), list(["a"])]).toEqual(["a, b", "", "a"]);
  });

  it.each<[value: unknown, words: string]>([
    [Date.UTC(2026, 6, 1, 12), "2026-07-01 08:00:00 EDT"],
    [0, "1969-12-31 19:00:00 EST"],
    ["2026-07-01", ""],
    [undefined, ""],
    [8.64e15 + 1, ""],
  ])("%j as a time is %j", (value, words) => {
    expect(timeWords(value, "America/New_York")).toBe(words);
  });
});

describe("the fields of a value", () => {
  it("are those of an object; a list, null and a text have none", () => {
    expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
    expect([["a"], null, undefined, "a", 7].map(fieldsOf)).toEqual([{}, {}, {}, {}, {}]);
  });

  it("name the service account, if there is one", () => {
    expect(serviceAccountIn({ service_account: { id: "sa1", name: "CAD" } })).toBe("CAD");
    expect([serviceAccountIn({}), serviceAccountIn({ service_account: "CAD" })]).toEqual(["", ""]);
  });
});

describe("an act", () => {
  it.each([
    ["add agency", "Added agency"],
    ["change the role", "Changed the role"],
    ["apply it", "Applied it"],
    ["play it", "Played it"],
    ["view", "Viewed"],
    ["map", "Mapped"],
    ["reset it", "Reset it"],
    ["scan it", "Scanned it"],
    ["set it", "Set it"],
    ["stop it", "Stopped it"],
    ["withdraw it", "Withdrew it"],
  ])("%s that succeeded reads: %s", (act, words) => {
    expect(did(act)(facts({}))).toBe(words);
  });

  it("that did not succeed reads what was tried, and why not", () => {
    const say = did("add user", () => " jo");
    const refused = { outcome: "refused" } as const;
    expect(say(facts({ reason: "No." }))).toBe("Added user jo");
    expect(say(facts({ reason: "No." }, refused))).toBe("Tried to add user jo: No.");
    expect(say(facts({}, refused))).toBe("Tried to add user jo");
    expect(say(facts({ reason: "No." }, { outcome: "failed" }))).toBe("Failed to add user jo: No.");
    expect(did("add")(facts({}, refused))).toBe("Tried to add");
  });

  it.each([
    [{ reason: "A", problem: "B", answer: "C" }, ": A"],
    [{ problem: "B", answer: "C" }, ": B"],
    [{ answer: "C" }, ": C"],
    [{}, ""],
  ])("failed because of %j: %j", (detail, words) => {
    expect(reasonOf(facts(detail))).toBe(words);
  });
});

describe("a search", () => {
  it.each<[detail: object, plate: string, words: string]>([
    [{}, "", " any plate"],
    [{ query: { plate_state: "CT" } }, "", " any plate, CT"],
    [{}, "ABC123", " plate ABC123"],
    [{ query: { plate_state: "CT" } }, "ABC123", " plate ABC123 (CT)"],
    [{ query: { look_alikes: true, plate_state: "CT" } }, "ABC123", " plate ABC123 and look-alikes (CT)"],
    [{ query: { look_alikes: "true" } }, "ABC123", " plate ABC123"],
    [
      { query: { vehicle_body_type: "SUV", vehicle_make: "Ford", vehicle_color: "silver" } },
      "",
      " any plate, silver Ford SUV",
    ],
    [{ query: { vehicle_body_type: "SUV", vehicle_color: "silver" } }, "", " any plate, silver SUV"],
    [
      { query: { filters: { top_rack: true, bumper_stickers: true, window_stickers: true } } },
      "",
      " any plate, top rack, bumper stickers, window stickers",
    ],
    [{ query: { filters: { back_rack: true, top_rack: false } } }, "", " any plate, back rack"],
    [{ query: { filters: { back_rack: "yes" } } }, "", " any plate"],
    [
      { query: { start_time: "2026-11-13T12:00:00Z", end_time: "2026-11-20T12:00:00Z" } },
      "",
      " any plate, 7 days",
    ],
    [
      { query: { start_time: "2026-11-01T12:00:00Z", end_time: "2026-11-02T12:00:00Z" } },
      "",
      " any plate, 24 hours until 2026-11-02 12:00:00 UTC",
    ],
    [{ agency_count: 1 }, "", " any plate, 1 agency"],
    [{ agency_count: 2, agencies: ["a"] }, "", " any plate, 2 agencies"],
    [{ agencies: ["a", "b"] }, "", " any plate, 2 sources"],
  ])("with %j and plate %j reads%s", (detail, plate, words) => {
    expect(searchWords(facts({ ...detail }, { plate }))).toBe(words);
  });
});

describe("the range of a search", () => {
  const MINUTE = 60_000;
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;
  const start = Date.UTC(2026, 9, 1);
  const range = (span: number, searchedAt = start + span) =>
    rangeWords(
      { start_time: new Date(start).toISOString(), end_time: new Date(start + span).toISOString() },
      { searchedAt, zone: "UTC" },
    );

  it.each([
    [-1, ""],
    [0, ""],
    [1, "1 minute"],
    [MINUTE, "1 minute"],
    [MINUTE + 1, "2 minutes"],
    [HOUR, "1 hour"],
    [2 * HOUR - 1, "120 minutes"],
    [2 * HOUR, "2 hours"],
    [2.4 * HOUR, "2 hours"],
    [2.5 * HOUR, "3 hours"],
    [DAY, "24 hours"],
    [2 * DAY - 1, "48 hours"],
    [2 * DAY, "2 days"],
    [2.4 * DAY, "2 days"],
    [2.5 * DAY, "3 days"],
    [7 * DAY, "7 days"],
    [30 * DAY, "30 days"],
    [90 * DAY, "90 days"],
  ])("of %d milliseconds reads %j", (span, words) => {
    expect(range(span)).toBe(words);
  });

  it("names its end only if the search was more than 15 minutes before or after it", () => {
    const end = start + 7 * DAY;
    for (const near of [-15 * MINUTE, 15 * MINUTE]) expect(range(7 * DAY, end + near)).toBe("7 days");
    for (const far of [-15 * MINUTE - 1, 15 * MINUTE + 1])
      expect(range(7 * DAY, end + far)).toBe("7 days until 2026-10-08 00:00:00 UTC");
  });

  it.each([
    [{}],
    [{ start_time: "2026-10-01T00:00:00Z" }],
    [{ end_time: "2026-10-01T00:00:00Z" }],
    [{ start_time: "yesterday", end_time: "2026-10-01T00:00:00Z" }],
  ])("is left out if it is incomplete: %j", (query) => {
    expect(rangeWords(query, { searchedAt: start, zone: "UTC" })).toBe("");
  });
});

describe("what an act was about", () => {
  it.each([
    [{ jobs: 3, channel: "email" }, " (3 jobs)"],
    [{ jobs: ["a"] }, " (1 job)"],
    [{ channel: "email", reason: "Timeout" }, " of channel email, Timeout"],
    [{}, ""],
  ])("failed jobs %j: %j", (detail, words) => {
    expect(failedJobs(facts(detail))).toBe(words);
  });

  it.each([
    [{ records: 12, kind: "pdf" }, " of 12 records (PDF)"],
    [{ records: 1 }, " of 1 record"],
    [{ kind: "zip" }, " (ZIP)"],
    [{}, ""],
  ])("an export %j: %j", (detail, words) => {
    expect(exportWords(facts(detail))).toBe(words);
  });

  it.each([
    ["totp", " with an authenticator app"],
    ["passkey", " with a passkey"],
    ["recovery code", " with a recovery code"],
    ["password", " with the password"],
    ["single sign-on", " with single sign-on"],
    ["other", ""],
  ])("the second factor %s:%s", (kind, words) => {
    expect(factorWords(facts({ kind }))).toBe(words);
  });
});
