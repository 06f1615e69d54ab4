import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { AuditLogRow } from "#app/entities/oversight/audit-filter.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { runCron } from "../../../workers/scheduled.ts";
import {
  auditOf,
  bindings,
  type Client,
  client,
  jsonInit,
  newAgency,
  newUser,
  newWorld,
  search,
  searchBody,
  send,
  unique,
  vendors,
  type World,
} from "../../factories.ts";

let world: World;
let officer: Client;
let hotadmin: Client;
let admin: Client;

beforeAll(async () => {
  world = await newWorld();
  officer = await client(world.users.officer);
  hotadmin = await client(world.users.hotadmin);
  admin = await client(world.users.admin);
});

afterEach(() => void vi.useRealTimers());

describe("the audit log", () => {
  const WAYS: [what: string, path: string, init?: RequestInit][] = [
    ["its screen", "/audit-log"],
    ["the documented call", "/admin-audit-logs-api?plate=ABC"],
    ["a page of it", "/audit-log/rows", jsonInit({ filter: {} })],
    ["its export", "/audit-log/export", jsonInit({ filter: {}, redacted: true })],
    ["its verification", "/audit-log/verify", jsonInit({ agency: "", after: 0 })],
  ];

  it.each(WAYS)(
    "is refused with 403 for users who are not administrators, which is audited: %s",
    async (_, path, init) => {
      for (const name of ["officer", "viewer", "hotadmin", "stranger"] as const) {
        const who = await client(world.users[name]);
        expect([name, (await who.fetch(path, init)).status]).toEqual([name, 403]);
        const [row] = await auditOf(world.users[name]);
        const object = path.split("?")[0];
        expect(row).toMatchObject({ action: "access", outcome: "refused", object, plate: "" });
      }
    },
  );

  // The screen itself shows no row: it requests the first page.
  it.each(WAYS.slice(1))("is audited when an administrator uses it: %s", async (_, path, init) => {
    expect((await admin.fetch(path, init)).status).toBe(200);
    const [row] = await auditOf(world.users.admin);
    expect(row).toMatchObject({
      action: expect.stringMatching(/^audit\.(view|export|verify)$/),
      outcome: "ok",
    });
  });

  it("shows another agency's administrator nothing from this agency", async () => {
    const other = await client(world.users.strangeAdmin);
    const ways: [string, RequestInit | undefined][] = [
      [`/admin-audit-logs-api?agency=${world.ours.id}`, undefined],
      ["/audit-log/rows", jsonInit({ filter: { agency: world.ours.id, acts: "all" } })],
      ["/audit-log/export", jsonInit({ filter: { agency: world.ours.id, acts: "all" }, redacted: false })],
    ];
    for (const [path, init] of ways) {
      const text = await (await other.fetch(path, init)).text();
      expect(text).not.toContain(world.users.officer.username);
    }
  });
});

describe("downloads", () => {
  it("are audited with their size before the first byte: results, exports", async () => {
    const { rows, resultId } = await search(officer, searchBody([world.hartford.id]));
    const columns = await officer.fetch(`/results/${resultId}/columns`);
    await columns.arrayBuffer();
    const [viewed] = await auditOf(world.users.officer);
    expect(viewed).toMatchObject({ action: "result-set.view", object: resultId, case_number: "26-1044" });
    expect(JSON.parse(viewed?.detail ?? "")).toEqual({ reads: rows.length, bytes: expect.any(Number) });

    const made = await officer.post("/export-zip", {
      records: rows.slice(0, 1).map(({ id }) => ({ id })),
      justification: "Stolen vehicle",
      result_id: resultId,
    });
    const size = (await made.arrayBuffer()).byteLength;
    const finished = (await auditOf(world.users.officer, 3)).find(
      ({ action }) => action === "export.finished",
    );
    expect(JSON.parse(finished?.detail ?? "")).toMatchObject({ bytes: size });
    const again = await officer.fetch(`/exports/${made.headers.get("odin-export-id")}/file`);
    expect((await again.arrayBuffer()).byteLength).toBe(size);
    const [taken] = await auditOf(world.users.officer);
    expect(taken?.action).toBe("export.view");
    expect(JSON.parse(taken?.detail ?? "")).toMatchObject({ bytes: size });
  });
});

describe("the heads of the audit chains", () => {
  it("are stored in a separate bucket once an hour; the first of an hour is not overwritten", async () => {
    await search(officer, searchBody([world.ours.id]));
    const start = Math.ceil((Date.now() + DAY) / HOUR) * HOUR;
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    const ring = (cron: string) =>
      runCron({ cron, scheduledTime: 0, noRetry: () => {} }, bindings, { waitUntil: () => {} });
    const headsOf = async (hour: number) => {
      const object = await bindings.AUDITS.get(
        `audit-heads/${isoTime(start + hour * HOUR).slice(0, 13)}.json`,
      );
      return object?.text();
    };
    await ring("* * * * *");
    for (let minute = 0; minute < 120; minute += 20) {
      vi.setSystemTime(start + minute * MINUTE);
      await ring("*/5 * * * *");
      if (minute === 0) {
        expect(await headsOf(0)).toContain(world.ours.id);
        expect(await headsOf(1)).toBeUndefined();
      }
    }
    const [first, second] = [await headsOf(0), await headsOf(1)];
    expect(JSON.parse(first ?? "{}").at).toBe(start);
    expect(JSON.parse(second ?? "{}").at).toBe(start + HOUR);
  });
});

