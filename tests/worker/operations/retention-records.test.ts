import { beforeEach, describe, expect, it } from "vitest";
import { COMMON_DAYS, purgeOldRecords } from "#app/domain/operations/retention-records.ts";
import { at } from "#app/lib/at.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { ATTACHMENT_PREFIXES } from "#app/store/files.ts";
import { anAlert, bindings, newAgency, newUser, testApp, unique } from "../../factories.ts";
import { newGroup, plate } from "../../live.ts";
import { beforeCall } from "../../support/operations/buckets.ts";

const RECORD_DAYS = 365;

let agency: { id: string; name: string };
let group: { id: string; agencyId: string };

beforeEach(async () => {
  agency = await newAgency();
  group = { id: (await newGroup(agency.id, [plate("AAA111"), plate("BBB222")])).id, agencyId: agency.id };
});

const count = async (sql: string, ...values: unknown[]) =>
  (await bindings.DB.prepare(`SELECT count(*) AS n FROM ${sql}`)
    .bind(...values)
    .first<number>("n")) ?? 0;
const run = (sql: string, ...values: unknown[]) =>
  bindings.DB.prepare(sql)
    .bind(...values)
    .run();
/** Returns what a purge removes this many days from now: from the agency, or with "" what belongs to no agency. */
const purgeAfter = async (days: number, who: string = agency.id) =>
  (await purgeOldRecords(testApp(() => Date.now() + days * DAY))).get(who);
const keep = (key: string) => bindings.IMAGES.put(key, "x");
const isThere = async (bucket: R2Bucket, key: string) => (await bucket.head(key)) !== null;

const insertImport = (id: string, state: string) =>
  run(
    `INSERT INTO hotlist_imports (id, group_id, agency_id, user_id, username, user_name, agency_name, file_name,
      size, preset, mode, on_conflict, state, version, first_entry_id, created_at, updated_at)
      VALUES (?, ?, ?, 'u', 'u', 'u', 'a', 'f', 1, '', 'add', 'keep', ?, 2, 1, 0, ?)`,
    id,
    unique("g"),
    agency.id,
    state,
    Date.now(),
  );

describe("saved searches", () => {
  it("are deleted with their searches: after the record retention, or the audit log's if it is shorter", async () => {
    const user = await newUser(agency.id);
    const save = (id: string, days: number) =>
      run(
        "INSERT INTO saved_searches (user_id, agency_id, search_id, searched_at, name) VALUES (?, ?, ?, ?, 'Name')",
        user.id,
        agency.id,
        id,
        Date.now() + days * DAY,
      );
    await save("first", 0);
    await save("second", 10);
    expect(await purgeAfter(RECORD_DAYS - 0.01)).toEqual({});
    expect(await purgeAfter(RECORD_DAYS + 0.01)).toEqual({ saved_searches: 1 });
    await run(
      "UPDATE agencies SET record_retention_days = 900, audit_retention_days = 400 WHERE id = ?",
      agency.id,
    );
    expect(await purgeAfter(409)).toEqual({});
    expect(await purgeAfter(411)).toEqual({ saved_searches: 1 });
    expect(await count("saved_searches WHERE agency_id = ?", agency.id)).toBe(0);
  });
});

