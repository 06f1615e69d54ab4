import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { termsIn } from "#app/domain/oversight/archived-chain.ts";
import { archiveAgency, archiveAudit, convertSegments } from "#app/domain/oversight/audit-archiving.ts";
import { anchorAuditHeads, checkChain } from "#app/domain/oversight/audit-chain.ts";
import { TERM } from "#app/entities/oversight/audit-segment.ts";
import { filtersOf } from "#app/entities/oversight/segment-filter.ts";
import { HOUR, utcDay } from "#app/lib/time/dates.ts";
import { listArchivedSubjects } from "#app/store/oversight/audit-archived-rows.ts";
import { listAuditRows } from "#app/store/oversight/audit-log.ts";
import type { AuditQuery } from "#app/store/oversight/audit-query.ts";
import { findSegment } from "#app/store/oversight/audit-segments.ts";
import { bindings, client, newAgency, newUser, testApp, unique } from "../../factories.ts";
import { dyingWorker } from "../../support/batches.ts";
import {
  archive,
  archivedAgency,
  onlineSeqs,
  type TestRow,
  verifyAll,
  writeRows,
} from "../../support/operations/audit-archive.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { tamper } from "../../support/tamper.ts";

const OLD: TestRow[] = Array.from({ length: 10 }, (_, i) => ({ age: 300 - i, plate: `OLD${i}` }));
const NEW: TestRow[] = [{ age: 20, plate: "NEW0" }, { plate: "NEW1" }];

const query = (agencyId: string, over: Partial<AuditQuery> = {}): AuditQuery => ({
  agencyId,
  kind: null,
  plate: "",
  username: "",
  caseNumber: "",
  start: null,
  end: null,
  after: null,
  limit: 20,
  offset: 0,
  ...over,
});
const platesOf = async (agencyId: string, over: Partial<AuditQuery> = {}) =>
  (await listAuditRows(testApp(), query(agencyId, over))).rows.map(({ plate }) => plate);

const segmentOf = async (agency: { id: string }, position = 1) => {
  const row = await bindings.DB.prepare(
    "SELECT number, object_key AS key FROM audit_segments WHERE agency_id = ? AND first_position = ?",
  )
    .bind(agency.id, position)
    .first<{ number: number; key: string }>();
  if (!row) throw new Error("no such segment");
  return row;
};

