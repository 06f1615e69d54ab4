// Other readers of the audit log get the same results before and after its rows are archived.

import { describe, expect, it } from "vitest";
import { rotateSecrets } from "#app/domain/operations/secret-rotation.ts";
import { exportAuditLog } from "#app/domain/oversight/audit-log.ts";
import { FIRST_DAYS } from "#app/domain/oversight/review-searches.ts";
import { countMonth } from "#app/domain/oversight/transparency-count.ts";
import { listSearches, saveSearch, searchAgain } from "#app/domain/search/history.ts";
import { linkHash } from "#app/entities/oversight/audit-chain.ts";
import { NO_AUDIT_FILTER } from "#app/entities/oversight/audit-filter.ts";
import {
  AUDIT_ONLINE_DAYS,
  AUDIT_UNREVIEWED_DAYS,
  auditKind,
} from "#app/entities/oversight/audit-segment.ts";
import { HOURS_HISTORY_MS } from "#app/entities/oversight/review.ts";
import type { SearchHistory } from "#app/entities/search/history/past-search.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { monthOf } from "#app/lib/time/months.ts";
import { REFUSALS_MS } from "#app/store/oversight/audit.ts";
import { listAuditRows } from "#app/store/oversight/audit-log.ts";
import { listSegmentsAfter } from "#app/store/oversight/audit-segments.ts";
import { listEvidence } from "#app/store/oversight/review.ts";
import { listInvestigationsOf } from "#app/store/oversight/review-job.ts";
import {
  actorOf,
  bindings,
  client,
  newAgency,
  newUser,
  sessionActorOf,
  testApp,
  unique,
} from "../../factories.ts";
import {
  archive,
  archivedAgency,
  onlineSeqs,
  type TestRow,
  verifyAll,
  writeRows,
} from "../../support/operations/audit-archive.ts";
import { tamper } from "../../support/tamper.ts";

const json = JSON.stringify;

describe("the online window", () => {
  it("is longer than the periods that limits look back, and before the first review than what that reads", () => {
    // A first review begins with a whole day, up to a day earlier.
    expect(FIRST_DAYS * DAY + HOURS_HISTORY_MS + DAY).toBeLessThanOrEqual(AUDIT_UNREVIEWED_DAYS * DAY);
    expect(REFUSALS_MS).toBeLessThan(AUDIT_ONLINE_DAYS * DAY);
    // Limits on investigations and refusals of SCIM look back a day.
    expect(AUDIT_ONLINE_DAYS).toBeGreaterThan(1);
  });

  it("is the same in the trigger as in the code", async () => {
    const sql = await bindings.DB.prepare(
      "SELECT sql FROM sqlite_master WHERE name = 'audit_log_no_delete'",
    ).first<string>("sql");
    expect(sql).toContain(
      `- ${AUDIT_ONLINE_DAYS} * 86400) * 1000 OR NOT EXISTS (SELECT 1 FROM audit_segments`,
    );
    const history = await bindings.DB.prepare(
      "SELECT sql FROM sqlite_master WHERE name = 'review_searches_no_delete'",
    ).first<string>("sql");
    expect(history).toContain(`unixepoch() - ${HOURS_HISTORY_MS / DAY} * 86400`);
  });
});

describe("the kind of an act", () => {
  it("is the same in the database as in the code", async () => {
    const agency = await newAgency();
    const actions = [
      ..."audit.view audit.verify image.view alert.view group.view search search.finished search-places".split(
        " ",
      ),
      ..."export export.view export.finished sign-in sign-out sign-on.add session.end step-up step-up.x".split(
        " ",
      ),
      ..."group.edit plate.add hotlist-import.start attachment.refuse alert.disposition push-alerts access".split(
        " ",
      ),
      ..."user.role saved-search.save signing plates push retention.purge result-set.view auditx review.examine".split(
        " ",
      ),
    ];
    await writeRows(
      agency.id,
      actions.map((action) => ({ action })),
    );
    const { results } = await bindings.DB.prepare("SELECT action, kind FROM audit_log WHERE agency_id = ?")
      .bind(agency.id)
      .all<{ action: string; kind: string }>();
    expect(results).toHaveLength(actions.length);
    for (const { action, kind } of results) expect([action, auditKind(action)]).toEqual([action, kind]);
  });
});