describe("hits", () => {
  it("are deleted, with deliveries and images, on the day after the policy's last day, not before", async () => {
    const key = `alerts/${isoTime(Date.now()).slice(0, 10)}/${unique("x")}.jpg`;
    await keep(key);
    const alert = await anAlert(group, { vehicleImageKey: key });
    await run(
      "INSERT INTO deliveries (alert_id, user_id, channel, state, created_at, updated_at) VALUES (?, 'u', 'live', 'pending', ?, 0)",
      alert.id,
      Date.now() + RECORD_DAYS * DAY,
    );
    expect(await purgeAfter(RECORD_DAYS - 0.01)).toEqual({});
    expect(await isThere(bindings.IMAGES, key)).toBe(true);
    expect(await purgeAfter(RECORD_DAYS + 0.01)).toMatchObject({ alerts: 1 });
    expect(await isThere(bindings.IMAGES, key)).toBe(false);
    expect(await count("deliveries WHERE alert_id = ?", alert.id)).toBe(0);
  });

  it("stay as long as the agency's policy says, and for a held case", async () => {
    await run("UPDATE agencies SET record_retention_days = 700 WHERE id = ?", agency.id);
    await anAlert(group, { caseNumber: "26-7" });
    await anAlert(group, { caseNumber: "26-1044" });
    await run(
      `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
        requested_by_name, requested_at) VALUES (?, ?, '26-1044', '', '[]', 0, 0, 'active', '', '', 0)`,
      unique("hold"),
      agency.id,
    );
    expect(await purgeAfter(RECORD_DAYS + 1)).toEqual({});
    expect(await purgeAfter(701)).toMatchObject({ alerts: 1 });
    expect(await count("alerts WHERE agency_id = ? AND case_number = '26-1044'", agency.id)).toBe(1);
  });

  it("stay by a policy that is raised before their agency's turn", async () => {
    const other = await newAgency();
    const groups = [group, { id: (await newGroup(other.id, [plate("CCC333")])).id, agencyId: other.id }];
    for (const one of groups) {
      const key = `alerts/${isoTime(Date.now()).slice(0, 10)}/${unique("x")}.jpg`;
      await keep(key);
      await anAlert(one, { vehicleImageKey: key });
    }
    const IMAGES = beforeCall(bindings.IMAGES, "delete", () =>
      run("UPDATE agencies SET record_retention_days = 700"),
    );
    await purgeOldRecords(testApp(() => Date.now() + (RECORD_DAYS + 1) * DAY, { IMAGES }));
    const kept = groups.map(({ agencyId }) => count("alerts WHERE agency_id = ?", agencyId));
    expect((await Promise.all(kept)).sort()).toEqual([0, 1]);
  });

  it("of a held case stay, regardless of how its number was typed", async () => {
    for (const caseNumber of ["CR-26-7", "cr-26-7", " Cr-26-7 ", "É-8", "CR-26-70"])
      await anAlert(group, { caseNumber });
    for (const held of ["cr-26-\u200b7", "É-8"])
      await run(
        `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
          requested_by_name, requested_at) VALUES (?, ?, ?, '', '[]', 0, 0, 'active', '', '', 0)`,
        unique("hold"),
        agency.id,
        held,
      );
    expect(await purgeAfter(RECORD_DAYS + 1)).toMatchObject({ alerts: 1 });
    expect(await count("alerts WHERE agency_id = ? AND case_number = 'CR-26-70'", agency.id)).toBe(0);
  });

  it("that cannot be removed do not block the removal of other agencies' hits, each with its certificate", async () => {
    const other = await newAgency();
    const groups = [group, { id: (await newGroup(other.id, [plate("CCC333")])).id, agencyId: other.id }];
    const names = new Map([agency, other].map(({ id, name }) => [id, name]));
    const sorted = groups.sort((a, b) =>
      (names.get(a.agencyId) ?? "") < (names.get(b.agencyId) ?? "") ? -1 : 1,
    );
    const [first, last] = [at(sorted, 0), at(sorted, 1)];
    await anAlert(first, { vehicleImageKey: "alerts/2020-01-01/broken.jpg" });
    await anAlert(last, { vehicleImageKey: "alerts/2020-01-01/whole.jpg" });
    const app = testApp(() => Date.now() + (RECORD_DAYS + 1) * DAY);
    const remove = async (keys: string[]) => {
      if (keys.some((key) => key.includes("broken"))) throw new Error("R2 is down");
    };
    const images = { list: app.images.list, delete: remove } as unknown as R2Bucket;
    await expect(purgeOldRecords({ ...app, images })).rejects.toThrow("not every old record");
    expect(await count("alerts WHERE agency_id = ?", first.agencyId)).toBe(1);
    expect(await count("alerts WHERE agency_id = ?", last.agencyId)).toBe(0);
    const certificates = "audit_log WHERE action = 'retention.records' AND agency_id = ?";
    expect(await count(certificates, last.agencyId)).toBe(1);
  });

  it("do not take the image of a read with them", async () => {
    const key = `axis/${isoTime(Date.now()).slice(0, 10)}/camera/${unique("x")}.jpg`;
    await keep(key);
    await anAlert(group, { plateImageKey: key });
    expect(await purgeAfter(RECORD_DAYS + 1)).toMatchObject({ alerts: 1 });
    expect(await isThere(bindings.IMAGES, key)).toBe(true);
  });

  it("that were never saved leave no images behind", async () => {
    const today = isoTime(Date.now()).slice(0, 10);
    const [stray, named] = [
      `alerts/${today}/${unique("stray")}.jpg`,
      `alerts/${today}/${unique("named")}.jpg`,
    ];
    await Promise.all([keep(stray), keep(named)]);
    await anAlert(group, { vehicleImageKey: named });
    await purgeAfter(1);
    expect(await isThere(bindings.IMAGES, stray)).toBe(true);
    expect(await purgeAfter(4, "")).toMatchObject({ stray_alert_images: 1 });
    expect([await isThere(bindings.IMAGES, stray), await isThere(bindings.IMAGES, named)]).toEqual([
      false,
      true,
    ]);
  });
});