describe("archiving the audit log", () => {
  it("moves old rows out of the database; pages and verification still include them", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    expect(agency.archived).toEqual({ rows: 10, segments: 3 });
    expect(await onlineSeqs(agency)).toHaveLength(2);
    expect(await platesOf(agency.id)).toEqual(["NEW1", "NEW0", ...OLD.map(({ plate }) => plate).reverse()]);
    expect(await verifyAll(agency)).toMatchObject({ problem: null, checked: 12, total: 12 });
    expect(await archive(agency, 4)).toEqual({ rows: 0, segments: 0 });
  });

  it("keeps the last row of a chain in the database, which continues after it", async () => {
    const agency = await archivedAgency(OLD, 100);
    expect(await onlineSeqs(agency)).toHaveLength(1);
    await writeRows(agency.id, NEW);
    expect(await verifyAll(agency)).toMatchObject({ problem: null, checked: 12 });
  });

  it("keeps rows that do not verify, for an investigation", async () => {
    const agency = await newAgency();
    await writeRows(agency.id, [...OLD, ...NEW]);
    await tamper("UPDATE audit_log SET plate = 'X' WHERE agency_id = ? AND plate = 'OLD3'", agency.id);
    expectLogged(/does not verify: nothing of it is archived/);
    expect(await archive(agency, 4)).toEqual({ rows: 0, segments: 0 });
    expect(await onlineSeqs(agency)).toHaveLength(12);
  });

  it.each([
    ["before the database was written", false],
    ["before it learned that the database was written", true],
  ])("loses no row if the worker dies %s", async (_, isWritten) => {
    const agency = await newAgency();
    await writeRows(agency.id, [...OLD, ...NEW]);
    const app = dyingWorker(testApp(), { isWritten });
    const limits = { segments: 9, ms: 9_000, rows: 100 };
    await expect(archiveAgency(app, agency.id, limits)).rejects.toThrow(/the worker died/);
    const stored = async () =>
      (await bindings.AUDITS.list({ prefix: `audit-segments/${agency.id}/` })).objects;
    expect(await stored()).toHaveLength(1);
    expect(await onlineSeqs(agency)).toHaveLength(isWritten ? 2 : 12);
    expect(await verifyAll(agency)).toMatchObject({ problem: null });
    expect(await archive(agency, 100)).toEqual(
      isWritten ? { rows: 0, segments: 0 } : { rows: 10, segments: 1 },
    );
    expect(await stored()).toHaveLength(isWritten ? 1 : 2);
    expect(await platesOf(agency.id)).toHaveLength(12);
    expect(await verifyAll(agency)).toMatchObject({ problem: null, checked: 12 });
  });

  it("moves each row once if two workers archive concurrently", async () => {
    const agency = await newAgency();
    await writeRows(agency.id, [...OLD, ...NEW]);
    const done = await Promise.all([archive(agency, 4), archive(agency, 4), archive(agency, 4)]);
    await archive(agency, 4);
    expect(done.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(10);
    expect(await platesOf(agency.id)).toHaveLength(12);
    expect(await verifyAll(agency)).toMatchObject({ problem: null, checked: 12 });
  });

  it("moves nothing while a backup reads the database", async () => {
    const agency = await newAgency();
    await writeRows(agency.id, [...OLD, ...NEW]);
    const id = unique("backup");
    await bindings.DB.prepare(
      "INSERT INTO backup_runs (id, kind, state, phase, started_at) VALUES (?, 'backup', 'running', 'rows', 0)",
    )
      .bind(id)
      .run();
    expect(await archive(agency, 4)).toEqual({ rows: 0, segments: 0 });
    expect(await onlineSeqs(agency)).toHaveLength(12);
    await bindings.DB.prepare("DELETE FROM backup_runs WHERE id = ?").bind(id).run();
    expect(await archive(agency, 4)).toEqual({ rows: 10, segments: 3 });
  });

  const reviewedUntil = (agency: { id: string }, age: number) =>
    bindings.DB.prepare("INSERT INTO review_runs (agency_id, day, after_user) VALUES (?, ?, '')")
      .bind(agency.id, utcDay(Date.now()) - age)
      .run();

  it("keeps the rows of days that the review has not reached yet", async () => {
    const agency = await newAgency();
    await writeRows(agency.id, [...OLD, ...NEW]);
    await reviewedUntil(agency, 305);
    expect(await archive(agency, 4)).toEqual({ rows: 0, segments: 0 });
  });

  it("keeps rows 121 days before an agency's first review, and 7 days after it", async () => {
    const rows = [125, 123, 119, 60, 9, 8.5, 6, 5].map((age) => ({ age }));
    const unreviewed = await archivedAgency(rows, 2);
    expect(unreviewed.archived).toEqual({ rows: 2, segments: 1 });
    await reviewedUntil(unreviewed, 0);
    expect(await archive(unreviewed, 2)).toEqual({ rows: 4, segments: 2 });
    expect(await onlineSeqs(unreviewed)).toHaveLength(2);
    expect(await verifyAll(unreviewed)).toMatchObject({ problem: null, checked: 8 });
  });

  it("does not wait for a review of rows without an agency", async () => {
    const none = { id: "" };
    await writeRows(
      none.id,
      [20, 19, 18, 1].map((age) => ({ age, action: "sign-in", outcome: "refused" })),
    );
    expect(await archive(none, 3)).toEqual({ rows: 3, segments: 1 });
    expect(await verifyAll(none)).toMatchObject({ problem: null, checked: 4 });
  });

  it("catches up with the backlog of every agency, 20 segments a run", async () => {
    const agencies = [await newAgency(), await newAgency()];
    const rows = Array.from({ length: 25_001 }, (_, i) => ({ age: 130 - i / 1_000 }));
    for (const agency of agencies) {
      await writeRows(agency.id, rows);
      await reviewedUntil(agency, 0);
    }
    const online = async () => (await Promise.all(agencies.map(onlineSeqs))).map(({ length }) => length);
    // An agency of an earlier test has a damaged log.
    expectLogged(/does not verify: nothing of it is archived/);
    let runs = 0;
    for (; (await archiveAudit(testApp())) > 0; runs++) expect(runs).toBeLessThan(9);
    expect(runs).toBeGreaterThan(1);
    expect(await online()).toEqual([1, 1]);
  });

  it("archives something of every agency in one run, though one has a large backlog", async () => {
    const [large, ...small] = await Promise.all(["A", "B", "C"].map((name) => newAgency(unique(name))));
    if (!large) throw new Error("no agency");
    const rows = Array.from({ length: 45_000 }, (_, i) => ({ age: 130 - i / 1_000 }));
    await writeRows(large.id, rows);
    for (const agency of small) await writeRows(agency.id, rows.slice(0, 2_001));
    for (const agency of [large, ...small]) await reviewedUntil(agency, 0);
    expectLogged(/does not verify: nothing of it is archived/);
    await archiveAudit(testApp());
    const online = (await Promise.all(small.map(onlineSeqs))).map(({ length }) => length);
    expect(online).toEqual([1, 1]);
    while ((await archiveAudit(testApp())) > 0);
    expect(await onlineSeqs(large)).toHaveLength(1);
  });

  it("waits for a full segment until the oldest row is 45 days old", async () => {
    const agency = await newAgency();
    await writeRows(agency.id, [44, 30, 20].map((age) => ({ age })).concat({ age: 1 }));
    await reviewedUntil(agency, 0);
    expect(await archive(agency, 4)).toEqual({ rows: 0, segments: 0 });
    expect(await archive(agency, 3)).toEqual({ rows: 3, segments: 1 });
    const late = await newAgency();
    await writeRows(late.id, [46, 30, 20].map((age) => ({ age })).concat({ age: 1 }));
    await reviewedUntil(late, 0);
    expect(await archive(late, 100)).toEqual({ rows: 3, segments: 1 });
  });
});