it("numbered pages of the API are full, and have each row once, although a page of the screen opens ten segments", async () => {
  const rows = Array.from({ length: 30 }, (_, i): TestRow[] => [
    { age: 300 - i, username: "sought", object: `row-${i}` },
    { age: 300 - i, username: "other" },
  ]).flat();
  const agency = await archivedAgency(rows, 2);
  expect(agency.archived.segments).toBe(30);
  const admin = await client(await newUser(agency.id, { role: "admin" }));
  const page = async (number: number, more = "") => {
    const answer = await admin.fetch(`/admin-audit-logs-api?user=sought&page=${number}${more}`);
    return ((await answer.json()) as { object: string }[]).map(({ object }) => object);
  };
  const newest = Array.from({ length: 30 }, (_, i) => `row-${29 - i}`);
  // Without a plate, the kind of match has no effect.
  for (const more of ["", "&plate_match=contains"]) {
    expect(await page(1, more)).toEqual(newest.slice(0, 20));
    expect(await page(2, more)).toEqual(newest.slice(20));
    expect(await page(3, more)).toEqual([]);
  }
});

describe("a user's own searches", () => {
  /** Creates a user with old searches. Writes the rows before the sign-in, because rows are archived in order. */
  async function searcher(mark: string) {
    const agency = await newAgency();
    const user = await newUser(agency.id);
    await writeRows(agency.id, rowsOf(user.id, mark));
    return { agency, actor: await actorOf(await client(user)) };
  }

  function rowsOf(userId: string, mark: string): TestRow[] {
    return Array.from({ length: 40 }, (_, i): TestRow[] => {
      const object = `${mark}-${i}`;
      const common = { user_id: userId, object, age: 300 - i * 7 };
      const query = { plate: `abc${i}`, justification: `Reason ${i}`, start_time: "2026-01-01T00:00:00Z" };
      const detail = json({ query, agencies: ["x", "y"], agency_count: 2 });
      const ended = json({ state: "ready", reads: i, truncated: i % 2 === 0 });
      return [
        { ...common, plate: `ABC${i}`, case_number: "26-1", detail },
        { ...common, user_id: "someone-else", object: `${object}-x`, detail },
        ...(i % 5 === 0 ? [] : [{ ...common, action: "search.finished", detail: ended }]),
      ];
    }).flat();
  }

  it("are listed, pinned and filled into the form in the same way, wherever their rows are", async () => {
    const mark = unique("search");
    const { agency, actor } = await searcher(mark);
    const app = testApp();
    await saveSearch(app, actor, { id: `${mark}-2`, name: "Old one", pinned: true });
    await saveSearch(app, actor, { id: `${mark}-3`, name: "Named" });
    const found = async () => {
      const pages: SearchHistory[] = [];
      for (let after: string | null = null; ; ) {
        const page: SearchHistory = await listSearches(app, actor, { find: "", after });
        pages.push(page);
        after = page.next;
        if (!after) break;
      }
      const searches = pages.flatMap((page) => page.searches);
      const filtered = await listSearches(app, actor, { find: "abc7", after: null });
      const again = await searchAgain(app, actor, { id: `${mark}-4`, range: "original" });
      return { pinned: pages[0]?.pinned, searches, filtered: filtered.searches, again };
    };
    const before = await found();
    expect(before.searches).toHaveLength(39);
    expect(before.pinned).toMatchObject([{ id: `${mark}-2`, name: "Old one" }]);
    expect(before.filtered).toHaveLength(1);
    expect(before.again?.request).toMatchObject({ plate: "abc4", agencies: ["x", "y"] });
    expect((await archive(agency, 7)).rows).toBeGreaterThan(60);
    expect(await found()).toEqual(before);
  });

  it("do not include those of others", async () => {
    const mark = unique("search");
    const { agency, actor } = await searcher(mark);
    await archive(agency, 7);
    expect(await searchAgain(testApp(), actor, { id: `${mark}-4-x`, range: undefined })).toBeUndefined();
    const stranger = await searcher(unique("search"));
    expect(
      await searchAgain(testApp(), stranger.actor, { id: `${mark}-4`, range: undefined }),
    ).toBeUndefined();
  });
});