describe("former hotlist plates", () => {
  /** Removes the plates of the group now. */
  async function endPlates(): Promise<void> {
    await run(
      "UPDATE hotlist_entries SET until_version = 1, removed_at = ?, removed_by = 'u' WHERE group_id = ?",
      Date.now(),
      group.id,
    );
    await run("UPDATE alert_groups SET list_version = 1 WHERE id = ?", group.id);
  }

  /** Returns how many plates of the group are in the table of the lists, and in the history. */
  const listedAndFormer = async () => [
    await count("hotlist_entries WHERE group_id = ?", group.id),
    await count("former_entries WHERE group_id = ?", group.id),
  ];

  it("are deleted after their retention, with a file that only they use; current ones stay", async () => {
    const file = { id: `${unique("f")}.pdf`, key: `attachments/${unique("k")}` };
    await bindings.ATTACHMENTS.put(file.key, "x");
    await run(
      "INSERT INTO attachments (id, group_id, key, name, type, size, sha256, created_at, created_by) VALUES (?, ?, ?, 'a', 'b', 1, '', ?, '')",
      file.id,
      group.id,
      file.key,
      Date.now(),
    );
    await run(
      `UPDATE hotlist_entries SET until_version = 1, removed_at = ?, attachment_id = ?
        WHERE group_id = ? AND plate = 'AAA111'`,
      Date.now() + 10 * DAY,
      file.id,
      group.id,
    );
    await run("UPDATE alert_groups SET list_version = 1 WHERE id = ?", group.id);
    expect(await purgeAfter(RECORD_DAYS + 9)).toEqual({});
    expect(await isThere(bindings.ATTACHMENTS, file.key)).toBe(true);
    expect(await purgeAfter(RECORD_DAYS + 11)).toEqual({ hotlist_entries: 1, attachments: 1 });
    expect(await isThere(bindings.ATTACHMENTS, file.key)).toBe(false);
    expect(await count("hotlist_entries WHERE group_id = ?", group.id)).toBe(1);
  });

  it("stay for a case whose hold is approved while the agency's hits are purged", async () => {
    const key = `alerts/${isoTime(Date.now()).slice(0, 10)}/${unique("x")}.jpg`;
    await keep(key);
    await anAlert(group, { vehicleImageKey: key });
    await run(
      "UPDATE hotlist_entries SET until_version = 1, removed_at = ?, case_number = '26-9' WHERE group_id = ?",
      Date.now(),
      group.id,
    );
    await run("UPDATE alert_groups SET list_version = 1 WHERE id = ?", group.id);
    const IMAGES = beforeCall(bindings.IMAGES, "delete", () =>
      run(
        `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
          requested_by_name, requested_at) VALUES (?, ?, '26-9', '', '[]', 0, 0, 'active', '', '', 0)`,
        unique("hold"),
        agency.id,
      ),
    );
    const app = testApp(() => Date.now() + (RECORD_DAYS + 1) * DAY, { IMAGES });
    expect((await purgeOldRecords(app)).get(agency.id)).toEqual({ alerts: 1 });
    expect(await listedAndFormer()).toEqual([0, 2]);
    // The next purge reads them from the history.
    expect(await purgeAfter(RECORD_DAYS + 2)).toEqual({});
    expect(await listedAndFormer()).toEqual([0, 2]);
    await run("UPDATE legal_holds SET state = 'released' WHERE agency_id = ?", agency.id);
    expect(await purgeAfter(RECORD_DAYS + 2)).toEqual({ hotlist_entries: 2 });
    expect(await listedAndFormer()).toEqual([0, 0]);
  });

  it("stay while an import still uses them", async () => {
    await run("UPDATE hotlist_entries SET until_version = 99 WHERE group_id = ?", group.id);
    expect(await purgeAfter(2 * RECORD_DAYS)).toEqual({});
    expect(await listedAndFormer()).toEqual([2, 0]);
  });

  it("leave the list's table for the history a day after their removal, with everything that was known of them", async () => {
    await endPlates();
    const { results: before } = await bindings.DB.prepare(
      "SELECT * FROM hotlist_entries WHERE group_id = ? ORDER BY id",
    )
      .bind(group.id)
      .all();
    expect(await purgeAfter(0.9)).toEqual({});
    expect(await listedAndFormer()).toEqual([2, 0]);
    expect(await purgeAfter(1.1)).toEqual({});
    expect(await listedAndFormer()).toEqual([0, 2]);
    const { results: after } = await bindings.DB.prepare(
      "SELECT * FROM former_entries WHERE group_id = ? ORDER BY id",
    )
      .bind(group.id)
      .all();
    expect(before).toHaveLength(2);
    expect(after).toEqual(
      before.map(({ digest, kept_by, kept_expires_at, removed_at, ...entry }) => ({
        ...entry,
        ended_at: removed_at,
      })),
    );
    expect(await purgeAfter(RECORD_DAYS - 0.1)).toEqual({});
    expect(await purgeAfter(RECORD_DAYS + 0.1)).toEqual({ hotlist_entries: 2 });
    expect(await listedAndFormer()).toEqual([0, 0]);
  });

  it("stay where they are while their group has an open import, or a backup reads the tables", async () => {
    await endPlates();
    const id = unique("import");
    await insertImport(id, "ready");
    await run("UPDATE hotlist_imports SET group_id = ? WHERE id = ?", group.id, id);
    await purgeAfter(2);
    expect(await listedAndFormer()).toEqual([2, 0]);
    await run("UPDATE hotlist_imports SET state = 'applied' WHERE id = ?", id);
    const backup = unique("backup");
    await run(
      "INSERT INTO backup_runs (id, kind, state, phase, started_at) VALUES (?, 'backup', 'running', 'rows', 0)",
      backup,
    );
    await purgeAfter(2);
    expect(await listedAndFormer()).toEqual([2, 0]);
    await run("DELETE FROM backup_runs WHERE id = ?", backup);
    await purgeAfter(2);
    expect(await listedAndFormer()).toEqual([0, 2]);
  });
});

