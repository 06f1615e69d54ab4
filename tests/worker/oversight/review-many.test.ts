import { describe, expect, it, vi } from "vitest";
import { examineToday, reviewSearches } from "#app/domain/oversight/review-searches.ts";
import { DAY, HOUR, utcDay } from "#app/lib/time/dates.ts";
import {
  actorOf,
  bindings,
  client,
  newAgency,
  newUser,
  type TestUser,
  testApp,
  unique,
} from "../../factories.ts";

const TODAY = utcDay(Date.now()) * DAY;
const YESTERDAY = TODAY - DAY;
/** When the job reviews yesterday. */
const MORNING = TODAY + HOUR;
/** What D1 allows one invocation, and one bound value. */
const MAX_QUERIES = 1_000;
const MAX_BYTES = 2_000_000;

/** Writes audit rows of `count` searches of yesterday without a case number, a second apart. */
async function searchedMany(
  user: TestUser,
  { count, plates, why }: { count: number; plates: number; why: string },
): Promise<void> {
  const detail = JSON.stringify({ query: { justification: why, purpose: "warrant" }, agency_count: 1 });
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
    INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, plate, detail)
    SELECT ?2 + i * 1000, ?3, ?4, ?5, 's', '192.0.2.1', '', 'search', 'ok', 'PLATE' || (i % ?6), ?7 FROM n`,
  )
    .bind(count, YESTERDAY + HOUR, user.agencyId, user.id, user.username, plates, detail)
    .run();
}

/** Wraps an object so that calls of one method are seen before they happen. */
function watched<T extends object>(target: T, method: string, see: (values: unknown[]) => void): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== "function") return value;
      if (name !== method) return value.bind(object);
      return (...values: unknown[]) => {
        see(values);
        return value.apply(object, values);
      };
    },
  });
}

/** Runs the job until no work is left. Returns the most queries of one run, and the most bytes of a bound value. */
async function review(): Promise<{ queries: number; bytes: number }> {
  const bind = vi.spyOn(Object.getPrototypeOf(bindings.DB.prepare("SELECT 1")), "bind");
  const most = { queries: 0, bytes: 0 };
  for (let reviewed = 1; reviewed > 0; ) {
    let queries = 0;
    const DB = watched(bindings.DB, "prepare", () => queries++);
    reviewed = await reviewSearches(testApp(() => MORNING, { DB }));
    most.queries = Math.max(most.queries, queries);
  }
  for (const value of bind.mock.calls.flat())
    if (typeof value === "string") most.bytes = Math.max(most.bytes, new TextEncoder().encode(value).length);
  bind.mockRestore();
  return most;
}

async function findingsOf({ agencyId }: { agencyId: string }, kind: string) {
  const { results } = await bindings.DB.prepare(
    "SELECT plate, searches FROM review_findings WHERE agency_id = ? AND kind = ? ORDER BY plate",
  )
    .bind(agencyId, kind)
    .all<{ plate: string; searches: number }>();
  return results;
}

describe("agencies whose review always fails", () => {
  it("do not keep the others from being reviewed, even if they are more than one run looks at", async () => {
    const prefix = unique("a-failing");
    await bindings.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149)
      INSERT INTO agencies (id, name, time_zone, created_at)
      SELECT ?1 || i, ?1 || i, 'Nowhere/None', 1 FROM n`,
    )
      .bind(prefix)
      .run();
    try {
      const officer = await newUser((await newAgency()).id);
      await searchedMany(officer, { count: 1, plates: 1, why: "test" });
      for (let run = 0; run < 4; run++)
        await expect(reviewSearches(testApp(() => MORNING + run))).rejects.toThrow("could not be reviewed");
      expect(await findingsOf(officer, "vague")).toEqual([{ plate: "", searches: 1 }]);
    } finally {
      await bindings.DB.prepare("UPDATE agencies SET time_zone = 'UTC' WHERE id LIKE 'a-failing%'").run();
    }
  });
});

/** Writes two vague searches each of many users, who need no row, in the hour after an instant. */
async function searchedByMany(agencyId: string, { people, at }: { people: number; at: number }) {
  const detail = JSON.stringify({ query: { justification: "test", purpose: "warrant" }, agency_count: 1 });
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 * 2 - 1)
    INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, plate, detail)
    SELECT ?2 + i, ?3, ?3 || '-' || (i % ?1), 'many' || (i % ?1), 's', '192.0.2.1', '', 'search', 'ok', 'P' || i, ?4 FROM n`,
  )
    .bind(people, at, agencyId, detail)
    .run();
}

describe("an agency with very many searchers a day", () => {
  it("is reviewed within the queries of each run, with a finding for each of them", async () => {
    const agency = await newAgency();
    await searchedByMany(agency.id, { people: 150, at: YESTERDAY + HOUR });
    expect((await review()).queries).toBeLessThan(MAX_QUERIES);
    expect(await findingsOf({ agencyId: agency.id }, "vague")).toHaveLength(150);
  });

  it("is scanned within the queries of each call of an administrator", async () => {
    const agency = await newAgency();
    const admin = await actorOf(await client(await newUser(agency.id, { role: "admin" })));
    await searchedByMany(agency.id, { people: 150, at: TODAY });
    const calls: number[] = [];
    for (let after: string | null = ""; after !== null; ) {
      let queries = 0;
      const DB = watched(bindings.DB, "prepare", () => queries++);
      const examined = await examineToday(
        testApp(() => MORNING, { DB }),
        admin,
        { after },
      );
      after = examined.next;
      calls.push(queries);
    }
    expect(Math.max(...calls)).toBeLessThan(MAX_QUERIES);
    expect(await findingsOf({ agencyId: agency.id }, "vague")).toHaveLength(150);
  });
});

describe("a person who makes very many searches a day", () => {
  it("is reviewed within the queries of one run, with a finding for each of hundreds of plates", async () => {
    const officer = await newUser((await newAgency()).id);
    await searchedMany(officer, { count: 2_000, plates: 400, why: "Stolen vehicle seen near Park Street" });
    expect((await review()).queries).toBeLessThan(MAX_QUERIES);
    const found = await findingsOf(officer, "repeated");
    expect(found).toHaveLength(400);
    expect(new Set(found.map(({ searches }) => searches))).toEqual(new Set([5]));
  });

  it("is reviewed even if the evidence is longer than one value of the database may be", async () => {
    const officer = await newUser((await newAgency()).id);
    await searchedMany(officer, { count: 20_000, plates: 20_000, why: "test ".repeat(20) });
    expect((await review()).bytes).toBeLessThan(MAX_BYTES);
    expect(await findingsOf(officer, "vague")).toEqual([{ plate: "", searches: 20_000 }]);
  });
});