describe("the filters of segments", () => {
  const moved = (segment: number) =>
    bindings.DB.prepare(
      `SELECT (SELECT count(*) FROM audit_segment_terms WHERE segment = ?1) AS terms,
        (SELECT count(*) FROM audit_segment_filters WHERE segment = ?1) AS filters`,
    )
      .bind(segment)
      .first<{ terms: number; filters: number }>();

  /** Gives a segment the index that it had before the filters. */
  async function makeFormer(agency: { id: string }, position: number): Promise<number> {
    const app = testApp();
    const { number } = await segmentOf(agency, position);
    const segment = await findSegment(app.db, { agencyId: agency.id, number });
    if (!segment) throw new Error("no segment");
    const terms = await termsIn(app, segment, await app.auditArchive.open(segment));
    await tamper("DELETE FROM audit_segment_filters WHERE segment = ?", number);
    await bindings.DB.prepare("INSERT INTO audit_segment_terms SELECT value, ? FROM json_each(?)")
      .bind(number, JSON.stringify(terms))
      .run();
    return number;
  }

  it("replace the former index, which is complete until then", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    const numbers = [await makeFormer(agency, 1), await makeFormer(agency, 5)];
    const check = async () => {
      expect(await platesOf(agency.id, { plate: "OLD2" })).toEqual(["OLD2"]);
      expect(await platesOf(agency.id, { plate: "OLD9" })).toEqual(["OLD9"]);
      expect(await platesOf(agency.id, { plate: "OLD77" })).toEqual([]);
      const plates = ["OLD6", "OLD9", "OLD77"];
      expect(await listArchivedSubjects(testApp(), { agencyId: agency.id, plates })).toEqual(
        new Set(["OLD6", "OLD9"]),
      );
      expect(await verifyAll(agency)).toMatchObject({ problem: null, checked: 12 });
    };
    await check();
    const [first = 0] = numbers;
    await expect(
      bindings.DB.prepare("DELETE FROM audit_segment_terms WHERE segment = ?").bind(first).run(),
    ).rejects.toThrow(/append-only/);
    const id = unique("backup");
    await bindings.DB.prepare(
      "INSERT INTO backup_runs (id, kind, state, phase, started_at) VALUES (?, 'backup', 'running', 'rows', 0)",
    )
      .bind(id)
      .run();
    expect(await convertSegments(testApp(), 1)).toBe(0);
    expect(await moved(first)).toMatchObject({ terms: expect.any(Number), filters: 0 });
    await bindings.DB.prepare("DELETE FROM backup_runs WHERE id = ?").bind(id).run();
    while ((await convertSegments(testApp(), 1)) > 0) await check();
    for (const number of numbers)
      expect(await moved(number)).toEqual({ terms: 0, filters: expect.any(Number) });
    expect((await moved(first))?.filters).toBeGreaterThan(5);
    await check();
  });

  it("leave no former index of a segment that is gone", async () => {
    const gone = -Date.now();
    await bindings.DB.prepare("INSERT INTO audit_segment_terms VALUES (-2, ?1), (-1, ?1)").bind(gone).run();
    await convertSegments(testApp(), 1);
    expect(await moved(gone)).toEqual({ terms: 0, filters: 0 });
  });

  it("are reported if the former index was incomplete", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    const number = await makeFormer(agency, 5);
    await tamper(
      "DELETE FROM audit_segment_terms WHERE segment = ?1 AND term = (SELECT min(term) FROM audit_segment_terms WHERE segment = ?1)",
      number,
    );
    expect((await verifyAll(agency)).problem).toMatchObject({ problem: expect.stringMatching(/index/) });
  });

  it("change no result if they name a segment that does not contain the value", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    const app = testApp();
    const results = async () => [
      await platesOf(agency.id, { plate: "NONE1" }),
      await platesOf(agency.id, { plate: "OLD5" }),
      await platesOf(agency.id, { caseNumber: "26-9" }),
      [...(await listArchivedSubjects(app, { agencyId: agency.id, plates: ["NONE1", "OLD5"] }))],
    ];
    const before = await results();
    expect(before).toEqual([[], ["OLD5"], [], ["OLD5"]]);
    const wanted = ["NONE1", "OLD5"].flatMap((plate) => [TERM.plate(plate), TERM.subject(plate)]);
    const hashes = await app.auditArchive.hash(agency.id, [...wanted, TERM.caseNumber("26-9")]);
    for (const { bucket, prints } of filtersOf(hashes))
      for (const position of [1, 5, 9]) {
        const { number } = await segmentOf(agency, position);
        await tamper(
          `INSERT INTO audit_segment_filters VALUES (?1, ?2, unhex(?3))
          ON CONFLICT DO UPDATE SET prints = unhex(hex(prints) || ?3)`,
          number,
          bucket,
          prints,
        );
      }
    expect(await results()).toEqual(before);
  });

  it("open a segment at most once for many plates, and none for plates that no one searched for", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    const app = testApp();
    const opened: number[] = [];
    const counting = {
      ...app,
      auditArchive: {
        ...app.auditArchive,
        open: (segment: Parameters<typeof app.auditArchive.open>[0]) => {
          opened.push(segment.firstPosition);
          return app.auditArchive.open(segment);
        },
      },
    };
    const subjects = (plates: string[]) => listArchivedSubjects(counting, { agencyId: agency.id, plates });
    const unknown = Array.from({ length: 450 }, (_, i) => `NONE${i}`);
    expect(await subjects(unknown)).toEqual(new Set());
    expect(opened.length).toBeLessThan(2);
    opened.length = 0;
    const plates = OLD.flatMap(({ plate = "" }) => plate);
    expect(await subjects([...unknown, ...plates])).toEqual(new Set(plates));
    expect(new Set(opened)).toEqual(new Set([1, 5, 9]));
    expect(opened).toHaveLength(3);
  });
});

