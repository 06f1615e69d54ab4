// The review finds the same whether the searches before a day are in the database or archived.

import { describe, expect, it } from "vitest";
import { archiveAudit } from "#app/domain/oversight/audit-archiving.ts";
import { reviewSearches } from "#app/domain/oversight/review-searches.ts";
import { BREADTH_PLATES } from "#app/entities/oversight/review.ts";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR, utcDay } from "#app/lib/time/dates.ts";
import { listSearchesOf } from "#app/store/oversight/review-job.ts";
import { bindings, newAgency, testApp, unique } from "../../factories.ts";
import {
  archive,
  onlineSeqs,
  type TestRow,
  verifyAll,
  writeRows,
} from "../../support/operations/audit-archive.ts";
import { expectLogged } from "../../support/quiet-console.ts";

const TODAY = utcDay(Date.now()) * DAY;

/** The job reviews days in order. Returns when it has reviewed up to the day before `age` days ago. */
async function reviewUntil(age: number): Promise<void> {
  const app = testApp(() => TODAY - age * DAY + HOUR);
  while ((await reviewSearches(app)) > 0);
}

const detail = JSON.stringify({ query: { justification: "Stolen vehicle seen near Park Street" } });

/** Sixty days of a user's searches at noon; on the last day also at midnight, and repeated plates. */
function rowsOf(userId: string): TestRow[] {
  const search = (age: number, hour: number, plate: string, caseNumber = "26-1"): TestRow => ({
    at: TODAY - age * DAY + hour * HOUR,
    user_id: userId,
    plate,
    case_number: caseNumber,
    detail,
  });
  const usual = Array.from({ length: 60 }, (_, i) => search(61 - i, 16, `USUAL${i}`));
  // Four of the five are before the day that is reviewed; 12 days lie between.
  const repeated = [26, 22, 20, 18, 15, 14].map((age) => search(age, 16, "REP-123", ""));
  const night = [search(14, 7, "NIGHT1")];
  return [...usual, ...repeated, ...night].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

async function findingsOf(agency: { id: string }, userId: string) {
  const { results } = await bindings.DB.prepare(
    `SELECT kind, plate, day, first_at, last_at, searches,
      (SELECT json_group_array(reason) FROM review_evidence WHERE finding_id = f.id) AS reasons
    FROM review_findings f
    WHERE agency_id = ? AND user_id = ? AND kind <> 'sample'
    ORDER BY kind, plate, first_at`,
  )
    .bind(agency.id, userId)
    .all();
  return results;
}

describe("the review of days before which searches are archived", () => {
  it("makes the findings that it makes with all rows in the database", async () => {
    const [online, archived] = [await newAgency(), await newAgency()];
    const userId = unique("user");
    for (const agency of [online, archived]) {
      await writeRows(agency.id, rowsOf(userId));
      // As if their earlier days had been reviewed.
      await bindings.DB.prepare("INSERT INTO review_runs (agency_id, day, after_user) VALUES (?, ?, '')")
        .bind(agency.id, utcDay(TODAY) - 15)
        .run();
    }
    expect((await archive(archived, 3)).rows).toBeGreaterThan(45);
    const span = { agencyId: "", userId, from: TODAY - 75 * DAY, until: TODAY };
    const searches = async (agency: { id: string }) =>
      (await listSearchesOf(testApp().db, { ...span, agencyId: agency.id })).map(
        ({ seq: _, ...search }) => search,
      );
    expect(await searches(archived)).toEqual(await searches(online));
    expect(await searches(archived)).toHaveLength(67);
    await reviewUntil(0);
    const found = await findingsOf(archived, userId);
    expect(found).toEqual(await findingsOf(online, userId));
    expect(found.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["repeated", "hours"]));
    // The next rows leave after the review, and change nothing.
    await archive(archived, 1);
    expect(await verifyAll(archived)).toMatchObject({ problem: null });
    expect(await searches(archived)).toEqual(await searches(online));
  });

  it("continues without archived rows that were lost, and counts their plates as not searched for", async () => {
    expectLogged(/^archived rows of the audit log cannot be read/);
    const agency = await newAgency();
    const [userId, object] = [unique("user"), unique("convoy")];
    const plates = Array.from({ length: BREADTH_PLATES + 1 }, (_, i) => `SEEN${i}`);
    const convoy = { age: 1, user_id: userId, object };
    await writeRows(agency.id, [
      { age: 30, plate: "SEEN0" },
      { age: 29, plate: "SEEN1" },
      { ...convoy, action: "search-convoy", plate: "LEAD1" },
      { ...convoy, action: "search-convoy.finished", detail: JSON.stringify({ plates }) },
      {},
    ]);
    await bindings.DB.prepare("INSERT INTO review_runs (agency_id, day, after_user) VALUES (?, ?, '')")
      .bind(agency.id, utcDay(TODAY) - 3)
      .run();
    expect((await archive(agency, 1)).segments).toBe(2);
    const { objects } = await bindings.AUDITS.list({ prefix: `audit-segments/${agency.id}/` });
    await bindings.AUDITS.delete(at(objects, 0).key);
    await bindings.AUDITS.put(at(objects, 1).key, "altered");
    await reviewUntil(-1);
    const [found] = await findingsOf(agency, userId);
    expect(found).toMatchObject({
      kind: "breadth",
      reasons: expect.stringContaining(`${plates.length} plates`),
    });
  });

  it("keeps searches as long as it compares them, without those of refused calls", async () => {
    const agency = await newAgency();
    const userId = unique("user");
    const row = (age: number, over: TestRow = {}): TestRow => ({
      age,
      user_id: userId,
      plate: `P${age}`,
      ...over,
    });
    await writeRows(agency.id, [
      row(90),
      row(70),
      row(59),
      row(58, { outcome: "refused" }),
      row(57, { action: "search-convoy" }),
      row(40),
      row(1),
    ]);
    await bindings.DB.prepare("INSERT INTO review_runs (agency_id, day, after_user) VALUES (?, ?, '')")
      .bind(agency.id, utcDay(TODAY))
      .run();
    expect(await archive(agency, 100)).toMatchObject({ rows: 6 });
    expect(await onlineSeqs(agency)).toHaveLength(1);
    const kept = async () => {
      const { results } = await bindings.DB.prepare(
        "SELECT plate FROM review_searches WHERE agency_id = ? ORDER BY at",
      )
        .bind(agency.id)
        .all<{ plate: string }>();
      return results.map(({ plate }) => plate);
    };
    expect(await kept()).toEqual(["P59", "P40"]);
    const statement = (text: string) => bindings.DB.prepare(text).bind(agency.id).run();
    await expect(statement("DELETE FROM review_searches WHERE agency_id = ?")).rejects.toThrow(/append-only/);
    await expect(statement("UPDATE review_searches SET plate = 'X' WHERE agency_id = ?")).rejects.toThrow(
      /append-only/,
    );
    const insert = "INSERT INTO review_searches VALUES (?, 'u', ?, ?, 'GONE', '')";
    await bindings.DB.prepare(insert)
      .bind(agency.id, TODAY - 400 * DAY, 1)
      .run();
    // All agencies of this test have been reviewed.
    await bindings.DB.prepare("UPDATE review_runs SET day = ?").bind(utcDay(TODAY)).run();
    await archiveAudit(testApp());
    expect(await kept()).toEqual(["P59", "P40"]);
  });
});
