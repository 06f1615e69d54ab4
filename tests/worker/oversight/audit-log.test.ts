import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { anchorAuditHeads, checkChain, sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import type { ChainReport } from "#app/entities/oversight/audit-chain.ts";
import type { AuditLogRow, AuditPage } from "#app/entities/oversight/audit-filter.ts";
import { HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import {
  insertAudit,
  insertAuditIfChanged,
  MAX_REFUSALS_OF_ADDRESS,
  MAX_REFUSALS_OF_AGENCY,
  REFUSALS_MS,
} from "#app/store/oversight/audit.ts";
import type { Heads } from "#app/store/oversight/audit-chain.ts";
import { COMPARED_ROWS } from "#app/store/oversight/audit-log.ts";
import { countingDatabase, noCounts } from "../../bench/support/counting-database.ts";
import {
  apiClient,
  auditOf,
  bindings,
  type Client,
  client,
  newAgency,
  newUser,
  newWorld,
  search,
  searchBody,
  signIn,
  type TestUser,
  testApp,
  unique,
  type World,
} from "../../factories.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { tamper } from "../../support/tamper.ts";

let world: World;
let admin: Client;
let owner: Client;
let officer: Client;

beforeAll(async () => {
  world = await newWorld();
  [admin, owner, officer] = [
    await client(world.users.admin),
    await client(world.users.owner),
    await client(world.users.officer),
  ];
});

const rowsOf = async (who: Client, query: string) => {
  const response = await who.fetch(`/admin-audit-logs-api${query}`);
  expect(response.status).toBe(200);
  const rows: AuditLogRow[] = await response.json();
  return rows;
};

const WRITTEN = {
  at: Date.parse("2026-03-01T00:00:00Z"),
  userId: "u",
  username: "someone",
  sessionId: "s",
  ip: "192.0.2.1",
  userAgent: "",
  action: "search",
  outcome: "ok",
} as const;

/** Writes rows of a new agency, to exclude rows of other tests. */
async function written(count: number, over: Record<string, unknown> = {}) {
  const agency = await newAgency();
  const boss = await newUser(agency.id, { role: "admin" });
  const app = testApp();
  for (let at = 0; at < count; at++) {
    await inOneStep(app.db, [
      insertAudit(app.db, {
        ...WRITTEN,
        at: WRITTEN.at + at * 1000,
        agencyId: agency.id,
        plate: `ABC${at}`,
        programsQueried: "Rekor",
        detail: { query: { plate: `abc${at}`, justification: "Theft of a van" } },
        ...over,
      }),
    ]);
  }
  return { agency, boss };
}

const verify = (agency: { id: string }, clock = Date.now()) =>
  checkChain(
    testApp(() => clock),
    agency.id,
    0,
  );

describe("GET /admin-audit-logs-api", () => {
  it("shows a search with its documented fields, newest first", async () => {
    await search(
      officer,
      searchBody(world.agencies, { plate: "zz9plural", justification: "Theft of a van" }),
    );
    const [row] = await rowsOf(admin, "?plate=zz9plural");
    expect(row).toMatchObject({
      user: world.users.officer.username,
      user_agency: world.ours.name,
      programs_queried: expect.stringContaining("Rekor"),
      plate: "ZZ9PLURAL",
    });
    expect(JSON.parse(row?.query_parameters ?? "")).toMatchObject({
      plate: "zz9plural",
      justification: "Theft of a van",
    });
    expect(row?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("returns twenty rows a page and fewer on the last, without duplicates", async () => {
    const { boss } = await written(45);
    const who = await client(boss);
    const pages = [await rowsOf(who, "?page=1"), await rowsOf(who, "?page=2"), await rowsOf(who, "?page=3")];
    expect(pages.map((page) => page.length)).toEqual([20, 20, 5]);
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(45);
    expect(await rowsOf(who, "?page=4")).toEqual([]);
  });

  it("filters by time, plate, user, case number and act, separately and combined", async () => {
    const { agency, boss } = await written(10);
    const who = await client(boss);
    const app = testApp();
    const common = {
      at: Date.parse("2026-03-02T00:00:00Z"),
      agencyId: agency.id,
      userId: "u",
      sessionId: "",
      ip: "",
      userAgent: "",
    };
    await inOneStep(app.db, [
      insertAudit(app.db, {
        ...common,
        username: "other",
        action: "export",
        outcome: "ok",
        caseNumber: "26-7",
      }),
      insertAudit(app.db, { ...common, username: "other", action: "image.view", outcome: "ok", object: "x" }),
      insertAudit(app.db, {
        ...common,
        at: common.at + 400,
        username: "other",
        action: "group.edit",
        outcome: "refused",
      }),
    ]);
    const count = async (query: string) => (await rowsOf(who, query)).length;
    expect(await count("?start=2026-03-01T00:00:03Z&end=2026-03-01T00:00:05Z")).toBe(3);
    expect(await count("?acts=all&start=2026-03-02T00:00:00Z&end=2026-03-02T00:00:00Z")).toBe(3);
    expect(await count("?acts=all&start=2026-03-02T00:00Z&end=2026-03-02T00:00Z")).toBe(3);
    expect(await count("?plate=abc7")).toBe(1);
    expect(await count("?plate=abc*")).toBe(10);
    expect(await count("?plate=bc7")).toBe(0);
    expect(await count("?user=Someone")).toBe(10);
    expect(await count("?user=someone&plate=abc1&start=2026-03-01T00:00:02Z")).toBe(0);
    expect(await count("?acts=exports&case_number=26-7")).toBe(1);
    expect(await count("?acts=views")).toBe(1);
    expect(await count("?acts=refusals")).toBe(1);
    expect(await count("?acts=hotlists")).toBe(1);
    expect(await count("?acts=all&user=other")).toBe(3);
  });

  it("finds what a user name did however it was typed, also failed sign-ins and the SCIM client", async () => {
    const { boss } = await written(1);
    const target = await newUser(boss.agencyId);
    await signIn({ username: target.username.toUpperCase(), password: "wrong" });
    const who = await client(boss);
    for (const typed of [target.username, target.username.toUpperCase()])
      expect(await rowsOf(who, `?acts=sign-ins&user=${typed}`)).toMatchObject([
        { user: target.username, outcome: "refused" },
      ]);
    const app = testApp();
    await inOneStep(app.db, [
      insertAudit(app.db, {
        ...{ at: Date.now(), agencyId: boss.agencyId, userId: "scim", username: "SCIM client" },
        ...{ sessionId: "", ip: "", userAgent: "", action: "user.disable", outcome: "ok" },
      }),
    ]);
    for (const typed of ["SCIM client", "scim client"])
      expect(await rowsOf(who, `?acts=all&user=${encodeURIComponent(typed)}`)).toHaveLength(1);
  });

  it("finds a search by its plate however the plate was typed, there and in the filter", async () => {
    const typed = ["qk8-lur al", "QK8LURAL", "ｑｋ8.lural"];
    for (const plate of typed) await search(officer, searchBody(world.agencies, { plate }));
    for (const plate of [...typed, "qk8lu*"])
      expect(await rowsOf(admin, `?plate=${encodeURIComponent(plate)}`)).toHaveLength(typed.length);
    const [row] = await rowsOf(admin, "?plate=qk8lural");
    expect(JSON.parse(row?.query_parameters ?? "")).toMatchObject({ plate: typed.at(-1) });
  });

  it("finds a case number that was pasted with invisible characters, and takes only those for none", async () => {
    const numbers = ["26-88231", "\u200b26-88231\ufeff", " 26-88\u00ad231\u2060 "];
    for (const case_number of [...numbers, "\u200b"])
      await search(officer, searchBody(world.agencies, { plate: "PASTED1", case_number }));
    expect(await rowsOf(admin, "?case_number=26-88231")).toHaveLength(numbers.length);
    expect(await rowsOf(admin, "?case_number=26-%E2%80%8B88231")).toHaveLength(numbers.length);
    expect((await rowsOf(admin, "?plate=pasted1")).map((row) => row.case_number)).toEqual([
      "",
      ...numbers.map(() => "26-88231"),
    ]);
  });

  it("finds partial plates, ignoring case, spaces and dashes", async () => {
    const { agency, boss } = await written(3);
    const app = testApp();
    const row = { ...WRITTEN, at: WRITTEN.at - 1, agencyId: agency.id };
    await inOneStep(app.db, [insertAudit(app.db, { ...row, plate: "XB-C 1%", detail: {} })]);
    const who = await client(boss);
    const found = async (plate: string) =>
      (await rowsOf(who, `?plate_match=contains&plate=${encodeURIComponent(plate)}`)).map((one) => one.plate);
    expect(await found("bc1")).toEqual(["ABC1", "XB-C 1%"]);
    expect(await found("b-c 1")).toEqual(["ABC1", "XB-C 1%"]);
    expect(await found("1%")).toEqual(["XB-C 1%"]);
    expect(await found("c%1")).toEqual([]);
    expect(await rowsOf(who, "?plate_match=contains&plate=bc1&user=nobody")).toEqual([]);
    expect((await who.fetch("/admin-audit-logs-api?plate_match=like")).status).toBe(400);
  });

  it("shows administrators only their agency, and the owner all agencies", async () => {
    const { agency } = await written(3);
    expect((await admin.fetch(`/admin-audit-logs-api?agency=${agency.id}`)).status).toBe(404);
    // CJIS AU-2: also a refused attempt to read the log has an audit row.
    expect(await auditOf(world.users.admin)).toMatchObject([
      { action: "audit.view", outcome: "refused", object: agency.id },
    ]);
    expect(await rowsOf(owner, `?agency=${agency.id}`)).toHaveLength(3);
    expect(await rowsOf(owner, `?agency=${encodeURIComponent(agency.name)}`)).toHaveLength(3);
  });

  it("audits views and refused attempts", async () => {
    await rowsOf(admin, "?plate=qq1&case_number=26-1");
    const [read] = await auditOf(world.users.admin);
    expect(read).toMatchObject({ action: "audit.view", outcome: "ok", plate: "QQ1", case_number: "26-1" });
    expect((await officer.fetch("/admin-audit-logs-api")).status).toBe(403);
    const [refused] = await auditOf(world.users.officer);
    expect(refused).toMatchObject({ action: "access", outcome: "refused", object: "/admin-audit-logs-api" });
  });

  it("answers invalid input with 400", async () => {
    for (const query of [
      "?page=0",
      "?page=x",
      "?page=1e9",
      "?start=yesterday",
      "?acts=nothing",
      `?plate=${"A".repeat(41)}`,
    ])
      expect((await admin.fetch(`/admin-audit-logs-api${query}`)).status).toBe(400);
    expect(
      (await admin.fetch("/admin-audit-logs-api?start=2026-03-02T00:00:00Z&end=2026-03-01T00:00:00Z")).status,
    ).toBe(400);
  });
});

describe("the screen's pages", () => {
  it("start after the previous page, even if rows were written in between", async () => {
    const { boss } = await written(41);
    const who = await client(boss);
    const seen: number[] = [];
    let after: unknown = null;
    for (let page = 0; page < 3; page++) {
      const answer = await who.post("/audit-log/rows", { filter: { acts: "searches" }, after });
      const { rows, next }: { rows: AuditLogRow[]; next: unknown } = await answer.json();
      seen.push(...rows.map(({ id }) => id));
      after = next;
    }
    expect(seen).toHaveLength(41);
    expect(new Set(seen).size).toBe(41);
    expect(after).toBeNull();
  });
});

describe("a search for a partial plate", () => {
  it("compares a limited number of rows per page, and returns where it stopped", async () => {
    const { agency, boss } = await written(1);
    // Rows that are newer than the match: one page compares all of them.
    await bindings.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COMPARED_ROWS})
      INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, plate)
      SELECT ${WRITTEN.at} + i, ?, 'u', 'someone', '', '', '', 'search', 'ok', 'ZZ9' FROM n`,
    )
      .bind(agency.id)
      .run();
    const who = await client(boss);
    const filter = { plate: "bc0", plate_match: "contains" };
    const page = async (after: unknown): Promise<AuditPage> =>
      (await who.post("/audit-log/rows", { filter, after })).json();
    const first = await page(null);
    expect(first).toMatchObject({ rows: [], searched_to: new Date(WRITTEN.at + 1).toISOString() });
    const second = await page(first.next);
    expect(second.rows.map(({ plate }) => plate)).toEqual(["ABC0"]);
    expect(second).toMatchObject({ next: null, searched_to: null });
    const file = await who.post("/audit-log/export", { filter, redacted: false });
    expect((await file.text()).trim().split("\r\n")).toHaveLength(1 + 1);
  });
});

describe("refused sign-ins", () => {
  const at = Date.parse("2026-03-01T00:00:00Z");

  async function refuse(
    agencyId: string,
    over: { at?: number; ip?: string; outcome?: "ok"; count?: number } = {},
  ) {
    const { count = 1, ...rest } = over;
    const app = testApp();
    const entry = {
      at,
      agencyId,
      userId: "",
      username: "nobody",
      sessionId: "",
      ip: "192.0.2.1",
      userAgent: "",
      action: "sign-in" as const,
      outcome: "refused" as const,
      detail: { reason: "unknown user" },
      ...rest,
    };
    const others = Array.from({ length: count - 1 }, () => insertAudit(app.db, entry));
    await inOneStep(app.db, [insertAudit(app.db, entry), ...others]);
  }
  const details = async (agencyId: string) => {
    const rows = bindings.DB.prepare("select detail from audit_log where agency_id = ? order by seq");
    return (await rows.bind(agencyId).all<{ detail: string }>()).results.map(({ detail }) =>
      JSON.parse(detail),
    );
  };

  it("from one IP address are logged up to a limit, which the last row reports", async () => {
    const { id } = await newAgency();
    await refuse(id, { count: MAX_REFUSALS_OF_ADDRESS + 50 });
    const written = await details(id);
    expect(written).toHaveLength(MAX_REFUSALS_OF_ADDRESS);
    expect(written.filter(({ more }) => more)).toEqual([written.at(-1)]);
    expect(written[0]).toEqual({ reason: "unknown user" });
    // Refusals from other addresses and all successes are still logged; its own are logged again after the period.
    await refuse(id, { ip: "192.0.2.2" });
    await refuse(id, { at: at + REFUSALS_MS });
    await refuse(id, { outcome: "ok" });
    expect(await details(id)).toHaveLength(MAX_REFUSALS_OF_ADDRESS + 3);
  });

  it("from many IP addresses cannot flood the log of any agency", async () => {
    const [{ id }, other] = [await newAgency(), await newAgency()];
    for (let n = 0; n < MAX_REFUSALS_OF_AGENCY / 100 + 2; n++)
      await refuse(id, { ip: `198.51.100.${n}`, count: 99 + 1 });
    const written = await details(id);
    expect(written).toHaveLength(MAX_REFUSALS_OF_AGENCY);
    expect(written.at(-1)).toHaveProperty("more");
    await refuse(other.id);
    expect(await details(other.id)).toHaveLength(1);
  });
});

describe("an audit row that depends on its act", () => {
  it("is written only if the act changed something", async () => {
    const agency = await newAgency();
    const boss = await newUser(agency.id, { role: "admin" });
    const app = testApp();
    const act = (id: string, object: string): [Statement, Statement] => [
      app.db.run(sql`update users set name = 'Someone else' where id = ${id}`),
      insertAuditIfChanged(app.db, {
        at: 1,
        agencyId: agency.id,
        userId: boss.id,
        username: boss.username,
        sessionId: "s",
        ip: "192.0.2.1",
        userAgent: "",
        action: "user.role",
        outcome: "ok",
        object,
      }),
    ];
    await inOneStep(app.db, act("no such user", "nothing"));
    expect(await auditOf(boss)).toEqual([]);
    await inOneStep(app.db, act(boss.id, "something"));
    expect(await auditOf(boss)).toMatchObject([{ action: "user.role", outcome: "ok", object: "something" }]);
  });
});

describe("the export", () => {
  const file = async (who: Client, body: object) => {
    const response = await who.post("/audit-log/export", body);
    expect(response.status).toBe(200);
    return response.text();
  };

  it("has every row of the filter with plates, and is audited", async () => {
    const { boss } = await written(1_203);
    const who = await client(boss);
    const text = await file(who, { filter: {}, redacted: false });
    expect(text.trim().split("\r\n")).toHaveLength(1 + 1_203);
    expect(text).toContain("ABC1202");
    expect(await auditOf(boss)).toMatchObject([{ action: "audit.export" }]);
  });

  it("contains no plate when redacted", async () => {
    const { boss } = await written(5, {
      detail: {
        query: { plate: "abc1", justification: "Look for ABC 1 and XYZ789", purpose: "missing-person" },
      },
      plate: "ABC1",
      caseNumber: "26-1044",
    });
    const text = await file(await client(boss), { filter: {}, redacted: true });
    expect(text.trim().split("\r\n")).toHaveLength(6);
    expect(text).not.toMatch(/ABC\s?1|XYZ789/i);
    expect(text).toContain("Look for [redacted] and [redacted],Missing or endangered person");
  });

  it.each(["AB-123", "AB 123", "AB_1*2"])("is redacted after a search for %j", async (plate) => {
    const { boss } = await written(2, {
      detail: { query: { plate, justification: `Look for (${plate.toLowerCase()}) in {town}` } },
      plate,
    });
    const text = await file(await client(boss), { filter: {}, redacted: true });
    expect(text.match(/Look for \(\[redacted\]\) in \{town\}/g)).toHaveLength(2);
    expect(text).not.toContain(plate);
  });

  it("is redacted for an export of the reads of plates without digits", async () => {
    const { boss } = await written(2, {
      action: "export",
      detail: { justification: "Reads of GOTCHA and il-uv for the court", plates: ["GOTCHA", "ILUV"] },
    });
    const text = await file(await client(boss), { filter: { acts: "all" }, redacted: true });
    expect(text.match(/Reads of \[redacted\] and \[redacted\] for the court/g)).toHaveLength(2);
  });

  it("neutralizes spreadsheet formulas", async () => {
    const { boss } = await written(1, { detail: { query: { justification: "=HYPERLINK(1)" } } });
    expect(await file(await client(boss), { filter: {}, redacted: false })).toContain("'=HYPERLINK(1)");
  });
});

describe("the chain", () => {
  it("covers every row after sealing, even with two concurrent runs", async () => {
    const { agency } = await written(7);
    await Promise.all([sealAuditLog(testApp()), sealAuditLog(testApp())]);
    await sealAuditLog(testApp());
    expect(await verify(agency)).toMatchObject({ problem: null, waiting: 0, next: null });
    expect(await sealAuditLog(testApp())).toBe(0);
  });

  it("cannot be changed, and neither can the log, because of triggers", async () => {
    for (const table of ["audit_log", "audit_chain"]) {
      await expect(bindings.DB.prepare(`UPDATE ${table} SET at = 0`).run()).rejects.toThrow(/append-only/);
      await expect(bindings.DB.prepare(`DELETE FROM ${table}`).run()).rejects.toThrow(/append-only/);
    }
  });

  it("reports a row in which one character was changed while the triggers were off", async () => {
    const { agency } = await written(6);
    await sealAuditLog(testApp());
    const seq = await seqOf(agency, 4);
    await tamper("UPDATE audit_log SET plate = 'ABD3' WHERE seq = ?", seq);
    expect((await verify(agency)).problem).toMatchObject({ seq, position: 4 });
  });

  it("reports a deleted row", async () => {
    const { agency } = await written(6);
    await sealAuditLog(testApp());
    const seq = await seqOf(agency, 2);
    await tamper("DELETE FROM audit_log WHERE seq = ?", seq);
    expect((await verify(agency)).problem).toMatchObject({
      seq,
      problem: "It was removed from the log.",
    });
  });

  it("detects a rewritten chain by the heads in R2", async () => {
    const { agency } = await written(6);
    const hour = Math.floor(Date.now() / HOUR + 1000) * HOUR;
    await sealAuditLog(testApp());
    expect(await anchorAuditHeads(testApp(() => hour))).toBe(true);
    expect(await anchorAuditHeads(testApp(() => hour + 1))).toBe(false);
    const seq = await seqOf(agency, 6);
    await tamper("UPDATE audit_log SET plate = 'OTHER' WHERE seq = ?", seq);
    await tamper("DELETE FROM audit_chain WHERE agency_id = ?", agency.id);
    const reforged = await reforge(agency.id);
    expect(reforged).toBe(6);
    expect((await verify(agency)).problem).toMatchObject({ seq, position: 6 });
  });

  it("reports newest rows that were removed, also after the log has grown past them again", async () => {
    const { agency } = await written(4);
    const anchor = Math.floor(Date.now() / HOUR + 1100) * HOUR;
    const writeAndAnchor = async (rows: number, at: number) => {
      for (let row = 0; row < rows; row++)
        await inOneStep(testApp().db, [insertAudit(testApp().db, { ...WRITTEN, agencyId: agency.id })]);
      await sealAuditLog(testApp());
      expect(await anchorAuditHeads(testApp(() => at))).toBe(true);
    };
    expectLogged(/does not match the heads in R2/);
    await writeAndAnchor(0, anchor - HOUR);
    await writeAndAnchor(2, anchor);
    const lost = await seqOf(agency, 6);
    for (const position of [5, 6]) {
      const seq = await seqOf(agency, position);
      await tamper("DELETE FROM audit_chain WHERE seq = ?", seq);
      await tamper("DELETE FROM audit_log WHERE seq = ?", seq);
    }
    for (let hour = 1; hour <= 9; hour++) await writeAndAnchor(1, anchor + hour * HOUR);
    const { problem } = await verify(agency, anchor + 10 * HOUR);
    expect(problem).toMatchObject({ seq: lost, position: 6 });
    expect(problem?.problem).toContain(`${isoTime(anchor).slice(0, 13)}:00 UTC`);
  });

  it("has its head found by one look-up, and none once the hour has its heads", async () => {
    const { agency } = await written(400);
    const deleted = unique("no-agency");
    await inOneStep(testApp().db, [insertAudit(testApp().db, { ...WRITTEN, agencyId: deleted })]);
    await sealAuditLog(testApp());
    const { chains, links } = (await bindings.DB.prepare(
      "SELECT count(DISTINCT agency_id) AS chains, count(*) AS links FROM audit_chain",
    ).first<{ chains: number; links: number }>()) ?? { chains: 0, links: 0 };
    expect(links).toBeGreaterThan(400);
    const counts = noCounts();
    const hour = Math.floor(Date.now() / HOUR + 2000) * HOUR;
    const DB = countingDatabase(bindings.DB, () => counts);
    expect(await anchorAuditHeads(testApp(() => hour, { DB }))).toBe(true);
    expect(counts.rowsRead).toBeLessThan(6 * chains + 10);
    const stored = await bindings.AUDITS.get(`audit-heads/${isoTime(hour).slice(0, 13)}.json`);
    const { heads } = (await stored?.json<Heads>()) ?? { heads: [] };
    expect(heads).toHaveLength(chains);
    expect(heads).toContainEqual(expect.objectContaining({ agency: agency.id, position: 400 }));
    expect(heads).toContainEqual(expect.objectContaining({ agency: deleted, position: 1 }));
    counts.calls = 0;
    expect(await anchorAuditHeads(testApp(() => hour + 5 * MINUTE, { DB }))).toBe(false);
    expect(counts.calls).toBe(0);
  });

  it("does not list the heads of all hours to find the first that differs", async () => {
    const { agency } = await written(3);
    await sealAuditLog(testApp());
    const start = Date.parse("2025-01-01T00:00:00Z");
    // With gaps, and one of a clock that was ahead.
    const hours = Array.from({ length: 400 }, (_, i) => start + (i + Math.floor(i / 7) * 30) * HOUR);
    hours.push(Date.now() + 900 * HOUR);
    const forged = hours[123] ?? 0;
    const head = { agency: agency.id, position: 2, seq: await seqOf(agency, 2), hash: "forged" };
    const nameOf = (at: number) => new Date(at).toISOString().slice(0, 13);
    for (const at of hours)
      await bindings.AUDITS.put(
        `audit-heads/${nameOf(at)}.json`,
        JSON.stringify({ at, heads: at >= forged ? [head] : [] }),
      );
    const asked = { keys: 0, calls: 0 };
    const AUDITS = new Proxy(bindings.AUDITS, {
      get(bucket, name) {
        const value: unknown = Reflect.get(bucket, name, bucket);
        if (typeof value !== "function") return value;
        return async (...values: unknown[]) => {
          const answer = await value.apply(bucket, values);
          asked.calls++;
          if (name === "list") asked.keys += answer.objects.length;
          return answer;
        };
      },
    });
    try {
      const { problem } = await checkChain(testApp(Date.now, { AUDITS }), agency.id, 0);
      expect(problem).toMatchObject({ position: 2, seq: head.seq });
      expect(problem?.problem).toContain(`stored at ${nameOf(forged)}:00 UTC`);
      expect(asked.keys).toBeLessThan(40);
      expect(asked.calls).toBeLessThan(80);
    } finally {
      for (const at of hours) await bindings.AUDITS.delete(`audit-heads/${nameOf(at)}.json`);
    }
  });

  it("reports that sealing has stopped", async () => {
    const { agency } = await written(2, { at: Date.now() - HOUR });
    expect((await verify(agency)).problem?.problem).toMatch(/not yet in the hash chain/);
  });

  it("is verified by the endpoint of the Verify button, for administrators only", async () => {
    const { boss } = await written(3);
    await sealAuditLog(testApp());
    const answer = await (await client(boss)).post("/audit-log/verify", { agency: "", after: 0 });
    expect(await answer.json()).toMatchObject({ problem: null, next: null } satisfies Partial<ChainReport>);
    expect(await auditOf(boss)).toMatchObject([{ action: "audit.verify" }]);
    expect((await officer.post("/audit-log/verify", { agency: "", after: 0 })).status).toBe(403);
    expect((await admin.post("/audit-log/verify", { agency: "", after: 10 ** 9 })).status).toBe(404);
  });

  it("is verified with audit rows that say where it began, if not at the start, and what was found wrong", async () => {
    const { agency, boss } = await written(4);
    const who = await client(boss);
    await sealAuditLog(testApp());
    const verifyAfter = async (after: number): Promise<ChainReport> =>
      (await who.post("/audit-log/verify", { agency: "", after })).json();
    const noted = async (count: number) =>
      (await auditOf(boss, count)).map(({ action, outcome, detail }) => [
        action,
        outcome,
        JSON.parse(detail),
      ]);
    const { checked, total } = await verifyAfter(2);
    expect(await noted(1)).toEqual([["audit.verify", "ok", { after: 2, checked, total }]]);
    await tamper("UPDATE audit_log SET plate = 'ZZZ' WHERE agency_id = ? AND plate = 'ABC2'", agency.id);
    const { problem } = await verifyAfter(0);
    expect(problem).toMatchObject({ position: 3 });
    expect(await noted(2)).toEqual([
      ["audit.verify", "ok", {}],
      ["audit.verify", "failed", { after: 0, problem }],
    ]);
  });
});

describe("an act whose audit row cannot be written", () => {
  it("does not happen", async () => {
    const user: TestUser = await newUser(world.ours.id);
    const who = await apiClient(user);
    await bindings.DB.prepare(
      `CREATE TRIGGER no_more BEFORE INSERT ON audit_log WHEN new.username = '${user.username}'
        BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    ).run();
    const sets = () => bindings.DB.prepare("SELECT count(*) AS n FROM result_sets").first<number>("n");
    const before = await sets();
    const quiet = console.error;
    console.error = () => {};
    try {
      const refused = await who.post(
        "/search-data",
        searchBody(world.agencies, { plate: unique("x").slice(0, 7) }),
      );
      expect(refused.status).toBe(503);
    } finally {
      console.error = quiet;
      await bindings.DB.prepare("DROP TRIGGER no_more").run();
    }
    expect(await sets()).toBe(before);
  });
});

async function seqOf(agency: { id: string }, position: number): Promise<number> {
  const seq = await bindings.DB.prepare("SELECT seq FROM audit_chain WHERE agency_id = ? AND position = ?")
    .bind(agency.id, position)
    .first<number>("seq");
  if (seq === null) throw new Error(`there is no position ${position}`);
  return seq;
}

/** Rewrites the agency's chain to match the changed rows, as a forger would. */
async function reforge(agencyId: string): Promise<number> {
  const { chainStart, linkHash } = await import("#app/entities/oversight/audit-chain.ts");
  const { results } = await bindings.DB.prepare(
    `SELECT seq, at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, plate,
      case_number, programs_queried, detail FROM audit_log WHERE agency_id = ? ORDER BY seq`,
  )
    .bind(agencyId)
    .all<Parameters<typeof linkHash>[1]>();
  let hash = await chainStart(agencyId);
  for (const [at, row] of results.entries()) {
    hash = await linkHash(hash, row);
    await bindings.DB.prepare(
      "INSERT INTO audit_chain (seq, agency_id, position, hash, at) VALUES (?, ?, ?, ?, 0)",
    )
      .bind(row.seq, agencyId, at + 1, hash)
      .run();
  }
  return results.length;
}