describe("a justification without visible text", () => {
  /** Texts without a visible character: all kinds of spaces, and invisible characters. */
  const nothing = fc
    .array(
      fc.constantFrom(
        ..." \t\n\r\u00a0\u1680\u2003\u2009\u202f\u205f\u3000",
        ..."\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u034f\u061c\u200e\u202e\u2066",
        ..."\u115f\u1160\u3164\uffa0\u2800\ufe0f\u{e0020}\u{e0100}\u0000\u0007\u17b4",
      ),
      { maxLength: 30 },
    )
    .map((characters) => characters.join(""));
  const count = async (table: string) =>
    bindings.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n");
  const state = async () => [
    await count("result_sets"),
    await count("exports"),
    await count("hotlist_entries"),
    await count("legal_holds"),
  ];

  // The exception is edit-mobile, whose plates need only a number (specification section 5).
  it("is refused for searches, exports, hotlist plates and legal holds", async () => {
    const { rows, resultId } = await search(officer, searchBody(world.agencies));
    const records = rows.slice(0, 1).map(({ id }) => ({ id }));
    const form = new FormData();
    form.set("group_name", "Stolen");
    const made = await hotadmin.fetch("/groups/create-mobile", { method: "POST", body: form });
    const { group_id }: { group_id: string } = await made.json();
    await vendors.clearCalls();
    const before = await state();
    await fc.assert(
      fc.asyncProperty(nothing, async (reason) => {
        const file = new FormData();
        file.set("mode", "add");
        file.set("csv_file", new File([`plate,reason\nAB12345,"${reason}"\n`], "plates.csv"));
        const exported = { records, justification: reason, result_id: resultId };
        const held = { start: isoTime(Date.now() - DAY), end: isoTime(Date.now()), plates: "AB1" };
        const answers = await Promise.all([
          officer.post("/search-data", searchBody(world.agencies, { justification: reason })),
          officer.post("/export-zip", exported),
          officer.post("/export-pdf", exported),
          hotadmin.post("/hotlist/add-plate-direct", { plate_number: "AB12345", reason, group_id }),
          hotadmin.fetch(`/groups/${group_id}/bulk-upload-plates`, { method: "POST", body: file }),
          admin.post("/legal-holds/request", { ...held, case_number: "26-1", reason }),
          admin.post("/legal-holds/request", {
            ...held,
            case_number: reason,
            reason: "Evidence for a trial",
          }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
        await Promise.all(answers.map((answer) => answer.body?.cancel()));
      }),
      { numRuns: 40 },
    );
    expect(await state()).toEqual(before);
    // Not those that an earlier test made and that are still being answered.
    const { "images at once": _, ...calls } = await vendors.calls();
    expect(calls).toEqual({});
  });
});

describe("the export for public-records requests", () => {
  it("contains no plate of a large corpus, however a justification spells it", async () => {
    const agency = await newAgency();
    const boss = await client(await newUser(agency.id, { role: "admin" }));
    const { rows } = await search(officer, searchBody(world.agencies));
    const corpus = [...new Set(rows.map(({ plate }) => plate).filter((plate) => plate.length >= 4))].slice(
      0,
      400,
    );
    expect(corpus.length).toBeGreaterThan(100);
    const spelt = [
      (plate: string) => plate,
      (plate: string) => plate.toLowerCase(),
      (plate: string) => `${plate.slice(0, 3)}-${plate.slice(3)}`,
      (plate: string) => [...plate].join(" "),
    ];
    const entries = corpus.map((plate, i) => ({
      plate,
      words: `Van seen with ${spelt[i % 4]?.(plate)}, also ${spelt[i % 3]?.(corpus[(i + 1) % corpus.length] ?? "")}`,
    }));
    await bindings.DB.prepare(
      `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object,
        plate, case_number, programs_queried, detail)
        SELECT 1700000000000 + key, ?1, 'u', 'someone', 's', '192.0.2.1', '', 'search', 'ok', 'set-1',
          value ->> 'plate', '26-' || key, 'Axis',
          json_object('query', json_object('plate', value ->> 'plate', 'justification', value ->> 'words'))
        FROM json_each(?2)`,
    )
      .bind(agency.id, JSON.stringify(entries))
      .run();
    const answer = await boss.post("/audit-log/export", { filter: { acts: "all" }, redacted: true });
    const text = await answer.text();
    const lines = text.trim().split("\r\n");
    expect(lines.length).toBeGreaterThan(corpus.length);
    const bare = text.toUpperCase().replace(/[\s-]/g, "");
    expect(corpus.filter((plate) => bare.includes(plate.toUpperCase()))).toEqual([]);
    expect(text).not.toMatch(/192\.0\.2\.1|set-1/);
    const open = await boss.post("/audit-log/export", { filter: { acts: "all" }, redacted: false });
    expect((await open.text()).toUpperCase()).toContain(corpus[0]?.toUpperCase());
    const rowsShown: AuditLogRow[] = await (
      await boss.fetch(`/admin-audit-logs-api?plate=${corpus[0]}`)
    ).json();
    expect(rowsShown).toHaveLength(1);
  });
});

it("the public health endpoint reveals only late jobs and the state of the read databases", async () => {
  const text = await (await send(`/health?plate=${unique("x")}`)).text();
  const [state, ...databases] = text.trimEnd().split("\n");
  expect(state).toMatch(/^(ok|late: [a-z, -]+)$/);
  for (const line of databases) expect(line).toMatch(/^READS_\d: [a-z-]+, [\d,a-z %?()-]+$/);
});