describe("the triggers", () => {
  it("refuse changes of segments, and deletion of rows that no segment covers", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    const { number } = await segmentOf(agency);
    for (const statement of [
      "UPDATE audit_segments SET last_seq = 9e9 WHERE number = ?",
      "UPDATE audit_segments SET max_at = 0 WHERE number = ?",
      "DELETE FROM audit_segments WHERE number = ?",
      "DELETE FROM audit_segment_filters WHERE segment = ?",
      "UPDATE audit_segment_filters SET prints = x'' WHERE segment = ?",
    ])
      await expect(bindings.DB.prepare(statement).bind(number).run()).rejects.toThrow(/append-only/);
    for (const statement of [
      "DELETE FROM audit_log WHERE agency_id = ?",
      "DELETE FROM audit_chain WHERE agency_id = ?",
      // The segment of another agency does not cover its rows.
      "INSERT INTO audit_checkpoints VALUES (?, 2, 0, '', 0)",
    ])
      await expect(bindings.DB.prepare(statement).bind(agency.id).run()).rejects.toThrow(/append-only|whole/);
  });

  it("refuse deletion of rows within the online window, even if a segment claims to cover them", async () => {
    const agency = await newAgency();
    await writeRows(agency.id, [{ age: 6 }, { age: 6 }, {}]);
    const [first] = await onlineSeqs(agency);
    await tamper(
      "INSERT INTO audit_segments VALUES (NULL, ?, 1, 3, ?, ?, 0, 0, 0, '', '', ?, '', 0)",
      agency.id,
      first,
      (first ?? 0) + 2,
      unique("object"),
    );
    const gone = bindings.DB.prepare("DELETE FROM audit_log WHERE agency_id = ?").bind(agency.id);
    await expect(gone.run()).rejects.toThrow(/append-only/);
  });

  it("refuse a row with the number of an archived row, which also would not be shown instead", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    const insert = `INSERT INTO audit_log (seq, at, agency_id, user_id, username, session_id, ip, user_agent, action,
      outcome, plate) SELECT first_seq, ${Date.now()}, agency_id, '', '', '', '', '', 'search', 'ok', 'FORGED'
      FROM audit_segments WHERE agency_id = ? AND first_position = 5`;
    await expect(bindings.DB.prepare(insert).bind(agency.id).run()).rejects.toThrow(/append-only/);
    const replace = insert.replace("INSERT", "INSERT OR REPLACE");
    await expect(bindings.DB.prepare(replace).bind(agency.id).run()).rejects.toThrow(/append-only/);
    await tamper(insert, agency.id);
    expect(await platesOf(agency.id)).not.toContain("FORGED");
    expect(await platesOf(agency.id)).toContain("OLD4");
    expect((await verifyAll(agency)).problem).toMatchObject({
      problem: "It was added among archived entries.",
    });
  });
});