it("files of groups and plates that were never saved are deleted after two days, in steps", async () => {
  const stray = ATTACHMENT_PREFIXES.map((prefix) => prefix + unique("x"));
  const named = ATTACHMENT_PREFIXES.map((prefix) => prefix + unique("y"));
  for (const key of [...stray, ...named]) await bindings.ATTACHMENTS.put(key, "x");
  await run(
    `INSERT INTO attachments (id, group_id, key, name, type, size, sha256, created_at, created_by)
      SELECT value, ?, value, 'a', 'b', 1, '', ?, '' FROM json_each(?)`,
    group.id,
    Date.now() + 10 * DAY,
    JSON.stringify(named),
  );
  expect((await purgeAfter(1.9, ""))?.stray_attachments).toBeUndefined();
  expect(await purgeAfter(2.1, "")).toMatchObject({ stray_attachments: 2 });
  const left = (await bindings.ATTACHMENTS.list()).objects.map(({ key }) => key);
  expect(left).toEqual(expect.arrayContaining(named));
  expect(stray.filter((key) => left.includes(key))).toHaveLength(62);
});

describe("the files of imports", () => {
  it("are deleted after two days if their import has ended or its row was never written", async () => {
    const [stray, ended, open] = [unique("import"), unique("import"), unique("import")];
    for (const id of [stray, ended, open]) await bindings.IMPORTS.put(`imports/${id}`, "plate,reason");
    await insertImport(ended, "failed");
    await insertImport(open, "comparing");
    const left = async () =>
      (
        await Promise.all([stray, ended, open].map((id) => isThere(bindings.IMPORTS, `imports/${id}`)))
      ).join();
    expect((await purgeAfter(1.9, ""))?.stray_imports).toBeUndefined();
    expect(await left()).toBe("true,true,true");
    expect(await purgeAfter(2.1, "")).toMatchObject({ stray_imports: 2 });
    expect(await left()).toBe("false,false,true");
  });
});

