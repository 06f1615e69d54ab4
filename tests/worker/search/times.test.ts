import { beforeAll, describe, expect, it } from "vitest";
import type { AuditLogRow } from "#app/entities/oversight/audit-filter.ts";
import { DEFAULT_POLICY } from "#app/entities/users/policy.ts";
import { HOUR, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import {
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  formInit,
  newAgency,
  newUser,
  newWorld,
  pushRead,
  searchBody,
  type TestUser,
  testApp,
  type World,
} from "../../factories.ts";

// Times without a zone are in the agency's zone. Clocks of both agencies repeat the hour from 01:00 on 2026-11-01.

let world: World;

beforeAll(async () => {
  world = await newWorld();
});

async function bossIn(timeZone: string): Promise<{ agency: string; boss: TestUser; who: Client }> {
  const agency = await newAgency();
  await bindings.DB.prepare("update agencies set time_zone = ? where id = ?").bind(timeZone, agency.id).run();
  const boss = await newUser(agency.id, { role: "admin" });
  return { agency: agency.id, boss, who: await client(boss) };
}

describe("times without a zone", () => {
  it("are in the agency's zone in a search, which stores the zone", async () => {
    const officer = await client(world.users.officer);
    expect(DEFAULT_POLICY.time_zone).toBe("America/New_York");
    const range = { start_time: "2026-11-01T01:15", end_time: "2026-11-01T01:45:30" };
    const answer = await officer.post("/search-data", searchBody([world.ours.id], range));
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
    const kept = { start_time: "2026-11-01T05:15:00.000Z", end_time: "2026-11-01T06:45:30.000Z" };
    const id = answer.headers.get("odin-result-id");
    const row = await bindings.DB.prepare("select request from result_sets where id = ?").bind(id).first();
    expect(JSON.parse(String(row?.request))).toMatchObject(kept);
    const audit = await bindings.DB.prepare(
      "select detail from audit_log where object = ? and action = 'search'",
    );
    const entry = await audit.bind(id).first();
    expect(JSON.parse(String(entry?.detail)).query).toMatchObject(kept);
  });

  it("are in the agency's zone in the audit log's filter, including both occurrences of a repeated hour", async () => {
    const { agency, boss, who } = await bossIn("America/Chicago");
    const app = testApp();
    // 01:30 twice in Chicago, then 02:30.
    for (const at of ["2026-11-01T06:30:00Z", "2026-11-01T07:30:00Z", "2026-11-01T08:30:00Z"])
      await inOneStep(app.db, [
        insertAudit(app.db, {
          at: Date.parse(at),
          agencyId: agency,
          userId: boss.id,
          username: boss.username,
          sessionId: "s",
          ip: "192.0.2.1",
          userAgent: "",
          action: "search",
          outcome: "ok",
          detail: { query: {} },
        }),
      ]);
    const found = async (start: string, end: string) => {
      const answer = await who.fetch(`/admin-audit-logs-api?${new URLSearchParams({ start, end })}`);
      return ((await answer.json()) as AuditLogRow[]).map(({ timestamp }) => timestamp.slice(11, 16)).sort();
    };
    expect(await found("2026-11-01T01:30", "2026-11-01T01:30")).toEqual(["06:30", "07:30"]);
    expect(await found("2026-11-01T07:00:00Z", "2026-11-01T02:30:00")).toEqual(["07:30", "08:30"]);
    expect(await found("2026-11-01", "2026-11-01")).toEqual(["06:30", "07:30", "08:30"]);
    expect(await found("2026-11-02", "2026-11-03")).toEqual([]);
    const backwards = await who.fetch("/admin-audit-logs-api?start=2026-11-01T02:00&end=2026-11-01T01:00");
    expect(backwards.status).toBe(400);
  });

  it("are in the agency's zone in a legal hold, whose range is validated in that zone", async () => {
    const { boss, who } = await bossIn("America/Chicago");
    const ask = (start: string, end: string) =>
      who.post("/legal-holds/request", {
        case_number: "26-1",
        reason: "Kept for the case of it",
        plates: "ABC123",
        start,
        end,
      });
    expect((await ask("2026-11-01T01:30", "2026-11-01T01:30")).status).toBe(200);
    const row = (await auditOf(boss)).find(({ action }) => action === "legal-hold.request");
    expect(JSON.parse(String(row?.detail))).toMatchObject({
      from: Date.parse("2026-11-01T06:30:00Z"),
      until: Date.parse("2026-11-01T07:30:59.999Z"),
    });
    // In UTC this range would be valid.
    expect((await ask("2026-10-01T12:00:00Z", "2026-10-01T06:59")).status).toBe(400);
    expect((await ask("2025-10-01T12:00", "2026-10-02T12:00:01")).status).toBe(400);
  });

  it("are in the agency's zone in a plate's expiry and in an imported file", async () => {
    const { who } = await bossIn("Pacific/Honolulu");
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const created = await who.fetch("/groups/create-mobile", formInit({ group_name: "Zoned" }));
    const { group_id } = (await created.json()) as { group_id: string };
    const endOf = async (plate: string, expires: string) => {
      const plateOf = { plate_number: plate, reason: "Stolen", group_id, expires };
      expect((await who.post("/hotlist/add-plate-direct", plateOf)).status).toBe(200);
      const row = await bindings.DB.prepare("select expires_at from hotlist_entries where plate = ?")
        .bind(plate)
        .first();
      return row?.expires_at;
    };
    expect(await endOf("ZN1", `${day}T12:00`)).toBe(Date.parse(`${day}T22:00:00Z`));
    expect(await endOf("ZN2", day)).toBe(Date.parse(`${day}T10:00:00Z`) + 86_400_000 - 1);
    expect(await endOf("ZN3", `${day}T12:00:00Z`)).toBe(Date.parse(`${day}T12:00:00Z`));
    const wrong = { plate_number: "ZN4", reason: "Stolen", group_id, expires: "2027-02-31" };
    expect((await who.post("/hotlist/add-plate-direct", wrong)).status).toBe(400);
    const file = new File([`plate,reason,expiry\nZN5,Stolen,${day}\n`], "plates.csv");
    const list = await who.fetch(
      `/groups/${group_id}/bulk-upload-plates`,
      formInit({ mode: "add", csv_file: file }),
    );
    expect(list.status, await list.text()).toBe(200);
    const row = await bindings.DB.prepare(
      "select expires_at from hotlist_entries where plate = 'ZN5'",
    ).first();
    expect(row?.expires_at).toBe(Date.parse(`${day}T10:00:00Z`) + 86_400_000 - 1);
  });

  it("are shown as the day that was entered, wherever the screen's viewer is", async () => {
    const { who } = await bossIn("Pacific/Honolulu");
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const created = await who.fetch("/groups/create-mobile", formInit({ group_name: "Shown" }));
    const { group_id } = (await created.json()) as { group_id: string };
    const plate = { plate_number: "ZN6", reason: "Stolen", group_id, expires: day };
    expect((await who.post("/hotlist/add-plate-direct", plate)).status).toBe(200);
    for (const path of [`/groups/${group_id}`, `/groups/${group_id}/edit`]) {
      const page = await (await who.fetch(path, { headers: { accept: "text/html" } })).text();
      expect(page, path).toMatch(new RegExp(`title="${day} 23:59:59 HST"[^>]*>${day}</time>`));
    }
  });

  it("are in the agency's zone in the end of a share", async () => {
    const { agency, who } = await bossIn("Pacific/Honolulu");
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const share = await who.post("/add-axis-share", {
      agency_id: world.theirs.id,
      valid_until: `${day}T12:00`,
    });
    expect(share.status).toBe(200);
    const row = await bindings.DB.prepare("select valid_until from axis_shares where owner_agency_id = ?")
      .bind(agency)
      .first();
    expect(row?.valid_until).toBe(Date.parse(`${day}T22:00:00Z`));
  });
});

describe("the end of a range", () => {
  it("includes its second, because reads are shown without fractions of a second", async () => {
    const who = await client(world.users.admin);
    const second = Math.floor((Date.now() - 2 * HOUR) / SECOND) * SECOND;
    const stem = `S${second / SECOND}`;
    await pushRead(world.camera, { plate: `${stem}A`, at: second + 400 });
    await pushRead(world.camera, { plate: `${stem}B`, at: second + SECOND });
    const range = { start_time: isoTime(second - MINUTE), end_time: isoTime(second) };
    const search = searchBody([world.ours.id], { plate: stem, ...range });
    const found = await bodyOf<{ plate: string }[]>(who.post("/search-data", search));
    expect(found.map(({ plate }) => plate)).toEqual([`${stem}A`]);
    const area = { kind: "cameras", cameras: [`axis:${world.camera.id}`] };
    const earlier = { start_time: isoTime(second - HOUR), end_time: isoTime(second - MINUTE) };
    const places = {
      ...search,
      case_number: "26-1",
      places: [earlier, range].map((one) => ({ area, ...one })),
    };
    const { notes } = await bodyOf<{ notes: string[] }>(who.post("/search-places", places));
    expect(notes).toEqual(["No camera returned a read in Place 1."]);
  });
});

describe("a time at the end of what clocks can show", () => {
  const TIMES = [
    "9999-12-31",
    "9999-12-31T23:59:59",
    "0000-01-01",
    "0001-01-01T00:00",
    "+275760-09-13T00:00:00Z",
    "-271821-04-20T00:00:00Z",
  ];

  it.each(["Pacific/Honolulu", "Pacific/Kiritimati"])("is read or refused, in the zone %s", async (zone) => {
    const { agency, who } = await bossIn(zone);
    const created = await who.fetch("/groups/create-mobile", formInit({ group_name: `Ends in ${zone}` }));
    const { group_id } = (await created.json()) as { group_id: string };
    for (const [i, time] of TIMES.entries()) {
      const [range, filter] = [
        { start_time: "2026-11-01", end_time: time },
        { start: "2026-11-01", end: time },
      ];
      const search = { ...searchBody([agency]), ...range };
      const area = { kind: "cameras", cameras: [`axis:${world.camera.id}`] };
      const places = [0, 1].map(() => ({ area, ...range }));
      const query = new URLSearchParams({ from: "2026-11-01", until: time });
      const hold = { case_number: "26-1", reason: "Kept for the case of it", plates: "ABC123" };
      const answers = [
        await who.post("/search-data", search),
        await who.post("/search-data", { ...search, start_time: time, end_time: "2026-11-01" }),
        await who.post("/search-places", { ...search, places }),
        await who.post("/search-convoy", { ...search, plate: "ABC123" }),
        await who.post("/audit-log/rows", { filter }),
        await who.post("/audit-log/export", { filter, redacted: false }),
        await who.post("/legal-holds/request", { ...hold, ...filter }),
        await who.post("/add-axis-share", { agency_id: world.theirs.id, valid_until: time }),
        await who.post("/hotlist/add-plate-direct", {
          plate_number: `END${i}`,
          reason: "Stolen",
          group_id,
          expires: time,
        }),
        await who.fetch(
          `/groups/${group_id}/bulk-upload-plates`,
          formInit({
            mode: "add",
            csv_file: new File([`plate,reason,expiry\nFIL${i},Stolen,${time}\n`], "a.csv"),
          }),
        ),
        await who.fetch(`/groups/${group_id}/edit-data`),
        await who.fetch(`/alerts/group/${group_id}/data?${query}`),
        await who.fetch(`/alerts/group/${group_id}?${query}`),
      ];
      for (const answer of answers)
        expect(answer.status, `${time}: ${await answer.text()}`).toBeLessThan(500);
    }
  });
});