describe("verification of archived rows", () => {
  const problemOf = async (agency: { id: string }) => (await verifyAll(agency)).problem;

  it("reports a deleted, truncated, swapped or rewritten object", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    const [first, second] = [await segmentOf(agency, 1), await segmentOf(agency, 5)];
    const bytes = async (key: string) => {
      const object = await bindings.AUDITS.get(key);
      return new Uint8Array(await (object ?? new Response()).arrayBuffer());
    };
    const [own, other] = [await bytes(first.key), await bytes(second.key)];
    const changed = own.slice();
    changed[20] = (changed[20] ?? 0) ^ 1;
    for (const wrong of [own.slice(0, -1), own.slice(0, 4), new Uint8Array(), other, changed]) {
      await bindings.AUDITS.put(first.key, wrong);
      expect(await problemOf(agency)).toMatchObject({
        position: 1,
        problem: expect.stringMatching(/altered/),
      });
      await expect(platesOf(agency.id)).rejects.toThrow(/altered/);
    }
    await bindings.AUDITS.delete(first.key);
    expect(await problemOf(agency)).toMatchObject({ position: 1, problem: expect.stringMatching(/missing/) });
    await bindings.AUDITS.put(first.key, own);
    expect(await problemOf(agency)).toBeNull();
  });

  it("reports a deleted object to the administrator who verifies the log, and in the log", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    await bindings.AUDITS.delete((await segmentOf(agency, 1)).key);
    const boss = await client(await newUser(agency.id, { role: "admin" }));
    const answer = await boss.post("/audit-log/verify", { agency: "", after: 0 });
    expect(await answer.json()).toMatchObject({
      problem: { position: 1, problem: expect.stringMatching(/missing/) },
    });
    const outcomes = await bindings.DB.prepare(
      "SELECT outcome FROM audit_log WHERE agency_id = ? AND action = 'audit.verify' ORDER BY seq",
    )
      .bind(agency.id)
      .raw();
    expect(outcomes).toEqual([["ok"], ["failed"]]);
  });

  it("reports a segment that was removed, changed or swapped in the database", async () => {
    const rows = [...OLD, ...NEW];
    const removed = await archivedAgency(rows, 4);
    await tamper("DELETE FROM audit_segments WHERE agency_id = ? AND first_position = 5", removed.id);
    expect(await problemOf(removed)).toMatchObject({
      position: 9,
      problem: expect.stringMatching(/Entries before it are missing/),
    });
    const start = await archivedAgency(rows, 4);
    await tamper("DELETE FROM audit_segments WHERE agency_id = ? AND first_position = 1", start.id);
    expect(await problemOf(start)).toMatchObject({
      position: 5,
      problem: expect.stringMatching(/Entries before it are missing/),
    });
    const end = await archivedAgency(rows, 4);
    await tamper("DELETE FROM audit_segments WHERE agency_id = ? AND first_position = 9", end.id);
    expect(await problemOf(end)).toMatchObject({
      position: 11,
      problem: expect.stringMatching(/Entries before it are missing/),
    });
    for (const change of [
      "max_at = 0",
      "min_at = 0",
      "first_seq = 0",
      "last_hash = 'x'",
      "previous_hash = 'x'",
      "sealed_key = 'x'",
    ]) {
      const agency = await archivedAgency(rows, 4);
      await tamper(
        `UPDATE audit_segments SET ${change} WHERE agency_id = ? AND first_position = 5`,
        agency.id,
      );
      expect(await problemOf(agency)).toMatchObject({ position: 5 });
    }
  });

  it("reports rows that were deleted from the database without a segment", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    const [seq] = await onlineSeqs(agency);
    await tamper("DELETE FROM audit_log WHERE seq = ?", seq);
    expect(await problemOf(agency)).toMatchObject({
      position: 11,
      problem: expect.stringMatching(/removed/),
    });
    await tamper("DELETE FROM audit_chain WHERE seq = ?", seq);
    expect(await problemOf(agency)).toMatchObject({
      position: 12,
      problem: expect.stringMatching(/Entries before it are missing/),
    });
  });

  it("reports an index that differs from the rows of a segment", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    const { number } = await segmentOf(agency, 5);
    const bucket = "bucket = (SELECT min(bucket) FROM audit_segment_filters WHERE segment = ?1)";
    const kept = await bindings.DB.prepare("SELECT * FROM audit_segment_filters WHERE segment = ?")
      .bind(number)
      .all<{ bucket: number; prints: number[] }>();
    for (const statement of [
      `DELETE FROM audit_segment_filters WHERE segment = ?1 AND ${bucket}`,
      `UPDATE audit_segment_filters SET prints = x'' WHERE segment = ?1 AND ${bucket}`,
      `UPDATE audit_segment_filters SET prints = unhex('00000000000A') WHERE segment = ?1 AND ${bucket}`,
      `UPDATE audit_segment_filters SET prints = unhex(hex(prints) || 'FFFFFF') WHERE segment = ?1 AND ${bucket}`,
      "DELETE FROM audit_segment_filters WHERE segment = ?1",
    ]) {
      await tamper(statement, number);
      expect(await problemOf(agency)).toMatchObject({
        position: 5,
        problem: expect.stringMatching(/index/),
      });
      await tamper("DELETE FROM audit_segment_filters WHERE segment = ?", number);
      for (const { bucket, prints } of kept.results)
        await bindings.DB.prepare("INSERT INTO audit_segment_filters VALUES (?, ?, ?)")
          .bind(number, bucket, new Uint8Array(prints).buffer)
          .run();
      expect(await problemOf(agency)).toBeNull();
    }
  });

  it("compares the heads in R2 with positions within segments", async () => {
    const agency = await newAgency();
    await writeRows(agency.id, OLD.slice(0, 6));
    const later = Date.now() + 7000 * HOUR;
    await anchorAuditHeads(testApp(() => later));
    await writeRows(agency.id, [...OLD.slice(6), ...NEW]);
    await archive(agency, 4);
    expect(await problemOf(agency)).toBeNull();
    const key = `audit-heads/${new Date(later).toISOString().slice(0, 13)}.json`;
    const heads = (await (await bindings.AUDITS.get(key))?.text()) ?? "";
    const hash = JSON.parse(heads).heads.find((head: { agency: string }) => head.agency === agency.id).hash;
    await bindings.AUDITS.put(key, heads.replace(hash, hash.replace(/^./, hash[0] === "0" ? "1" : "0")));
    expect(await problemOf(agency)).toMatchObject({
      position: 6,
      problem: expect.stringMatching(/does not match the head/),
    });
    await bindings.AUDITS.delete(key);
  });

  it("continues from any position, even within a segment", async () => {
    const agency = await archivedAgency([...OLD, ...NEW], 4);
    for (let after = 0; after < 12; after++)
      expect(await checkChain(testApp(), agency.id, after)).toMatchObject({ problem: null });
    await expect(checkChain(testApp(), agency.id, 13)).rejects.toThrow(/no such place/);
  });
});