describe("finished imports", () => {
  it("are deleted with their rejected rows; open ones stay", async () => {
    const [done, open] = [unique("import"), unique("import")];
    await insertImport(done, "applied");
    await insertImport(open, "ready");
    await run("INSERT INTO hotlist_import_issues VALUES (?, 'rejected', 1, 'ABC', 'x')", done);
    expect(await purgeAfter(RECORD_DAYS - 1)).toEqual({});
    expect(await purgeAfter(RECORD_DAYS + 1)).toEqual({ hotlist_imports: 1 });
    expect(await count("hotlist_import_issues WHERE import_id = ?", done)).toBe(0);
    expect(await count("hotlist_imports WHERE id = ?", open)).toBe(1);
  });
});

describe("operational records", () => {
  const INSERTS: Record<keyof typeof COMMON_DAYS, string> = {
    deliveries:
      "INSERT INTO deliveries (alert_id, user_id, channel, state, created_at, updated_at) VALUES (?1, 'u', 'live', 'delivered', ?2, ?2)",
    dead_jobs: "INSERT INTO dead_jobs (id, queue, body, attempts, at) VALUES (?1, 'q', '{}', 5, ?2)",
    addresses: "INSERT INTO addresses (position, address, attribution, at) VALUES (?1, 'a', '', ?2)",
    push_devices: `INSERT INTO push_devices (id, user_id, channel, name, address_hash, sealed_address, created_at, dropped_at)
      VALUES (?1, (SELECT id FROM users LIMIT 1), 'apns', 'n', ?1, '', 0, ?2)`,
    outgoing_deliveries: `INSERT INTO outgoing_deliveries (id, webhook_id, event, event_key, group_id, state, created_at, updated_at)
      VALUES (?1, 'retention-webhook', 'hit', ?1, 'g', 'delivered', ?2, ?2)`,
  };

  it.each(Object.entries(COMMON_DAYS))("%s are deleted after %d days", async (table, days) => {
    await run(`INSERT OR IGNORE INTO outgoing_webhooks
      (id, agency_id, name, url, sealed_secret, on_hit, on_disposition, on_expiring, created_at, created_by)
      SELECT 'retention-webhook', id, 'n', 'https://x.example', '', 1, 1, 1, 0, 'u' FROM agencies LIMIT 1`);
    await run(INSERTS[table as keyof typeof COMMON_DAYS], unique(table), Date.now());
    const before = await count(table);
    await purgeAfter(days - 0.01);
    expect(await count(table)).toBe(before);
    expect(await purgeAfter(days + 0.01, "")).toMatchObject({ [table]: 1 });
    expect(await count(table)).toBe(before - 1);
  });

  it("never include a pending delivery", async () => {
    const id = unique("alert");
    await run(INSERTS.deliveries.replace("'delivered'", "'pending'"), id, Date.now());
    await purgeAfter(400);
    expect(await count("deliveries WHERE alert_id = ?", id)).toBe(1);
    await run("DELETE FROM deliveries WHERE alert_id = ?", id);
  });
});

