import { beforeAll, describe, expect, it } from "vitest";
import { sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { publicStatistics, transparencyOverview } from "#app/domain/oversight/transparency.ts";
import { checkAuditLog, countMonth, countPublished } from "#app/domain/oversight/transparency-count.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { TransparencyOverview } from "#app/entities/oversight/transparency-page.ts";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { monthName, monthOf, monthStart } from "#app/lib/time/months.ts";
import { countStatus } from "#app/store/operations/status.ts";
import { claimCounts } from "#app/store/oversight/transparency.ts";
import { COUNT_STEP, STEP_SQL } from "#app/store/oversight/transparency-count.ts";
import {
  anAlert,
  anonymous,
  auditOf,
  bindings,
  type Client,
  client,
  jsonInit,
  newAgency,
  newUser,
  newWorld,
  pushRead,
  search,
  searchBody,
  type TestUser,
  testApp,
  unique,
  type World,
} from "../../factories.ts";
import { archive, purgeInTurns, writeRows } from "../../support/operations/audit-archive.ts";
import { tamper } from "../../support/tamper.ts";

type Row = {
  agencyId: string;
  at: number;
  action?: string;
  outcome?: string;
  userId?: string;
  caseNumber?: string;
  plate?: string;
  purpose?: string | null;
};

/** Writes audit rows as acts do, but with past times. */
async function written(rows: Row[]): Promise<void> {
  const values = rows.map((row) => ({
    user: row.userId ?? "u1",
    action: row.action ?? "search",
    outcome: row.outcome ?? "ok",
    caseNumber: row.caseNumber ?? "",
    plate: row.plate ?? "",
    detail: JSON.stringify(
      row.purpose === null ? { query: {} } : { query: { purpose: row.purpose ?? "investigation" } },
    ),
    agency: row.agencyId,
    at: row.at,
  }));
  await bindings.DB.prepare(
    `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, plate,
      case_number, detail)
    SELECT value ->> '$.at', value ->> '$.agency', value ->> '$.user', 'somebody', 's', '192.0.2.1', 'test',
      value ->> '$.action', value ->> '$.outcome', value ->> '$.plate', value ->> '$.caseNumber', value ->> '$.detail'
    FROM json_each(?)`,
  )
    .bind(JSON.stringify(values))
    .run();
}

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Creates an agency that has existed since 2020, with an administrator who may publish. */
async function place(name = unique("Town Police")) {
  const agency = await newAgency(name);
  await bindings.DB.prepare("UPDATE agencies SET created_at = ? WHERE id = ?")
    .bind(Date.parse("2020-01-01T00:00:00Z"), agency.id)
    .run();
  const boss = await newUser(agency.id, { role: "admin" });
  return { agency, boss, who: await client(boss), actor: actorOf(boss, agency.name) };
}

function actorOf(user: TestUser, agencyName: string): Actor {
  return {
    userId: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    agencyId: user.agencyId,
    agencyName,
    role: user.role,
    hotlistAdmin: false,
    hotlistViewer: false,
    isOwner: false,
    investigator: false,
    sessionId: "test",
    ip: "192.0.2.1",
    userAgent: "test",
  };
}

const PAGE = { introduction: "Why we use readers.", contact: "records@police.example" };
const save = (who: Client, page: object) =>
  who.fetch("/public-figures-data", jsonInit(page, { method: "PUT" }));
const publish = (who: Client) => who.fetch("/public-figures/publish", { method: "POST" });
const withdraw = (who: Client) => who.fetch("/public-figures/withdraw", { method: "POST" });

async function slugOf(who: Client): Promise<string> {
  const { page }: TransparencyOverview = await (await who.fetch("/public-figures-data")).json();
  return page.slug;
}

/** Saves and publishes a page. Returns its path. */
async function published(who: Client): Promise<string> {
  const slug = await slugOf(who);
  expect((await save(who, { ...PAGE, slug })).status).toBe(200);
  expect((await publish(who)).status).toBe(200);
  return `/figures/${slug}`;
}

/** Returns a response without the values that differ in every response. */
async function answerOf(path: string) {
  const response = await anonymous.fetch(path);
  const text = await response.text();
  const withoutRandomValues = (words: string) =>
    words
      .replaceAll(response.headers.get("x-request-id") ?? "", "")
      .replace(/nonce[-"= ]+[\w-]+/g, "")
      .replaceAll(path, "")
      .replace(/\\?"\d{13}\.?\d*\\?"/g, "");
  return {
    status: response.status,
    headers: [...response.headers]
      .filter(([name]) => name !== "date")
      .map(([name, value]) => [name, withoutRandomValues(value)]),
    text: withoutRandomValues(text),
  };
}

describe("a transparency page", () => {
  it("is public once published, and not found once withdrawn", async () => {
    const { who, agency } = await place();
    const slug = await slugOf(who);
    const paths = ["", ".csv", ".json"].map((ending) => `/figures/${slug}${ending}`);
    const statuses = () => Promise.all(paths.map(async (path) => (await anonymous.fetch(path)).status));
    expect(await statuses()).toEqual([404, 404, 404]);
    await save(who, { ...PAGE, slug });
    expect(await statuses()).toEqual([404, 404, 404]);
    expect((await publish(who)).status).toBe(200);
    expect(await statuses()).toEqual([200, 200, 200]);
    const html = await (await anonymous.fetch(`/figures/${slug}`)).text();
    expect(html).toContain(agency.name);
    expect(html).toContain(PAGE.introduction);
    expect((await withdraw(who)).status).toBe(200);
    expect(await statuses()).toEqual([404, 404, 404]);
    expect((await withdraw(who)).status).toBe(409);
  });

  it("has the same response whether it was withdrawn, was never published or does not exist", async () => {
    const { who } = await place("Xyz Police Department");
    const path = await published(who);
    await withdraw(who);
    const length = path.length - "/figures/".length;
    for (const ending of ["", ".csv", ".json"]) {
      const [gone, invented] = await Promise.all([
        answerOf(`${path}${ending}`),
        answerOf(`/figures/${"x".repeat(length)}${ending}`),
      ]);
      expect(gone).toEqual(invented);
      expect(gone.headers).toContainEqual(["cache-control", "no-store"]);
    }
    for (const odd of ["/figures/%00", "/figures/A", "/figures/a--b", `/figures/${"a".repeat(3000)}`])
      expect([404, 400], odd).toContain((await anonymous.fetch(odd)).status);
  });

  it("is the same for everyone, has no scripts, sets no cookie and can be cached for minutes", async () => {
    const { who } = await place();
    const path = await published(who);
    const [own, others] = [await who.fetch(path), await anonymous.fetch(path)];
    const theme = await anonymous.fetch(path, { headers: { cookie: "odin-theme=dark" } });
    // The message of the last form waits for a page that shows it.
    const noticed = await anonymous.fetch(path, { headers: { cookie: "__Host-odin-notice=Saved" } });
    const html = await own.text();
    expect(await others.text()).toBe(html);
    expect(await theme.text()).toBe(html);
    expect(html).not.toContain("<script");
    expect(html).not.toMatch(/\sstyle="/);
    expect(html).not.toMatch(/name="robots"/);
    for (const response of [
      own,
      others,
      noticed,
      await anonymous.fetch(`${path}.csv`),
      await anonymous.fetch(`${path}.json`),
    ]) {
      expect(response.headers.get("cache-control")).toBe("public, max-age=300");
      expect(response.headers.get("set-cookie")).toBeNull();
      expect(response.headers.get("content-security-policy")).not.toMatch(/script-src|unsafe/);
      expect(response.headers.get("x-frame-options")).toBe("DENY");
      expect(response.headers.get("strict-transport-security")).toMatch(/max-age/);
    }
    const robots = await (await anonymous.fetch("/terms")).text();
    expect(robots).toContain("noindex");
  });

  it("is not cached as screen data, which includes the signed-in user", async () => {
    const { who, boss } = await place();
    const path = await published(who);
    const data = await who.fetch(`${path}.data`);
    expect(await data.text()).toContain(boss.name);
    expect(data.headers.get("cache-control")).toMatch(/no-store|no-cache|private/);
    expect(data.headers.get("cache-control")).not.toContain("public");
  });

  it("can be changed only by its own agency", async () => {
    const [ours, theirs] = [await place(), await place()];
    const path = await published(ours.who);
    await save(theirs.who, { slug: await slugOf(theirs.who), introduction: "Theirs", contact: "them" });
    expect((await withdraw(theirs.who)).status).toBe(409);
    expect((await anonymous.fetch(path)).status).toBe(200);
    expect(await (await anonymous.fetch(path)).text()).not.toContain("Theirs");
    const taken = await save(theirs.who, { ...PAGE, slug: path.slice("/figures/".length) });
    expect(taken.status).toBe(400);
  });

  it("has a URL that is unique to the agency", async () => {
    const word = unique("Mill").replace(/\W/g, "");
    const [first, second] = [await place(`${word} Valley Police`), await place(`${word} Valley Sheriff`)];
    const slug = `${word} valley`.toLowerCase().replace(" ", "-");
    expect((await save(first.who, { ...PAGE, slug })).status).toBe(200);
    const refused = await save(second.who, { ...PAGE, slug });
    expect(refused.status).toBe(409);
    expect(await auditOf(second.boss)).toMatchObject([{ action: "figures.change", outcome: "refused" }]);
  });

  it("keeps its URL when the agency is renamed", async () => {
    const { who, agency } = await place();
    const path = await published(who);
    const name = unique("Renamed Police");
    await bindings.DB.prepare("UPDATE agencies SET name = ? WHERE id = ?").bind(name, agency.id).run();
    expect(await (await anonymous.fetch(path)).text()).toContain(name);
    const again = await save(who, { ...PAGE, slug: path.slice("/figures/".length) });
    expect(again.status).toBe(200);
  });

  it("needs a contact and a recent proof of identity to be published", async () => {
    const { who, boss } = await place();
    expect((await publish(who)).status).toBe(400);
    const slug = await slugOf(who);
    await save(who, { ...PAGE, slug, contact: " \u200b " });
    expect((await publish(who)).status).toBe(400);
    await save(who, { ...PAGE, slug });
    await bindings.DB.prepare("UPDATE sessions SET proved_at = ? WHERE user_id = ?")
      .bind(Date.now() - 11 * MINUTE, boss.id)
      .run();
    for (const call of [publish(who), withdraw(who), save(who, { ...PAGE, slug })])
      expect(await (await call).json()).toMatchObject({ code: "step_up_required" });
    expect((await anonymous.fetch(`/figures/${slug}`)).status).toBe(404);
  });

  it("is audited when published, changed and withdrawn, with the previous and new values", async () => {
    const { who, boss } = await place();
    const path = await published(who);
    const slug = path.slice("/figures/".length);
    await save(who, { ...PAGE, slug, introduction: "Another one.\n\n\n\nOf two lines." });
    await withdraw(who);
    const rows = (await auditOf(boss, 4)).map(({ action, outcome, object, detail }) => ({
      action,
      outcome,
      object,
      ...JSON.parse(detail),
    }));
    const [saved, first, change, last] = rows;
    expect(saved).toMatchObject({ action: "figures.change", outcome: "ok", before: null, after: PAGE });
    expect(first).toMatchObject({
      action: "figures.publish",
      object: slug,
      before: { published: false },
      after: { published: true, ...PAGE },
    });
    expect(change).toMatchObject({
      before: PAGE,
      after: { introduction: "Another one.\n\nOf two lines.", contact: PAGE.contact },
    });
    expect(last).toMatchObject({ action: "figures.withdraw", after: { published: false } });
  });

  it("refuses a long introduction, and shows markup as text", async () => {
    const { who } = await place();
    const slug = await slugOf(who);
    expect((await save(who, { ...PAGE, slug, introduction: "x".repeat(1001) })).status).toBe(400);
    expect((await save(who, { ...PAGE, slug, contact: "x".repeat(201) })).status).toBe(400);
    const path = await published(who);
    await save(who, { slug, introduction: "<b>Bold</b>", contact: "=1+1" });
    const html = await (await anonymous.fetch(path)).text();
    expect(html).toContain("&lt;b&gt;Bold&lt;/b&gt;");
    expect(html).not.toContain("<b>");
  });
});

function aFinding(
  agencyId: string,
  { createdAt, decided = null }: { createdAt: number; decided?: string | null },
): Promise<D1Result> {
  return bindings.DB.prepare(
    `INSERT INTO review_findings (id, agency_id, kind, user_id, username, day, first_at, last_at, searches,
      created_at, decisions, verdict) VALUES (?, ?, 'sample', 'u', 'u', 0, 0, 0, 1, ?, ?, ?)`,
  )
    .bind(unique("finding"), agencyId, createdAt, decided ? 1 : 0, decided)
    .run();
}

describe("the counts", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  const october = monthStart("2026-10");

  it("cover a month's searches by purpose, refusals, users, case numbers, exports and purges", async () => {
    const { agency } = await place();
    const other = await newAgency();
    const at = october + DAY;
    await written([
      ...times(9, (n) => ({
        agencyId: agency.id,
        at: at + n,
        userId: `u${n % 3}`,
        caseNumber: n < 4 ? "26-1" : "",
      })),
      ...times(2, (n) => ({ agencyId: agency.id, at: at + n, purpose: "warrant", userId: "u9" })),
      ...times(3, (n) => ({ agencyId: agency.id, at: at + n, purpose: null })),
      { agencyId: agency.id, at, purpose: "made-up" },
      ...times(6, (n) => ({ agencyId: agency.id, at: at + n, outcome: "refused", userId: "refused-one" })),
      ...times(2, (n) => ({ agencyId: agency.id, at: at + n, action: "search.finished" })),
      ...times(7, (n) => ({ agencyId: agency.id, at: at + n, action: "export" })),
      { agencyId: agency.id, at, action: "export.finished" },
      ...times(2, (n) => ({ agencyId: agency.id, at: at + n, action: "retention.purge" })),
      ...times(50, (n) => ({ agencyId: other.id, at: at + n })),
    ]);
    const counts = await countMonth(testApp(), agency.id, "2026-10");
    expect(counts).toMatchObject({ refused: 6, searchers: 4, exports: 7, purges: 2, hits: 0 });
    expect(new Set(counts.searches)).toEqual(
      new Set([
        { purpose: "investigation", count: 9, withCase: 4 },
        { purpose: "warrant", count: 2, withCase: 0 },
        { purpose: "", count: 4, withCase: 0 },
      ]),
    );
  });

  it("start and end with the month, to the millisecond", async () => {
    const { agency } = await place();
    const ends = [october - 1, october, monthStart("2026-10", 1) - 1, monthStart("2026-10", 1)];
    await written(ends.map((at) => ({ agencyId: agency.id, at })));
    const of = async (month: string) => (await countMonth(testApp(), agency.id, month)).searches[0]?.count;
    expect(await Promise.all(["2026-09", "2026-10", "2026-11"].map(of))).toEqual([1, 2, 1]);
  });

  it("are complete if a month has more rows than one step reads, many of the same instant", async () => {
    const { agency } = await place();
    const count = COUNT_STEP + 3;
    await written(times(count, (n) => ({ agencyId: agency.id, at: october + (n % 5), userId: `u${n % 7}` })));
    const counts = await countMonth(testApp(), agency.id, "2026-10");
    expect(counts.searches).toEqual([{ purpose: "investigation", count, withCase: 0 }]);
    expect(counts.searchers).toBe(7);
  });

  it("include the hits created in the month, and those judged in it, of the agency's own groups", async () => {
    const { agency } = await place();
    const group = { id: unique("group"), agencyId: agency.id };
    const row =
      "INSERT INTO alert_groups (id, agency_id, name, created_at, created_by, changed_at, changed_by) VALUES (?, ?, 'g', 0, '', 0, '')";
    await bindings.DB.prepare(row).bind(group.id, agency.id).run();
    const judged = (disposition: "correct" | "misread", at: number) => ({ disposition, dispositionAt: at });
    const hit = (createdAt: number, over = {}) => anAlert(group, { createdAt, entryId: ++entry, ...over });
    let entry = 100;
    await hit(october - 1, judged("correct", october + HOUR));
    await hit(october, judged("misread", october + DAY));
    await hit(october + DAY, judged("correct", monthStart("2026-10", 1)));
    await hit(october + DAY);
    await hit(monthStart("2026-10", 1));
    const counts = await countMonth(testApp(), agency.id, "2026-10");
    expect(counts.hits).toBe(3);
    expect(counts.judged).toEqual({ correct: 1, "wrong-state": 0, misread: 1, dismissed: 0 });
  });

  it("appear after the month and never change: two views of a running month would reveal acts", async () => {
    const { agency, actor } = await place();
    await written(times(10, (n) => ({ agencyId: agency.id, at: october + n })));
    await written(times(10, (n) => ({ agencyId: agency.id, at: now - DAY + n })));
    const seen = async (at: number) => {
      const { figures } = await transparencyOverview(
        testApp(() => at),
        actor,
      );
      const of = (month: string) => figures.months.find((one) => one.month === month);
      return [of("2026-10")?.searches.low, of("2026-11")?.searches.low];
    };
    expect(await seen(now)).toEqual([10, undefined]);
    await written([{ agencyId: agency.id, at: october + 500 }]);
    expect(await seen(now + HOUR)).toEqual([10, undefined]);
    // The month ends: rows from before midnight count, and then the counts are final.
    const end = monthStart("2026-11", 1);
    await written([{ agencyId: agency.id, at: end - 1 }]);
    expect(await seen(end + HOUR - 1)).toEqual([10, undefined]);
    expect(await seen(end + HOUR)).toEqual([10, 11]);
    await written([{ agencyId: agency.id, at: end - 2 }]);
    expect(await seen(end + 9 * DAY)).toEqual([10, 11]);
  });

  it("include the findings of a month that has just ended, although the others were counted before", async () => {
    const { agency, actor } = await place();
    for (let n = 0; n < 6; n++) await aFinding(agency.id, { createdAt: now - DAY + n });
    const seen = async (at: number) => {
      const { figures } = await transparencyOverview(
        testApp(() => at),
        actor,
      );
      return figures.months.find(({ month }) => month === "2026-11")?.reviews.findings;
    };
    const shownFrom = monthStart("2026-11", 1) + HOUR;
    expect(await seen(shownFrom - MINUTE)).toBeUndefined();
    // Another request is counting, or one that never finished.
    const period = { agencyId: agency.id, period: "now" };
    await claimCounts(testApp().db, { ...period, now: shownFrom + MINUTE });
    expect(await seen(shownFrom + MINUTE)).toBeNull();
    expect(await seen(shownFrom + 3 * MINUTE)).toBe(6);
  });

  it("are computed by one of many concurrent requests; the others get the stored counts", async () => {
    const { agency, actor } = await place();
    const period = { agencyId: agency.id, period: "now" };
    await transparencyOverview(
      testApp(() => now),
      actor,
    );
    const { db } = testApp();
    const claims = await Promise.all(times(5, () => claimCounts(db, { ...period, now: now + HOUR })));
    expect(claims.filter((won) => won)).toHaveLength(1);
    for (let n = 0; n < 5; n++) await aFinding(agency.id, { createdAt: october + n });
    const seen = async (at: number) =>
      (
        await transparencyOverview(
          testApp(() => at),
          actor,
        )
      ).figures.months[0]?.reviews.findings;
    expect(await seen(now + HOUR + 1)).toBe(0);
    // The request that started to count did not finish.
    expect(await seen(now + HOUR + 2 * MINUTE)).toBe(5);
  });

  it("are computed again if an older version stored another format", async () => {
    const { agency, actor } = await place();
    await written(times(6, (n) => ({ agencyId: agency.id, at: october + n })));
    await transparencyOverview(
      testApp(() => now),
      actor,
    );
    await bindings.DB.prepare(
      `UPDATE figure_counts SET counts = '{"of":"another version"}' WHERE agency_id = ?`,
    )
      .bind(agency.id)
      .run();
    const { figures } = await transparencyOverview(
      testApp(() => now + MINUTE),
      actor,
    );
    expect(figures.months.find(({ month }) => month === "2026-10")?.searches.low).toBe(6);
  });

  it("cover the agency's months, at most the last twelve", async () => {
    const { agency, actor } = await place();
    const months = async () =>
      (
        await transparencyOverview(
          testApp(() => now),
          actor,
        )
      ).figures.months.map(({ month }) => month);
    expect(await months()).toHaveLength(12);
    await bindings.DB.prepare("UPDATE agencies SET created_at = ? WHERE id = ?")
      .bind(october + DAY, agency.id)
      .run();
    expect(await months()).toEqual(["2026-10"]);
  });

  it("do not tell the hits of a month that the agency no longer keeps all of, unless they were counted in time", async () => {
    const { agency, actor } = await place();
    const keeps = (days: number) =>
      bindings.DB.prepare("UPDATE agencies SET record_retention_days = ? WHERE id = ?")
        .bind(days, agency.id)
        .run();
    const hitsAt = async (at: number) =>
      (
        await transparencyOverview(
          testApp(() => at),
          actor,
        )
      ).figures.months.map(({ month, hits, judged, hit_quality }) => [
        month,
        hits,
        judged?.correct,
        hit_quality,
      ]);
    await keeps(60);
    const seen = await hitsAt(now);
    expect(seen.slice(0, 3)).toEqual([
      ["2026-10", 0, 0, null],
      ["2026-09", null, undefined, null],
      ["2026-08", null, undefined, null],
    ]);
    await keeps(30);
    expect(await hitsAt(now + DAY)).toEqual(seen);
  });

  it("leave out months whose audit rows were deleted before they were counted, and keep those counted earlier", async () => {
    // Without a sign-in, whose row would be the first of the log and keep the older ones from the purge.
    const old = async () => {
      const agency = await newAgency();
      return { agency, actor: actorOf(await newUser(agency.id, { role: "admin" }), agency.name) };
    };
    const [late, early] = [await old(), await old()];
    const from = monthStart(monthOf(Date.now() - HOUR), -12);
    for (const { agency } of [late, early]) {
      await bindings.DB.prepare("UPDATE agencies SET audit_retention_days = 365, created_at = 0 WHERE id = ?")
        .bind(agency.id)
        .run();
      // All are older than a year, but for the last.
      await written([
        ...times(20, (n) => ({ agencyId: agency.id, at: from + n })),
        { agencyId: agency.id, at: Date.now() - DAY },
      ]);
    }
    const searchesOf = async ({ actor }: typeof late) =>
      (await transparencyOverview(testApp(), actor)).figures.months.map(({ month, searches }) => [
        month,
        searches.low,
      ]);
    const counted = await searchesOf(early);
    expect(counted.at(-1)).toEqual([monthOf(from), 20]);
    await sealAuditLog(testApp());
    await purgeInTurns();
    expect((await countMonth(testApp(), late.agency.id, monthOf(from))).searches).toEqual([]);
    expect(await searchesOf(late)).toEqual(counted.slice(0, -1));
    expect(await searchesOf(early)).toEqual(counted);
  });

  it("are computed once a day, only for agencies that publish", async () => {
    const [open, shut] = [await place(), await place()];
    await published(open.who);
    await bindings.DB.prepare("DELETE FROM figure_counts").run();
    // A run counts the months of some agencies.
    for (let runs = 0; runs < 5; runs++) await countPublished(testApp());
    const { results } = await bindings.DB.prepare("SELECT DISTINCT agency_id FROM figure_counts").all<{
      agency_id: string;
    }>();
    const counted = results.map(({ agency_id }) => agency_id);
    expect(counted).toContain(open.agency.id);
    expect(counted).not.toContain(shut.agency.id);
  });

  it("are computed for some agencies per run, oldest first, and for none twice a day", async () => {
    for (let n = 0; n < 12; n++) await published((await place()).who);
    const checks = async () =>
      (
        await bindings.DB.prepare(
          "SELECT agency_id, counted_at FROM figure_counts WHERE period = 'audit' ORDER BY agency_id",
        ).all<{ agency_id: string; counted_at: number }>()
      ).results;
    // Later runs count few months or none.
    for (let runs = 0; runs < 12; runs++) await countPublished(testApp());
    await bindings.DB.prepare("DELETE FROM figure_counts WHERE period = 'audit'").run();
    await countPublished(testApp());
    expect(await checks()).toHaveLength(10);
    for (let runs = 0; runs < 5; runs++) await countPublished(testApp());
    const all = await checks();
    expect(all.length).toBeGreaterThanOrEqual(12);
    await countPublished(testApp(() => Date.now() + 19 * HOUR));
    expect(await checks()).toEqual(all);
    await countPublished(testApp(() => Date.now() + 21 * HOUR));
    const changed = (await checks()).filter((check, at) => check.counted_at !== all[at]?.counted_at);
    expect(changed).toHaveLength(10);
  });

  it("are computed although more agencies than one run counts always fail", async () => {
    const { DB } = bindings;
    await DB.prepare("DELETE FROM figure_counts WHERE period = 'audit'").run();
    await DB.batch(
      Array.from({ length: 15 }, () => unique("a-failing")).flatMap((id) => [
        DB.prepare("INSERT INTO agencies (id, name, created_at) VALUES (?1, ?1, 1)").bind(id),
        DB.prepare(
          "INSERT INTO figure_pages (agency_id, slug, published_at, changed_at) VALUES (?1, ?1, 1, 1)",
        ).bind(id),
        DB.prepare(
          "INSERT INTO figure_counts (agency_id, period, counts, counted_at) VALUES (?, 'now', '{', 1)",
        ).bind(id),
      ]),
    );
    const last = await place();
    await published(last.who);
    // Unlike the others it was counted before, so that it is not first.
    await DB.prepare("UPDATE figure_counts SET counted_at = 1 WHERE agency_id = ? AND period = 'audit'")
      .bind(last.agency.id)
      .run();
    const pages = await DB.prepare("SELECT count(*) AS n FROM figure_pages").first<number>("n");
    // Twice as many runs as all pages need.
    for (let run = 0; run < (2 * (pages ?? 0)) / 10; run++) await countPublished(testApp()).catch(() => {});
    const countsOf = (condition: string) =>
      DB.prepare(
        `SELECT count(*) AS n FROM figure_counts WHERE period = 'audit' AND counted_at > 1 AND ${condition}`,
      ).first<number>("n");
    expect(await countsOf("agency_id LIKE 'a-failing%'")).toBe(0);
    expect(await countsOf(`agency_id = '${last.agency.id}'`)).toBe(1);
    await DB.prepare("UPDATE figure_pages SET published_at = NULL WHERE agency_id LIKE 'a-failing%'").run();
    await DB.prepare("DELETE FROM figure_counts").run();
  });

  it("are read from the audit log by an index", async () => {
    const plan = await bindings.DB.prepare(`EXPLAIN QUERY PLAN ${STEP_SQL}`)
      .bind("a", "search", 1, 2, 3)
      .all<{ detail: string }>();
    const details = plan.results.map(({ detail }) => detail).join("\n");
    expect(details).toMatch(
      /SEARCH audit_log USING INDEX audit_log_kind \(agency_id=\? AND kind=\? AND .*at/,
    );
    expect(details).not.toMatch(/SCAN|TEMP B-TREE/);
  });
});

describe("the current state of an agency", () => {
  let world: World;
  let who: Client;
  let agent: Actor;

  beforeAll(async () => {
    world = await newWorld();
    who = await client(world.users.admin);
    agent = actorOf(world.users.admin, world.ours.name);
  });

  it("includes its cameras, reads, hotlist plates and who may search its reads", async () => {
    await pushRead(world.camera, { plate: unique("R").slice(0, 7), at: Date.now() - MINUTE });
    const before = (await transparencyOverview(testApp(), agent)).figures.now;
    expect(before).toMatchObject({ cameras: 1, hotlist_entries: 0, holds: 0, shared_with: [] });
    expect(before.reads).toBeGreaterThan(0);
    await who.post("/add-axis-share", { agency_id: world.theirs.id });
    const { now } = (
      await transparencyOverview(
        testApp(() => Date.now() + HOUR),
        agent,
      )
    ).figures;
    expect(now.shared_with).toEqual([world.theirs.name]);
  });

  it("lists who may search its reads by name, with numbers as numbers", async () => {
    const { ours, users } = await newWorld();
    const admin = await client(users.admin);
    const names = ["North 2", "north 10", "South"].map((name) => `${name} ${unique("PD")}`);
    for (const name of names.toReversed()) {
      const { id } = await newAgency(name);
      expect((await admin.post("/add-axis-share", { agency_id: id })).status).toBe(200);
    }
    const { figures } = await transparencyOverview(
      testApp(() => Date.now() + HOUR),
      actorOf(users.admin, ours.name),
    );
    expect(figures.now.shared_with).toEqual(names);
  });

  it("includes who gets alerts for its Rekor reads until the terms end, regardless of key names", async () => {
    const { ours, theirs, users } = await newWorld();
    const admin = await client(users.admin);
    const named = { agency: ours.name, api_key: "anything-of-12-letters" };
    expect((await (await client(users.strangeAdmin)).post("/add-api-key", named)).status).toBe(200);
    const sharedWith = async (later = 0) => {
      const app = testApp(() => Date.now() + later);
      return (await transparencyOverview(app, actorOf(users.admin, ours.name))).figures.now.shared_with;
    };
    expect(await sharedWith()).toEqual([]);
    const terms = { declaration: "", valid_until: new Date(Date.now() + 2 * HOUR).toISOString() };
    expect((await admin.post("/add-rekor-share", { agency_id: theirs.id, ...terms })).status).toBe(200);
    expect(await sharedWith(HOUR)).toEqual([theirs.name]);
    expect(await sharedWith(3 * HOUR)).toEqual([]);
  });

  it("includes each month's review findings with their current decisions", async () => {
    const { agency, actor } = await place();
    const at = Date.parse("2026-11-20T12:00:00Z");
    const finding = (createdAt: number, decided: string | null) =>
      aFinding(agency.id, { createdAt, decided });
    for (let n = 0; n < 6; n++) await finding(monthStart("2026-10") + n, n < 5 ? "in-order" : "violation");
    for (let n = 0; n < 7; n++) await finding(monthStart("2026-11") - 1, null);
    const { figures } = await transparencyOverview(
      testApp(() => at),
      actor,
    );
    const of = (month: string) => figures.months.find((one) => one.month === month)?.reviews;
    expect(of("2026-10")).toEqual({ findings: 13, reviewed: 6, violations: "<5" });
    expect(of("2026-09")).toEqual({ findings: 0, reviewed: 0, violations: 0 });
  });

  it("counts only current entries: neither expired ones nor those of archived groups", async () => {
    const { agency, actor } = await place();
    const at = Date.now();
    const group = async (archivedAt: number | null) => {
      const id = unique("group");
      await bindings.DB.prepare(
        "INSERT INTO alert_groups (id, agency_id, name, created_at, created_by, changed_at, changed_by, archived_at) VALUES (?, ?, 'g', 0, '', 0, '', ?)",
      )
        .bind(id, agency.id, archivedAt)
        .run();
      return id;
    };
    const entry = (groupId: string, expiresAt: number | null, untilVersion: number | null = null) =>
      bindings.DB.prepare(
        `INSERT INTO hotlist_entries (group_id, plate, created_at, added_by, added_by_name, added_by_agency, digest,
          from_version, until_version, expires_at) VALUES (?, ?, 0, '', '', '', 0, 1, ?, ?)`,
      )
        .bind(groupId, unique("P").slice(0, 8), untilVersion, expiresAt)
        .run();
    const [open, archived] = [await group(null), await group(1)];
    await entry(open, null);
    await entry(open, at + 2 * HOUR);
    await entry(open, at - 1);
    await entry(open, null, 1);
    await entry(open, at + 2 * HOUR, 2);
    await entry(archived, null);
    const { figures } = await transparencyOverview(
      testApp(() => at),
      actor,
    );
    expect(figures.now.hotlist_entries).toBe(3);
  });
});

describe("the published page", () => {
  it("hides small counts of searches by purpose, on the page and in its files", async () => {
    const { who, agency } = await place();
    // The last instant of the newest month that the page shows.
    const at = monthStart(monthOf(Date.now() - HOUR)) - 1;
    await written([
      ...times(1237, () => ({ agencyId: agency.id, at })),
      ...times(3, () => ({ agencyId: agency.id, at, purpose: "missing-person" })),
    ]);
    const path = await published(who);
    const json: {
      months: { month: string; by_purpose: Record<string, unknown>; searches: object }[];
    } = await (await anonymous.fetch(`${path}.json`)).json();
    const month = json.months.find((one) => one.month === monthOf(at));
    expect(month?.by_purpose).toMatchObject({ "missing-person": "<5", warrant: 0 });
    const csv = await (await anonymous.fetch(`${path}.csv`)).text();
    expect(csv).toContain("Searches: Missing or endangered person,<5,1,4");
    expect(csv).not.toMatch(/Missing or endangered person,3/);
    const html = await (await anonymous.fetch(path)).text();
    expect(html).toContain("&lt;5");
  });

  it("contains no plate, person, camera, reason or case, wherever they are in the log", async () => {
    const world = await newWorld();
    const officer = await client(world.users.officer);
    const admin = await client(world.users.admin);
    const secret = { plate: "SEED777", justification: "Seeing whether words leak", case_number: "26-LEAK-1" };
    await pushRead(world.camera, { plate: secret.plate, at: Date.now() - MINUTE });
    await search(officer, searchBody(world.agencies, secret));
    await admin.post("/legal-holds/request", {
      case_number: secret.case_number,
      reason: secret.justification,
      plates: secret.plate,
      start: new Date(Date.now() - DAY).toISOString(),
      end: new Date().toISOString(),
    });
    const path = await published(admin);
    const names = Object.values(world.users).flatMap(({ name, username, email }) => [
      name,
      email,
      `>${username}<`,
    ]);
    const hidden = [...Object.values(secret), world.camera.name, world.camera.id, ...names];
    for (const ending of ["", ".csv", ".json"]) {
      const text = (await (await anonymous.fetch(`${path}${ending}`)).text()).toLowerCase();
      expect(text.length).toBeGreaterThan(200);
      for (const word of hidden) expect(text.includes(word.toLowerCase()), `${ending} ${word}`).toBe(false);
    }
    // The month with these rows is shown once it is over.
    const later = testApp(() => monthStart(monthOf(Date.now()), 1) + DAY);
    const shown = await publicStatistics(later, path.slice("/figures/".length));
    expect(shown?.months[0]?.searches.high).toBeGreaterThan(0);
    const text = JSON.stringify(shown).toLowerCase();
    for (const word of hidden) expect(text.includes(word.toLowerCase()), word).toBe(false);
  });

  it("is the same as the preview", async () => {
    const { who, actor } = await place();
    const path = await published(who);
    const app = testApp();
    const slug = path.slice("/figures/".length);
    expect(await publicStatistics(app, slug)).toEqual((await transparencyOverview(app, actor)).figures);
  });
});

describe("the audit log of an agency that publishes", () => {
  it("is verified from where the previous run ended, and a mismatch is reported", async () => {
    const { agency, who } = await place();
    const app = testApp();
    await written(times(5, (n) => ({ agencyId: agency.id, at: Date.now() - 5_000 + n })));
    await sealAuditLog(app);
    const path = await published(who);
    const first = await checkAuditLog(app, agency.id);
    expect(first).toMatchObject({ intact: true, rowAt: expect.any(Number) });
    await written(times(4, (n) => ({ agencyId: agency.id, at: Date.now() + n })));
    await sealAuditLog(app);
    const second = await checkAuditLog(app, agency.id);
    expect(second.position).toBeGreaterThan(first.position + 3);
    expect(await (await anonymous.fetch(path)).text()).toMatch(/no entry up to[\s\S]*was changed or removed/);

    await written(times(3, (n) => ({ agencyId: agency.id, at: Date.now() + n })));
    await sealAuditLog(app);
    await tamper(
      "UPDATE audit_log SET plate = 'OTHER' WHERE seq = (SELECT max(seq) FROM audit_log WHERE agency_id = ?)",
      agency.id,
    );
    const third = await checkAuditLog(app, agency.id);
    expect(third).toMatchObject({ intact: false, position: second.position + 2 });
    expect(await (await anonymous.fetch(path)).text()).toContain("found an entry that failed verification");
    expect(await checkAuditLog(app, agency.id)).toMatchObject({ intact: false, position: third.position });
  });

  /**
   * Publishes pages of new agencies, the only ones that are due. Each has rows of which all but the last are
   * archived, one segment a row.
   */
  async function onlyPublished(rows: readonly number[]): Promise<{ id: string; path: string }[]> {
    await bindings.DB.prepare("UPDATE figure_pages SET published_at = NULL").run();
    const agencies: { id: string; path: string }[] = [];
    for (const [order, count] of rows.entries()) {
      const { id } = await newAgency();
      await writeRows(
        id,
        times(count, (n) => ({ age: 300, plate: `L${n}` })),
      );
      await archive({ id }, 1);
      agencies.push({ id, path: await published(await client(await newUser(id, { role: "admin" }))) });
      await bindings.DB.prepare("UPDATE figure_pages SET tried_at = ? WHERE agency_id = ?")
        .bind(order, id)
        .run();
    }
    await bindings.DB.prepare("DELETE FROM figure_counts").run();
    return agencies;
  }

  async function storedCheck({ id }: { id: string }): Promise<{ position: number; at: number }> {
    const row = await bindings.DB.prepare(
      "SELECT counts ->> 'position' AS position, counted_at AS at FROM figure_counts WHERE agency_id = ? AND period = 'audit'",
    )
      .bind(id)
      .first<{ position: number; at: number }>();
    return row ?? { position: 0, at: 0 };
  }

  /** Returns the bucket, of which some agencies' segments cannot be read after a number of them. */
  function unreadable(ids: readonly string[], after: number): R2Bucket {
    let opened = 0;
    return new Proxy(bindings.AUDITS, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return async (key: string, ...rest: unknown[]) => {
          if (name === "get" && ids.some((id) => key.startsWith(`audit-segments/${id}/`)) && ++opened > after)
            throw new Error("R2 is down");
          return value.apply(target, [key, ...rest]);
        };
      },
    });
  }

  const textOf = async (path: string) => (await anonymous.fetch(path)).text();

  it("is verified over several runs if it is long, and keeps its position if one fails", async () => {
    const [agency] = await onlyPublished([90]);
    if (!agency) throw new Error("no agency");
    const AUDITS = unreadable([agency.id], 20);
    await expect(countPublished(testApp(Date.now, { AUDITS }))).rejects.toThrow();
    const first = await storedCheck(agency);
    expect(first.position).toBeGreaterThan(0);
    expect(first.position).toBeLessThan(20);
    expect(first).toMatchObject({ at: 0 });
    expect(await textOf(agency.path)).toMatch(/no entry up to[\s\S]*was changed or removed/);
    const { audit } = await countStatus(testApp().db, Date.now());
    expect(audit).toMatchObject({ checked: 0, checkedSince: null });
    const begun = Date.now();
    let now = first;
    for (let runs = 0; now.at === 0; runs++) {
      await countPublished(testApp());
      const before = now.position;
      now = await storedCheck(agency);
      expect(now.position).toBeGreaterThan(before);
      expect(now.position - before).toBeLessThanOrEqual(60);
      expect(runs).toBeLessThan(10);
    }
    expect(now.at).toBeGreaterThanOrEqual(begun);
    expect(now.position).toBe(90);
  });

  it("shows how far a later verification has come, while it takes several runs", async () => {
    const [agency] = await onlyPublished([40]);
    if (!agency) throw new Error("no agency");
    const yesterday = testApp(() => Date.now() - DAY);
    while ((await storedCheck(agency)).at === 0) await checkAuditLog(yesterday, agency.id);
    const before = await storedCheck(agency);
    await written(times(10_001, () => ({ agencyId: agency.id, at: Date.now() - HOUR })));
    while ((await sealAuditLog(testApp())) > 0);
    const part = await checkAuditLog(testApp(), agency.id, { left: 1 });
    expect(part).toMatchObject({ intact: true, position: before.position + 5_000 });
    // It is still due.
    expect(await storedCheck(agency)).toEqual({ position: part.position, at: before.at });
    const json: { audit: { verified_up_to: string; checked_at: string } } = await (
      await anonymous.fetch(`${agency.path}.json`)
    ).json();
    expect(json.audit.verified_up_to).toBe(isoTime(part.rowAt ?? 0));
    expect(Date.parse(json.audit.checked_at)).toBeGreaterThan(Date.now() - MINUTE);
    const end = await checkAuditLog(testApp(), agency.id);
    expect(end.position).toBeGreaterThanOrEqual(before.position + 10_001);
    expect((await storedCheck(agency)).at).toBeGreaterThan(before.at);
  });

  it("is verified in the same run although those of other agencies cannot be read", async () => {
    const agencies = await onlyPublished(times(7, () => 2));
    const last = at(agencies, 6);
    const AUDITS = unreadable(
      agencies.slice(0, 6).map(({ id }) => id),
      0,
    );
    await expect(countPublished(testApp(Date.now, { AUDITS }))).rejects.toThrow();
    expect((await storedCheck(at(agencies, 0))).at).toBe(0);
    expect((await storedCheck(last)).at).toBeGreaterThan(0);
  });

  it("is verified, and reported as not matching, although archived rows are lost and cannot be counted", async () => {
    const [agency] = await onlyPublished([3]);
    if (!agency) throw new Error("no agency");
    await bindings.DB.prepare("UPDATE agencies SET created_at = 0 WHERE id = ?").bind(agency.id).run();
    const { objects } = await bindings.AUDITS.list({ prefix: `audit-segments/${agency.id}/` });
    await bindings.AUDITS.delete(objects.map(({ key }) => key));
    await expect(countPublished(testApp())).rejects.toThrow();
    // Still due, because its months are not counted.
    const stored = await bindings.DB.prepare(
      "SELECT counts ->> 'intact' AS intact, counts ->> 'checkedAt' AS checked, counted_at AS counted FROM figure_counts WHERE agency_id = ? AND period = 'audit'",
    )
      .bind(agency.id)
      .first();
    expect(stored).toEqual({ intact: 0, checked: expect.any(Number), counted: 0 });
    expect(await checkAuditLog(testApp(), agency.id)).toMatchObject({ intact: false });
  });

  it("is public although archived rows are lost: months that need them are named as not available", async () => {
    const [agency] = await onlyPublished([3]);
    if (!agency) throw new Error("no agency");
    await bindings.DB.prepare("UPDATE agencies SET created_at = 0 WHERE id = ?").bind(agency.id).run();
    const { objects } = await bindings.AUDITS.list({ prefix: `audit-segments/${agency.id}/` });
    const files = await Promise.all(
      objects.map(async ({ key }) => ({ key, file: await bindings.AUDITS.get(key) })),
    );
    const kept = await Promise.all(
      files.map(async ({ key, file }) => ({ key, bytes: await file?.arrayBuffer() })),
    );
    await bindings.AUDITS.delete(objects.map(({ key }) => key));
    const lost = monthOf(Date.now() - 300 * DAY);
    const slug = agency.path.slice("/figures/".length);
    expect(await textOf(agency.path)).toContain(`Not available: ${monthName(lost)}`);
    const figures = await publicStatistics(testApp(), slug);
    expect(figures.not_available).toContain(lost);
    expect(figures.months.map(({ month }) => month)).not.toContain(lost);
    expect(figures.months.length).toBeGreaterThan(8);
    expect(await textOf(`${agency.path}.csv`)).toContain(`${lost},Not available,,,`);
    // The next requests do not look for the file again.
    const AUDITS = unreadable([agency.id], 0);
    expect((await publicStatistics(testApp(Date.now, { AUDITS }), slug)).not_available).toContain(lost);
    await expect(countPublished(testApp())).rejects.toThrow();
    for (const { key, bytes } of kept) await bindings.AUDITS.put(key, bytes ?? "");
    const later = testApp(() => Date.now() + HOUR);
    const again = await publicStatistics(later, slug);
    expect(again.not_available).toEqual([]);
    expect(again.months.find(({ month }) => month === lost)?.searches.low).toBeGreaterThan(0);
  });

  it("is verified first in the next run if long logs used up this one", async () => {
    const agencies = await onlyPublished([70, 40, 30, 8, 8, 1]);
    const last = at(agencies, 5);
    await countPublished(testApp());
    for (const agency of agencies.slice(0, 5))
      expect((await storedCheck(agency)).position).toBeGreaterThan(0);
    expect(await storedCheck(last)).toEqual({ position: 0, at: 0 });
    await countPublished(testApp());
    expect((await storedCheck(last)).at).toBeGreaterThan(0);
  });

  it("stays reported as not matching until a verification has passed the mismatch and the end", async () => {
    const agency = await newAgency();
    await writeRows(
      agency.id,
      times(30, (n) => ({ age: n < 2 ? 900 : 300 })),
    );
    await archive(agency, 1);
    await purgeInTurns();
    const key = `audit-checkpoints/${agency.id}/2.json`;
    const checkpoint = await (await bindings.AUDITS.get(key))?.text();
    await bindings.AUDITS.delete(key);
    const path = await published(await client(await newUser(agency.id, { role: "admin" })));
    const app = testApp();
    for (let day = 0; day < 2; day++) {
      const text = await textOf(path);
      expect(text).toContain("found an entry that failed verification");
      expect(text).not.toContain("all rows up to");
      expect(await checkAuditLog(app, agency.id)).toMatchObject({ intact: false, rowAt: null });
    }
    await bindings.AUDITS.put(key, checkpoint ?? "");
    expect(await checkAuditLog(app, agency.id, { left: 2 })).toMatchObject({ intact: false, rowAt: null });
    expect(await textOf(path)).toContain("found an entry that failed verification");
    expect(await checkAuditLog(app, agency.id)).toMatchObject({ intact: true, rowAt: expect.any(Number) });
    expect(await textOf(path)).toMatch(/no entry up to[\s\S]*was changed or removed/);
  });
});
