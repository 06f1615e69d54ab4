import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { reviewSearches } from "#app/domain/oversight/review-searches.ts";
import type { ReviewCounts, ReviewDetail, ReviewPage } from "#app/entities/oversight/review-calls.ts";
import { DAY, HOUR, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { type ControlDb, inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { countReviews, listFindings } from "#app/store/oversight/review.ts";
import {
  auditOf,
  bindings,
  type Client,
  client,
  newAgency,
  newUser,
  type TestUser,
  testApp,
  unique,
} from "../../factories.ts";
import { expectLogged } from "../../support/quiet-console.ts";

/** Midnight, UTC, of today. */
const TODAY = utcDay(Date.now()) * DAY;
const YESTERDAY = TODAY - DAY;
/** When the job reviews yesterday. */
const MORNING = TODAY + HOUR;

type Team = { agency: { id: string; name: string }; officer: TestUser; boss: TestUser; other: TestUser };

async function newTeam(): Promise<Team> {
  const agency = await newAgency();
  const [officer, boss, other] = await Promise.all([
    newUser(agency.id),
    newUser(agency.id, { role: "admin" }),
    newUser(agency.id, { role: "admin" }),
  ]);
  return { agency, officer, boss, other };
}

type Searched = {
  at?: number;
  plate?: string;
  why?: string;
  caseNumber?: string;
  outcome?: "ok" | "refused";
  action?: "search" | "search-places" | "search-convoy";
};

/** Writes audit rows of searches; unspecified values are those of ordinary searches. */
async function searched(user: TestUser, ...searches: Searched[]) {
  const app = testApp();
  const rows = searches.map(
    ({
      at = YESTERDAY + 15 * HOUR,
      plate = unique("P"),
      why,
      caseNumber = "",
      outcome = "ok",
      action = "search",
    }) =>
      insertAudit(app.db, {
        at,
        agencyId: user.agencyId,
        userId: user.id,
        username: user.username,
        sessionId: "s",
        ip: "192.0.2.1",
        userAgent: "",
        action,
        outcome,
        plate,
        caseNumber,
        programsQueried: "Axis",
        detail: {
          query: { plate, justification: why ?? "Stolen vehicle seen near Park Street", purpose: "warrant" },
          // Three cameras of two agencies.
          agencies: ["a", "b", "c"],
          agency_count: 2,
        },
      }),
  );
  for (let start = 0; start < rows.length; start += 50) {
    const [first, ...others] = rows.slice(start, start + 50);
    if (first) await inOneStep(app.db, [first, ...others]);
  }
}

/** Runs the job until no work is left. */
async function review(now = MORNING) {
  const app = testApp(() => now);
  while ((await reviewSearches(app)) > 0);
}

type Finding = {
  id: string;
  kind: string;
  plate: string;
  searches: number;
  user_id: string;
  day: number;
  decisions: number;
};

async function findingsOf(agency: { id: string }, ...kinds: string[]): Promise<Finding[]> {
  const { results } = await bindings.DB.prepare(
    "SELECT * FROM review_findings WHERE agency_id = ? ORDER BY first_at, id",
  )
    .bind(agency.id)
    .all<Finding>();
  return results.filter(({ kind }) => (kinds.length === 0 ? kind !== "sample" : kinds.includes(kind)));
}

const plateOn = (plate: string, ...days: number[]) =>
  days.map((day) => ({ plate, at: YESTERDAY + day * DAY + 15 * HOUR }));

describe("the daily job", () => {
  it("finds the fifth search for the same plate within 14 days, not the fourth", async () => {
    const { agency, officer } = await newTeam();
    await searched(officer, ...plateOn("ABC123", -9, -7, -3, 0), ...plateOn("XYZ789", -9, -7, -5, -3, 0));
    await review();
    expect(await findingsOf(agency)).toMatchObject([
      { kind: "repeated", plate: "XYZ789", searches: 5, user_id: officer.id, decisions: 0 },
    ]);
  });

  it("counts searches within 14 days, not 15, with any spelling of the plate, and only the user's own", async () => {
    const { agency, officer, boss } = await newTeam();
    await searched(
      officer,
      ...plateOn("FAR15", -15, -9, -7, -3, 0),
      ...plateOn("near-14", -14, -9, -7),
      ...plateOn("NEAR14", -3, 0),
      ...plateOn("SHARED", -9, -7, 0),
    );
    await searched(boss, ...plateOn("SHARED", -5, -3));
    await review();
    expect(await findingsOf(agency)).toMatchObject([{ plate: "NEAR14", searches: 5 }]);
  });

  it("accepts a repeated plate with a case number, unless that has no visible characters", async () => {
    const { agency, officer } = await newTeam();
    const named = (plate: string, caseNumber: string) =>
      plateOn(plate, -4, -3, -2, -1, 0).map((one) => ({ ...one, caseNumber }));
    await searched(officer, ...named("CASE26", "26-1044"), ...named("BLANK1", "\u200b"));
    await review();
    expect(await findingsOf(agency)).toMatchObject([{ plate: "BLANK1" }]);
  });

  it("creates one finding that grows while open, and a new one only for undecided searches", async () => {
    const { agency, officer, boss } = await newTeam();
    await searched(officer, ...plateOn("GROWS1", -6, -5, -4, -3, -2));
    await review(MORNING - 2 * DAY);
    await searched(officer, ...plateOn("GROWS1", -1, 0));
    await review();
    const [finding, ...rest] = await findingsOf(agency);
    expect([finding?.searches, rest]).toEqual([7, []]);
    await (await client(boss)).post(`/review/${finding?.id}/decide`, {
      verdict: "explained",
      note: "Talked to the officer",
      known: 0,
    });
    await searched(officer, ...plateOn("GROWS1", 1, 1, 1, 1));
    await review(MORNING + DAY);
    expect(await findingsOf(agency)).toHaveLength(1);
    await searched(officer, ...plateOn("GROWS1", 2));
    await review(MORNING + 2 * DAY);
    expect(await findingsOf(agency)).toMatchObject([
      { searches: 7, decisions: 1 },
      { searches: 5, decisions: 0 },
    ]);
  });

  it("finds vague and prohibited reasons, one finding per user and day, and ignores others", async () => {
    const { agency, officer, boss } = await newTeam();
    await searched(officer, { why: "test" }, { why: "police business" }, { why: "ICE detainer request" });
    await searched(officer, { why: "Burglary on Elm Street" }, { why: "Stolen ice cream truck" });
    await searched(boss, { why: "Vehicles at the protest" }, { why: "n/a", outcome: "refused" });
    await review();
    const found = await findingsOf(agency);
    expect(found.map(({ kind, searches, user_id }) => [kind, searches, user_id]).sort()).toEqual(
      [
        ["prohibited", 1, boss.id],
        ["prohibited", 1, officer.id],
        ["vague", 2, officer.id],
      ].sort(),
    );
  });

  it("finds searches outside a user's usual hours, in the agency's time zone", async () => {
    const { agency, officer, boss } = await newTeam();
    const noon = (day: number) => ({ at: YESTERDAY - day * DAY + 17 * HOUR });
    await searched(officer, ...Array.from({ length: 40 }, (_, i) => noon(1 + (i % 20))));
    await searched(officer, { at: YESTERDAY + 7 * HOUR }, noon(0));
    await searched(boss, { at: YESTERDAY + 7 * HOUR });
    await review();
    const [finding, ...rest] = await findingsOf(agency, "hours");
    expect([finding?.searches, finding?.user_id, rest]).toEqual([1, officer.id, []]);
    const shown = await detail(await client(boss), finding?.id ?? "");
    expect(shown.reason).toMatch(/^None of this person's 40 searches in the 60 days before/);
    expect(shown.evidence[0]?.at).toBe(YESTERDAY + 7 * HOUR);
  });

  it("samples at least one search per day with searches, and the same ones in every run", async () => {
    const [one, idle] = [await newTeam(), await newTeam()];
    await searched(one.officer, {}, {}, {});
    await review();
    const drawn = await findingsOf(one.agency, "sample");
    expect(drawn).toHaveLength(1);
    expect(await findingsOf(idle.agency, "sample")).toEqual([]);
    await bindings.DB.prepare("DELETE FROM review_evidence WHERE finding_id = ?").bind(drawn[0]?.id).run();
    await bindings.DB.prepare("DELETE FROM review_findings WHERE id = ?").bind(drawn[0]?.id).run();
    await again(one.agency);
    expect(await findingsOf(one.agency, "sample")).toEqual(drawn);
  });

  it("reviews place and convoy searches: their reasons, their hours and the random sample", async () => {
    const { agency, officer } = await newTeam();
    const noon = (day: number) => ({ at: YESTERDAY - day * DAY + 17 * HOUR });
    await searched(officer, ...Array.from({ length: 40 }, (_, i) => noon(1 + (i % 20))));
    await searched(
      officer,
      { action: "search-places", plate: "", why: "test", caseNumber: "26-1", ...noon(0) },
      { action: "search-convoy", caseNumber: "26-1", at: YESTERDAY + 7 * HOUR },
    );
    await review();
    const found = (await findingsOf(agency)).map(({ kind, searches }) => [kind, searches]);
    expect(found.sort()).toEqual([
      ["hours", 1],
      ["vague", 1],
    ]);
    expect((await findingsOf(agency, "sample")).some(({ day }) => day * DAY === YESTERDAY)).toBe(true);
  });

  it("samples about one search in a hundred", async () => {
    const { agency, officer } = await newTeam();
    await searched(officer, ...Array.from({ length: 2_000 }, () => ({})));
    await review();
    const { length } = await findingsOf(agency, "sample");
    expect(length).toBeGreaterThan(3);
    expect(length).toBeLessThan(50);
  });

  it("creates the same findings when it runs twice or concurrently", async () => {
    const { agency, officer } = await newTeam();
    await searched(officer, { why: "test" }, ...plateOn("TWICE1", -4, -3, -2, -1, 0));
    await Promise.all([review(), review()]);
    const before = await findingsOf(agency, "vague", "repeated", "sample");
    // One random search for each of the five days.
    expect(before.map(({ kind }) => kind).sort()).toEqual(["repeated", ...Array(5).fill("sample"), "vague"]);
    await again(agency);
    await again(agency);
    expect(await findingsOf(agency, "vague", "repeated", "sample")).toEqual(before);
  });

  it("reviews a day after its end, from its first to its last moment", async () => {
    const { agency, officer } = await newTeam();
    await searched(
      officer,
      { why: "test", at: YESTERDAY },
      { why: "test", at: TODAY - 1 },
      { why: "test", at: TODAY },
    );
    await review(TODAY + 14 * MINUTE);
    expect(await findingsOf(agency)).toEqual([]);
    await review(TODAY + 16 * MINUTE);
    expect(await findingsOf(agency)).toMatchObject([{ searches: 2, day: YESTERDAY / DAY }]);
    await review(MORNING + DAY);
    expect(await findingsOf(agency)).toMatchObject([{ searches: 2 }, { searches: 1, day: TODAY / DAY }]);
  });

  it("catches up on days when it did not run", async () => {
    const { agency, officer } = await newTeam();
    for (const day of [-50, -20, -1]) await searched(officer, { why: "test", at: YESTERDAY + day * DAY });
    await review();
    expect((await findingsOf(agency)).map(({ day }) => day - YESTERDAY / DAY)).toEqual([-50, -20, -1]);
  });

  it("continues a day with many users where the previous run stopped", async () => {
    const { agency, officer } = await newTeam();
    const many = Array.from({ length: 130 }, (_, i) => ({ ...officer, id: `${agency.id}-${i}` }));
    for (const one of many) await searched(one, { why: "test" });
    const app = testApp(() => MORNING);
    expect(await reviewSearches(app, { people: 100, queries: 10_000 })).toBe(100);
    const first = (await findingsOf(agency)).length;
    expect(first).toBeLessThan(130);
    await review();
    expect(await findingsOf(agency)).toHaveLength(130);
  });
});

/** Makes the job review yesterday again. */
async function again(agency: { id: string }) {
  await bindings.DB.prepare("UPDATE review_runs SET day = ?, after_user = '' WHERE agency_id = ?")
    .bind(YESTERDAY / DAY, agency.id)
    .run();
  await review();
}

async function detail(who: Client, id: string): Promise<ReviewDetail> {
  const response = await who.fetch(`/review/${id}`);
  expect(response.status).toBe(200);
  return response.json();
}

async function rows(who: Client, query = ""): Promise<ReviewPage & { counts: ReviewCounts }> {
  const response = await who.fetch(`/review-data${query}`);
  expect(response.status).toBe(200);
  return response.json();
}

const decision = (over: object = {}) => ({
  verdict: "in-order",
  note: "Seen with the sergeant",
  known: 0,
  ...over,
});

describe("a finding", () => {
  let team: Team;
  let boss: Client;
  let id: string;

  beforeAll(async () => {
    team = await newTeam();
    boss = await client(team.boss);
    await searched(team.officer, { why: "police business", plate: "SEEN12", caseNumber: "26-9" });
    await review();
    id = (await findingsOf(team.agency, "vague"))[0]?.id ?? "";
  });

  it("shows its searches with all facts that a reviewer needs", async () => {
    const shown = await detail(boss, id);
    expect(shown).toMatchObject({ kind: "vague", username: team.officer.username, barred: "", made: [] });
    expect(shown.evidence).toMatchObject([
      {
        plate: "SEEN12",
        justification: "police business",
        case_number: "26-9",
        purpose: "Warrant or court order",
        agencies: 2,
        ip: "192.0.2.1",
        reason: "“police business” is too vague.",
      },
    ]);
  });

  it("gets an audit row for each view, which lists the shown plates", async () => {
    await detail(boss, id);
    await rows(boss, "?kind=vague");
    const [opened, listed] = await auditOf(team.boss, 2);
    expect(opened).toMatchObject({ action: "review.view", outcome: "ok", object: id, plate: "SEEN12" });
    expect(JSON.parse(opened?.detail ?? "")).toMatchObject({ plates: ["SEEN12"] });
    expect(JSON.parse(listed?.detail ?? "")).toMatchObject({ filter: { kind: "vague", state: "open" } });
    const busy = await newTeam();
    await searched(busy.officer, ...Array.from({ length: 5 }, () => ({ plate: "OFTEN1" })));
    await review();
    await rows(await client(busy.boss), "?kind=repeated");
    const [all] = await auditOf(busy.boss);
    expect(JSON.parse(all?.detail ?? "")).toMatchObject({ plates: ["OFTEN1"] });
  });

  it("is not shown if the view cannot be audited", async () => {
    await bindings.DB.exec(
      "CREATE TRIGGER no_view BEFORE INSERT ON audit_log WHEN NEW.action = 'review.view' BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    expectLogged(/SQLITE_CONSTRAINT_TRIGGER/);
    const response = await boss.fetch(`/review/${id}`);
    await bindings.DB.exec("DROP TRIGGER no_view");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("SEEN12");
  });

  it("is not found by another agency", async () => {
    const stranger = await client((await newTeam()).boss);
    expect((await stranger.fetch(`/review/${id}`)).status).toBe(404);
    expect((await stranger.post(`/review/${id}/decide`, decision())).status).toBe(404);
    expect((await rows(stranger)).rows).toEqual([]);
    expect(await findingsOf(team.agency, "vague")).toMatchObject([{ decisions: 0 }]);
  });

  it("is decided with a verdict and a note, and audited with the previous and new values", async () => {
    const response = await boss.post(`/review/${id}/decide`, decision({ verdict: "violation" }));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      verdict: "violation",
      decisions: 1,
      made: [{ number: 1, by_name: team.boss.name, note: "Seen with the sergeant" }],
    });
    const [row] = await auditOf(team.boss);
    expect(row).toMatchObject({ action: "review.decide", outcome: "ok", object: id });
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({ before: "open", after: "violation" });
  });

  it("is decided once if the decision is sent again because its answer was lost", async () => {
    const again = await boss.post(`/review/${id}/decide`, decision({ verdict: "violation" }));
    expect(again.status).toBe(200);
    expect(await again.json()).toMatchObject({ verdict: "violation", decisions: 1 });
    expect(await auditOf(team.boss)).toMatchObject([{ action: "review.decide", outcome: "ok" }]);
  });

  it("can be decided again, and the first decision remains visible", async () => {
    const other = await client(team.other);
    const stale = await other.post(`/review/${id}/decide`, decision());
    expect(stale.status).toBe(409);
    expect(await auditOf(team.other)).toMatchObject([{ action: "review.decide", outcome: "refused" }]);
    const answer = await other.post(`/review/${id}/decide`, decision({ verdict: "explained", known: 1 }));
    expect(await answer.json()).toMatchObject({
      verdict: "explained",
      made: [
        { number: 2, verdict: "explained", by_name: team.other.name },
        { number: 1, verdict: "violation", by_name: team.boss.name },
      ],
    });
    for (const change of ["UPDATE review_decisions SET note = ''", "DELETE FROM review_decisions"])
      await expect(bindings.DB.prepare(change).run()).rejects.toThrow(/append-only/);
  });

  it("is decided once if two reviewers decide concurrently", async () => {
    await searched(team.officer, { why: "n/a", at: YESTERDAY - DAY });
    await bindings.DB.prepare("DELETE FROM review_runs WHERE agency_id = ?").bind(team.agency.id).run();
    await review();
    const open = (await findingsOf(team.agency, "vague")).find(({ decisions }) => decisions === 0);
    const other = await client(team.other);
    const answers = await Promise.all([
      boss.post(`/review/${open?.id}/decide`, decision()),
      other.post(`/review/${open?.id}/decide`, decision({ verdict: "violation" })),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { results } = await bindings.DB.prepare("SELECT * FROM review_decisions WHERE finding_id = ?")
      .bind(open?.id)
      .all();
    expect(results).toHaveLength(1);
  });

  it("is not decided with searches that were added after the reviewer opened it", async () => {
    const { agency, officer, ...others } = await newTeam();
    await searched(officer, { why: "test" });
    await review();
    const who = await client(others.boss);
    const grown = (await findingsOf(agency, "vague"))[0]?.id ?? "";
    const { searches } = await detail(who, grown);
    await searched(officer, { why: "n/a", at: YESTERDAY + 16 * HOUR });
    await again(agency);
    const refused = await who.post(`/review/${grown}/decide`, decision({ searches }));
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ msg: expect.stringContaining("More searches were added") });
    expect(await auditOf(others.boss)).toMatchObject([{ action: "review.decide", outcome: "refused" }]);
    expect(await findingsOf(agency, "vague")).toMatchObject([{ searches: 2, decisions: 0 }]);
    const seen = await detail(who, grown);
    const decided = decision({ searches: seen.searches });
    for (let sent = 0; sent < 2; sent++)
      expect((await who.post(`/review/${grown}/decide`, decided)).status).toBe(200);
  });

  it("cannot be decided without a note or with an unknown verdict", async () => {
    for (const wrong of [{ note: " \u200b " }, { verdict: "guilty" }, { known: 1.5 }, { note: undefined }]) {
      const response = await boss.post(`/review/${id}/decide`, decision(wrong));
      expect(response.status).toBe(400);
    }
  });
});

describe("a reviewer's own searches", () => {
  it("are decided by another reviewer, whose name is shown", async () => {
    const team = await newTeam();
    await searched(team.boss, { why: "test" });
    await review();
    const [finding] = await findingsOf(team.agency, "vague");
    const own = await client(team.boss);
    expect((await detail(own, finding?.id ?? "")).barred).toContain(team.other.name);
    const refused = await own.post(`/review/${finding?.id}/decide`, decision());
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ msg: expect.stringContaining(team.other.name) });
    expect(await auditOf(team.boss)).toMatchObject([{ action: "review.decide", outcome: "refused" }]);
    expect(await findingsOf(team.agency, "vague")).toMatchObject([{ decisions: 0 }]);
    const other = await client(team.other);
    expect((await other.post(`/review/${finding?.id}/decide`, decision())).status).toBe(200);
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(team.other.id).run();
    expect((await detail(own, finding?.id ?? "")).barred).not.toContain(team.other.name);
  });

  it("stay open if no other user may decide", async () => {
    const agency = await newAgency();
    const alone = await newUser(agency.id, { role: "admin" });
    await searched(alone, { why: "test" });
    await review();
    const [finding] = await findingsOf(agency, "vague");
    const refused = await (await client(alone)).post(`/review/${finding?.id}/decide`, decision());
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      msg: expect.stringContaining("No other administrator of your agency may"),
    });
  });
});