it("each run writes a certificate only for agencies that it removed something from", async () => {
  await anAlert(group);
  await purgeAfter(RECORD_DAYS + 1);
  await purgeAfter(RECORD_DAYS + 1);
  const { results } = await bindings.DB.prepare(
    "SELECT detail FROM audit_log WHERE agency_id = ? AND action = 'retention.records'",
  )
    .bind(agency.id)
    .all<{ detail: string }>();
  expect(results.map(({ detail }) => JSON.parse(detail))).toEqual([{ alerts: 1 }]);
});

describe("records whose certificate cannot be written", () => {
  /** A database in which nothing can be written to the audit log. */
  const DB = new Proxy(bindings.DB, {
    get(target, name) {
      if (name === "prepare")
        return (text: string) =>
          target.prepare(text.replace(/insert into "?audit_log"?/i, "INSERT INTO full_log"));
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

  it("stay, and are purged with it later", async () => {
    const user = await newUser(agency.id);
    await anAlert(group);
    await run(
      "INSERT INTO saved_searches (user_id, agency_id, search_id, searched_at, name) VALUES (?, ?, ?, ?, 'Name')",
      user.id,
      agency.id,
      unique("search"),
      Date.now(),
    );
    await run(
      "UPDATE hotlist_entries SET until_version = 1, removed_at = ? WHERE group_id = ?",
      Date.now(),
      group.id,
    );
    await run("UPDATE alert_groups SET list_version = 1 WHERE id = ?", group.id);
    const left = async () => [
      await count("alerts WHERE agency_id = ?", agency.id),
      (await count("hotlist_entries WHERE group_id = ?", group.id)) +
        (await count("former_entries WHERE group_id = ?", group.id)),
      await count("saved_searches WHERE agency_id = ?", agency.id),
    ];
    const app = testApp(() => Date.now() + (RECORD_DAYS + 1) * DAY, { DB });
    // The first kind fails and ends the agency's turn; without its records the next one is tried.
    await expect(purgeOldRecords(app)).rejects.toThrow("not every old record");
    expect(await left()).toEqual([1, 2, 1]);
    await run("DELETE FROM alerts WHERE agency_id = ?", agency.id);
    await expect(purgeOldRecords(app)).rejects.toThrow("not every old record");
    expect(await left()).toEqual([0, 2, 1]);
    expect(await purgeAfter(RECORD_DAYS + 1)).toEqual({ hotlist_entries: 2, saved_searches: 1 });
    const { results } = await bindings.DB.prepare(
      "SELECT detail FROM audit_log WHERE agency_id = ? AND action = 'retention.records' ORDER BY seq",
    )
      .bind(agency.id)
      .all<{ detail: string }>();
    expect(results.map(({ detail }) => JSON.parse(detail))).toEqual([
      { hotlist_entries: 2 },
      { saved_searches: 1 },
    ]);
  });
});

it("a large backlog is purged in bounded steps, run after run, until nothing is left", async () => {
  const rows = JSON.stringify(Array.from({ length: 6_000 }, () => unique("alert")));
  await run(
    `INSERT INTO deliveries (alert_id, user_id, channel, state, created_at, updated_at)
      SELECT value, 'u', 'live', 'delivered', 0, 0 FROM json_each(?)`,
    rows,
  );
  expect(await purgeAfter(0, "")).toMatchObject({ deliveries: 5_000 });
  expect(await purgeAfter(0, "")).toMatchObject({ deliveries: 1_000 });
  expect((await purgeAfter(0, ""))?.deliveries).toBeUndefined();
});