describe("the review", () => {
  it("shows the evidence of old findings", async () => {
    const agency = await newAgency();
    const query = { justification: "Why", purpose: "p" };
    const detail = json({ query, agencies: [1, 2, 3, 4], agency_count: 3 });
    await writeRows(agency.id, [{ age: 300, plate: "A" }, { age: 299, plate: "B", detail }, { age: 3 }, {}]);
    const id = unique("finding");
    const seqs = await onlineSeqs(agency);
    await bindings.DB.batch([
      bindings.DB.prepare(
        `INSERT INTO review_findings (id, agency_id, kind, user_id, username, plate, day, first_at, last_at, searches,
          created_at) VALUES (?, ?, 'vague', 'u', 'u', '', 0, 0, 0, 4, 0)`,
      ).bind(id, agency.id),
      ...seqs.map((seq) =>
        bindings.DB.prepare(
          "INSERT INTO review_evidence (seq, kind, finding_id, at, reason) VALUES (?, 'vague', ?, ?, 'r')",
        ).bind(seq, id, seq),
      ),
    ]);
    const before = await listEvidence(testApp(), { id, agencyId: agency.id });
    expect(before).toHaveLength(4);
    await archive(agency, 1);
    expect(await onlineSeqs(agency)).toHaveLength(2);
    const after = await listEvidence(testApp(), { id, agencyId: agency.id });
    expect(after).toEqual(before);
    expect(after[2]).toMatchObject({ plate: "B", justification: "Why", purpose: "p", agencies: 3 });
  });

  it("counts a returned plate as a bystander only if no one ever searched for it", async () => {
    const agency = await newAgency();
    const object = unique("convoy");
    await writeRows(agency.id, [
      { age: 300, plate: "SEEN1" },
      { age: 300, plate: "REFUSED1", outcome: "refused" },
      { age: 299, plate: "HIT1", action: "alert.view" },
      { age: 2, action: "search-convoy", plate: "X", object, user_id: "u" },
      {
        age: 2,
        action: "search-convoy.finished",
        object,
        detail: json({ plates: ["SEEN1", "REFUSED1", "HIT1", "OTHER"] }),
      },
    ]);
    const span = { agencyId: agency.id, userId: "u", from: Date.now() - 3 * DAY, until: Date.now() };
    const before = await listInvestigationsOf(testApp(), span);
    expect(before).toMatchObject([{ plates: 3 }]);
    expect(await archive(agency, 2)).toEqual({ rows: 3, segments: 2 });
    expect(await listInvestigationsOf(testApp(), span)).toEqual(before);
  });
});

describe("transparency statistics", () => {
  it("count archived months", async () => {
    const agency = await newAgency();
    const at = Date.now() - 200 * DAY;
    const rows = Array.from({ length: 30 }, (_, i): TestRow => {
      const detail = json({ query: { purpose: i % 2 ? "stolen-vehicle" : "" } });
      const action = ["search", "search-places", "export", "retention.purge", "search.finished"][i % 5] ?? "";
      return { at: at + i, action, detail, case_number: i % 3 ? "26-1" : "", user_id: `u${i % 4}` };
    });
    await writeRows(agency.id, [...rows, { age: 1 }]);
    const before = await countMonth(testApp(), agency.id, monthOf(at));
    expect(before.exports).toBe(6);
    await archive(agency, 4);
    const after = await countMonth(testApp(), agency.id, monthOf(at));
    const sorted = (counts: typeof before) =>
      [...counts.searches].sort((a, b) => a.purpose.localeCompare(b.purpose));
    expect({ ...after, searches: sorted(after) }).toEqual({ ...before, searches: sorted(before) });
  });
});

describe("keys of segments", () => {
  it("are encrypted again when the operator's key is rotated, and work without the former key", async () => {
    const agency = await newAgency();
    await writeRows(agency.id, [{ age: 300, plate: "OLD", username: "ann" }, { age: 299 }, {}]);
    await archive(agency, 2);
    const owner = await actorOf(await client(await newUser(agency.id, { role: "admin" })));
    const added = `9:${btoa("another key of thirty-two bytes!")}`;
    const rotating = testApp(Date.now, { SEALING_KEYS: `${bindings.SEALING_KEYS},${added}` });
    while ((await rotateSecrets(rotating, owner)).remaining > 0);
    const query = {
      agencyId: agency.id,
      kind: null,
      plate: "",
      username: "ann",
      caseNumber: "",
      start: null,
      end: null,
    };
    const rows = (app: Parameters<typeof listAuditRows>[0]) =>
      listAuditRows(app, { ...query, after: null, limit: 5, offset: 0 });
    expect((await rows(testApp(Date.now, { SEALING_KEYS: added }))).rows).toMatchObject([{ plate: "OLD" }]);
    await expect(rows(testApp())).rejects.toThrow();
  });
});