describe("another agency's archive", () => {
  it("is never read, even if the database refers to it", async () => {
    const [ours, theirs] = [
      await archivedAgency([...OLD, ...NEW], 4),
      await archivedAgency([...OLD, ...NEW], 4),
    ];
    const [own, other] = [await segmentOf(ours), await segmentOf(theirs)];
    // Their object in place of our segment's, with and without their key.
    await tamper("UPDATE audit_segments SET object_key = 'gone' WHERE number = ?", other.number);
    await tamper("UPDATE audit_segments SET object_key = ? WHERE number = ?", other.key, own.number);
    await expect(platesOf(ours.id)).rejects.toThrow(/altered/);
    await tamper(
      "UPDATE audit_segments SET sealed_key = (SELECT sealed_key FROM audit_segments WHERE number = ?) WHERE number = ?",
      other.number,
      own.number,
    );
    await expect(platesOf(ours.id)).rejects.toThrow(/altered/);
    // Their whole segment registered as ours.
    const [third, fourth] = [
      await archivedAgency([...OLD, ...NEW], 4),
      await archivedAgency([...OLD, ...NEW], 4),
    ];
    await tamper("DELETE FROM audit_segments WHERE agency_id = ? AND first_position = 1", third.id);
    await tamper(
      "UPDATE audit_segments SET agency_id = ? WHERE agency_id = ? AND first_position = 1",
      third.id,
      fourth.id,
    );
    await expect(platesOf(third.id)).rejects.toThrow(/altered/);
    expect((await verifyAll(third)).problem).toMatchObject({
      position: 1,
      problem: expect.stringMatching(/altered/),
    });
    expect(await platesOf(theirs.id, { start: Date.now() })).toEqual([]);
  });
});