describe("the queue", () => {
  it("has pages of twenty without gaps, filters, and counts of open findings", async () => {
    const { agency, officer, boss } = await newTeam();
    const many = Array.from({ length: 43 }, (_, i) => ({
      ...officer,
      id: `${agency.id}-${i}`,
      username: i === 7 ? officer.username : unique("somebody"),
    }));
    for (const one of many) await searched(one, { why: "test" });
    await review();
    const who = await client(boss);
    const seen: string[] = [];
    let query = "?kind=vague";
    for (;;) {
      const page = await rows(who, query);
      expect(page.rows.length).toBeLessThanOrEqual(20);
      seen.push(...page.rows.map(({ id }) => id));
      if (!page.next) break;
      query = `?kind=vague&after_at=${page.next.at}&after_id=${page.next.id}`;
    }
    expect(new Set(seen).size).toBe(43);
    expect(seen).toHaveLength(43);
    const mine = await rows(who, `?user=${officer.username.toUpperCase()}`);
    expect(mine.rows.map(({ username }) => username)).toContain(officer.username);
    expect(new Set(mine.rows.map(({ username }) => username)).size).toBe(1);
    expect(mine.counts).toMatchObject({ kinds: { vague: 43, repeated: 0 }, overdue: 0 });
  });

  it("shows findings that have been open for more than seven days, and decided ones", async () => {
    const { agency, officer, boss } = await newTeam();
    await searched(officer, { why: "test", at: YESTERDAY - 9 * DAY }, { why: "work" });
    await review(MORNING - 9 * DAY);
    await review();
    const who = await client(boss);
    const late = await rows(who, "?state=overdue&kind=vague");
    expect(late.rows).toHaveLength(1);
    expect(late.counts.overdue).toBeGreaterThanOrEqual(1);
    const id = late.rows[0]?.id;
    await who.post(`/review/${id}/decide`, decision({ verdict: "violation" }));
    expect((await rows(who, "?state=overdue&kind=vague")).rows).toEqual([]);
    expect((await rows(who, "?state=violations")).rows.map((row) => row.id)).toEqual([id]);
    expect((await rows(who, "?state=decided&kind=vague")).rows.map((row) => row.id)).toEqual([id]);
    const db = testApp().db;
    const all = await countReviews(db, agency.id, MORNING - 30 * DAY, MORNING + DAY);
    expect(all).toEqual({ findings: all.findings, reviewed: 1, violations: 1 });
    expect(all.findings).toBeGreaterThanOrEqual(2);
    expect(await countReviews(db, agency.id, 0, MORNING - 30 * DAY)).toEqual({
      findings: 0,
      reviewed: 0,
      violations: 0,
    });
  });

  it("refuses an unknown filter", async () => {
    const who = await client((await newTeam()).boss);
    for (const query of ["?state=closed", "?kind=boring", "?after_id=x", "?after_id=x&after_at=y"])
      expect((await who.fetch(`/review-data${query}`)).status).toBe(400);
  });

  it.each([
    [{ state: "open" }, "review_findings_open"],
    [{ state: "open", kind: "vague" }, "review_findings_open_kind"],
    [{ state: "open", username: "u" }, "review_findings_open_user"],
    [{ state: "overdue" }, "review_findings_age"],
    [{ state: "decided" }, "review_findings_decided"],
    [{ state: "violations" }, "review_findings_violations"],
  ] as const)("takes a page of %j from its index, wherever it lies", async (asked, index) => {
    const run: { text: string; value: unknown }[] = [];
    const $client = {
      prepare: (text: string) => ({
        bind: (value: unknown) => {
          run.push({ text, value });
          return bindings.DB.prepare(text).bind(value);
        },
      }),
    };
    await listFindings({ $client } as unknown as ControlDb, {
      agencyId: "a",
      kind: "",
      username: "",
      overdueBefore: 5,
      after: { at: 1, id: "x" },
      limit: 20,
      ...asked,
    });
    const { results } = await bindings.DB.prepare(`EXPLAIN QUERY PLAN ${run[0]?.text}`)
      .bind(run[0]?.value)
      .all<{ detail: string }>();
    const steps = results.map(({ detail: step }) => step);
    expect(steps.filter((step) => step.includes(`review_findings USING INDEX ${index} `))).toHaveLength(1);
    // Only the twenty rows of the page are sorted again; the rest is not scanned.
    expect(steps.filter((step) => step.startsWith("SCAN"))).toEqual(["SCAN finding"]);
    expect(steps.filter((step) => step.includes("TEMP B-TREE")).length).toBeLessThanOrEqual(1);
  });
});

describe("reviewing the current day", () => {
  afterEach(() => void vi.useRealTimers());

  it("creates today's findings once, without the random sample", async () => {
    // Noon, so that a search one second ago was today.
    vi.useFakeTimers({ toFake: ["Date"], now: TODAY + DAY / 2 });
    const { agency, officer, boss } = await newTeam();
    await searched(officer, { why: "test", at: Date.now() - 1000 });
    const who = await client(boss);
    const response = await who.post("/review/examine", {});
    expect(await response.json()).toEqual({ msg: "Today's searches were scanned", next: null });
    await who.post("/review/examine", {});
    await searched(officer, { why: "work", at: Date.now() - 500 });
    await who.post("/review/examine", {});
    expect(await findingsOf(agency, "vague", "sample")).toMatchObject([{ kind: "vague", searches: 2 }]);
    expect((await auditOf(boss, 3)).map(({ action }) => action)).toEqual(Array(3).fill("review.examine"));
  });
});