describe("the control database of an older backup", () => {
  it("archives the rows again that were archived after the backup", async () => {
    const agency = await newAgency();
    await writeRows(agency.id, [
      ...Array.from({ length: 9 }, (_, i) => ({ age: 300 - i, plate: `P${i}` })),
      {},
    ]);
    await archive(agency, 3);
    const backup = async (table: string, column: string) =>
      (await bindings.DB.prepare(`SELECT * FROM ${table} WHERE ${column} = ?`).bind(agency.id).all()).results;
    const segments = await backup("audit_segments", "agency_id");
    expect(segments).toHaveLength(3);
    const all = await listAuditRows(testApp(), {
      ...{ agencyId: agency.id, kind: null, plate: "", username: "", caseNumber: "", start: null, end: null },
      ...{ after: null, limit: 20, offset: 0 },
    });
    // The rows of the last segment as they are in the older backup.
    const last = segments.at(-1);
    const app = testApp();
    const [segment] = await listSegmentsAfter(app.db, { agencyId: agency.id, after: 6, limit: 1 });
    if (!segment) throw new Error("no segment");
    const rows = await app.auditArchive.open(segment);
    await tamper("DELETE FROM audit_segments WHERE number = ?", last?.number);
    await tamper("DELETE FROM audit_segment_filters WHERE segment = ?", last?.number);
    let hash = segment.previousHash;
    for (const [i, row] of rows.entries()) {
      hash = await linkHash(hash, row);
      const columns = Object.keys(row);
      await bindings.DB.prepare(
        `INSERT INTO audit_log (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
      )
        .bind(...Object.values(row))
        .run();
      await bindings.DB.prepare("INSERT INTO audit_chain VALUES (?, ?, ?, ?, 0)")
        .bind(row.seq, agency.id, segment.firstPosition + i, hash)
        .run();
    }
    expect(await verifyAll(agency)).toMatchObject({ problem: null, checked: 10 });
    expect(await archive(agency, 3)).toEqual({ rows: 3, segments: 1 });
    expect(await verifyAll(agency)).toMatchObject({ problem: null, checked: 10 });
    expect(all.rows).toHaveLength(10);
    const objects = await bindings.AUDITS.list({ prefix: `audit-segments/${agency.id}/` });
    expect(objects.objects).toHaveLength(4);
  });
});

describe("an export of a large log", () => {
  const ROWS = 12_100;
  const insertRows = (agencyId: string, { from, rows }: { from: number; rows: number }) =>
    bindings.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
      INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, plate)
      SELECT ${from} + i * 1000, ?, 'u' || (i % 50), 'user' || (i % 50), '', '', '', 'search', 'ok', 'P' || (i % 999) FROM n`,
    )
      .bind(agencyId)
      .run();

  it.each([
    ["is disabled", "disabled_at = 1"],
    ["is no administrator any more", "role = 'user'"],
  ])("stops when its reader %s", async (_, change) => {
    const agency = await newAgency();
    const boss = await newUser(agency.id, { role: "admin" });
    await insertRows(agency.id, { from: Date.now() - DAY, rows: 20_000 });
    const filter = { ...NO_AUDIT_FILTER, acts: "all" } as const;
    const actor = sessionActorOf(boss, agency.name);
    const reader = (await exportAuditLog(testApp(), actor, { filter, redacted: true })).getReader();
    await reader.read();
    await bindings.DB.prepare(`UPDATE users SET ${change} WHERE id = ?`).bind(boss.id).run();
    // One part may have been read ahead.
    const rest = async () => {
      for (let parts = 0; parts < 3; parts++) await reader.read();
    };
    await expect(rest()).rejects.toMatchObject({ code: "forbidden" });
  });

  it("has every row of more than 60 segments, with few queries", async () => {
    const agency = await newAgency();
    const boss = await newUser(agency.id, { role: "admin" });
    const from = Date.now() - 300 * DAY;
    await insertRows(agency.id, { from, rows: ROWS });
    await writeRows(agency.id, [{}]);
    expect(await archive(agency, 200)).toMatchObject({ rows: ROWS });
    let queries = 0;
    const DB = new Proxy(bindings.DB, {
      get(database, name) {
        const value: unknown = Reflect.get(database, name, database);
        if (typeof value !== "function") return value;
        if (name === "prepare") queries++;
        return value.bind(database);
      },
    });
    const app = testApp(Date.now, { DB });
    const actor = sessionActorOf(boss, agency.name);
    const filter = { ...NO_AUDIT_FILTER, acts: "all" } as const;
    const reader = (await exportAuditLog(app, actor, { filter, redacted: true })).getReader();
    let lines = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      expect(part.value.length).toBeLessThan(2_000_000);
      for (const byte of part.value) if (byte === 10) lines++;
    }
    expect(lines).toBeGreaterThanOrEqual(1 + ROWS + 1);
    expect(queries).toBeLessThan(300);
  });
});