describe("pages over the database and the archive", () => {
  const row = fc.record({
    age: fc.integer({ min: 0, max: 400 }),
    user_id: fc.constantFrom("u1", "u2"),
    username: fc.constantFrom("ann", "bob", "cy"),
    action: fc.constantFrom(
      "search",
      "search.finished",
      "export",
      "image.view",
      "group.edit",
      "sign-in",
      "access",
    ),
    outcome: fc.constantFrom("ok", "refused"),
    plate: fc.constantFrom("", "ABC123", "ABC12", "AB-C 1", "XYZ9", "AB"),
    case_number: fc.constantFrom("", "26-1", "26-2"),
  });
  const filter = fc.record({
    kind: fc.constantFrom(null, "search", "export", "view", "hotlist", "sign-in", "other"),
    searchesOnly: fc.boolean(),
    refusedOnly: fc.boolean(),
    plate: fc.constantFrom("", "", "ABC123", "ABC*", "ABC12*", "AB*", "*", "BC1", "ZZ"),
    isPlatePart: fc.boolean(),
    username: fc.constantFrom("", "", "ann", "zoe"),
    caseNumber: fc.constantFrom("", "", "26-1"),
    start: fc.option(fc.integer({ min: 0, max: 400 }), { nil: null }),
    end: fc.option(fc.integer({ min: 0, max: 400 }), { nil: null }),
    limit: fc.integer({ min: 1, max: 9 }),
  });

  it("equal the pages of one database with all rows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 5, maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        fc.array(filter, { minLength: 6, maxLength: 6 }),
        async (rows, segmentRows, filters) => {
          const naive = await newAgency();
          // Times in any order, some of them equal, so that segments overlap in time.
          const at = Date.now();
          const timed = rows.map(({ age, ...one }) => ({ ...one, at: at - age * 24 * HOUR }));
          await writeRows(naive.id, timed);
          const agency = await archivedAgency(timed, segmentRows);
          const all = async (agencyId: string, over: Partial<AuditQuery>, numbered: boolean) => {
            const found: string[] = [];
            let after: AuditQuery["after"] = null;
            for (let offset = 0; ; offset += over.limit ?? 0) {
              const page = await listAuditRows(
                testApp(),
                query(agencyId, { ...over, ...(numbered ? { offset } : { after }) }),
              );
              found.push(...page.rows.map(({ seq: _, agency: __, ...one }) => JSON.stringify(one)));
              const last = page.rows.at(-1);
              const isFull = page.rows.length === over.limit;
              if (!isFull && (numbered || !page.stoppedAt)) return found;
              after = isFull && last ? { at: last.at, seq: last.seq } : page.stoppedAt;
            }
          };
          for (const { start, end, ...over } of filters) {
            const filtered = {
              ...over,
              start: start === null ? null : at - start * 24 * HOUR,
              end: end === null ? null : at - end * 24 * HOUR,
            };
            const expected = await all(naive.id, filtered, false);
            expect(await all(agency.id, filtered, false)).toEqual(expected);
            if (!over.isPlatePart) expect(await all(agency.id, filtered, true)).toEqual(expected);
          }
          expect(await verifyAll(agency)).toMatchObject({ problem: null });
        },
      ),
      { numRuns: 15 },
    );
  });
});
