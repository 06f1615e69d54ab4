import { describe, expect, it } from "vitest";
import { purgeOldAudit } from "#app/domain/operations/retention-audit.ts";
import { anchorAuditHeads, sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { DAY, HOUR } from "#app/lib/time/dates.ts";
import { copyToPool } from "#app/store/operations/backup-pool.ts";
import { putCheckpoint } from "#app/store/oversight/audit-checkpoints.ts";
import { listAuditRows } from "#app/store/oversight/audit-log.ts";
import { listSegmentsAfter } from "#app/store/oversight/audit-segments.ts";
import { bindings, newAgency, testApp, unique } from "../../factories.ts";
import { archive, verifyAll, writeRows } from "../../support/operations/audit-archive.ts";
import { beforeCall } from "../../support/operations/buckets.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { tamper } from "../../support/tamper.ts";

/** Creates an agency with a sealed row of each of these ages, in days. */
async function loggedAgency(ages: number[], { caseNumber = "" } = {}) {
  const agency = await newAgency();
  await writeRows(
    agency.id,
    ages.map((age, i) => ({ age, plate: `ABC${i}`, case_number: caseNumber })),
  );
  return agency;
}

const policy = (agency: { id: string }, days: number) =>
  bindings.DB.prepare("UPDATE agencies SET audit_retention_days = ? WHERE id = ?")
    .bind(days, agency.id)
    .run();

describe("the retention of archived rows", () => {
  const AGES = [900, 850, 800, 770, 740, 735, 731, 600, 500, 200];
  const plates = async (agency: { id: string }) => {
    const found = await listAuditRows(testApp(), {
      ...{ agencyId: agency.id, kind: "search", plate: "", username: "", caseNumber: "" },
      ...{ start: null, end: null, after: null, limit: 50, offset: 0 },
    });
    return found.rows.map(({ plate }) => plate).reverse();
  };
  const counted = async (agency: { id: string }) => ({
    segments: await bindings.DB.prepare("SELECT count(*) AS n FROM audit_segments WHERE agency_id = ?")
      .bind(agency.id)
      .first<number>("n"),
    objects: (await bindings.AUDITS.list({ prefix: `audit-segments/${agency.id}/` })).objects.length,
  });
  const terms = () =>
    bindings.DB.prepare(
      `SELECT count(*) AS n FROM (SELECT segment FROM audit_segment_filters UNION ALL SELECT segment FROM audit_segment_terms)
      WHERE segment NOT IN (SELECT number FROM audit_segments)`,
    ).first<number>("n");

  it("deletes whole segments, with their keys, index and objects", async () => {
    const agency = await loggedAgency([...AGES, 1]);
    await archive(agency, 3);
    expect(await counted(agency)).toEqual({ segments: 4, objects: 4 });
    await anchorAuditHeads(testApp(() => Date.now() + 6000 * HOUR));
    // The third segment has a row that is still within its retention.
    expect(await purgeOldAudit(testApp())).toBe(6);
    expect(await plates(agency)).toEqual(["ABC6", "ABC7", "ABC8", "ABC9", "ABC10"]);
    expect(await counted(agency)).toEqual({ segments: 2, objects: 2 });
    expect(await terms()).toBe(0);
    await sealAuditLog(testApp());
    expect(await verifyAll(agency)).toMatchObject({ problem: null, total: 13 });
    expect(await purgeOldAudit(testApp())).toBe(0);
  });

  it("removes the copies of segments in the backups, also while the bucket's lock keeps them, but not the checkpoints", async () => {
    for (const isLocked of [false, true]) {
      const agency = await loggedAgency([...AGES, 1]);
      await archive(agency, 3);
      const app = testApp();
      const pool = { backups: app.backups, keys: app.config.sealingKeys };
      const prefix = `audit-segments/${agency.id}/`;
      for (const { key } of (await bindings.AUDITS.list({ prefix })).objects)
        await copyToPool(pool, { name: "AUDITS", bucket: bindings.AUDITS, key });
      const copies = async (of: string) =>
        (await bindings.BACKUPS.list({ prefix: `pool/AUDITS/${of}` })).objects.length;
      expect(await copies(prefix)).toBe(4);
      const refuse = async () => {
        throw new Error("the object is locked");
      };
      const AUDITS = isLocked ? beforeCall(bindings.AUDITS, "delete", refuse) : bindings.AUDITS;
      expect(await purgeOldAudit(testApp(Date.now, { AUDITS }))).toBe(6);
      expect(await copies(prefix)).toBe(2);
      expect(await copies(`audit-checkpoints/${agency.id}/`)).toBe(2);
      expect(await counted(agency)).toEqual({ segments: 2, objects: isLocked ? 3 : 2 });
    }
  });

  it("waits until the backups take the checkpoint, and continues if they do not delete a copy", async () => {
    const agency = await loggedAgency([...AGES, 1]);
    await archive(agency, 3);
    const refuse = async () => {
      throw new Error("the backups are down");
    };
    const { BACKUPS } = bindings;
    const without = (method: "put" | "delete") =>
      testApp(Date.now, { BACKUPS: beforeCall(BACKUPS, method, refuse) });
    await expect(purgeOldAudit(without("put"))).rejects.toThrow();
    expect(await counted(agency)).toEqual({ segments: 4, objects: 4 });
    expect(await verifyAll(agency)).toMatchObject({ problem: null });
    expect(await purgeOldAudit(without("delete"))).toBe(6);
    // The object stays without its key.
    expect(await counted(agency)).toEqual({ segments: 2, objects: 3 });
    await sealAuditLog(testApp());
    expect(await verifyAll(agency)).toMatchObject({ problem: null });
    expect(await purgeOldAudit(testApp())).toBe(0);
  });

  it("keeps a segment while a backup reads that begins during the purge", async () => {
    const agency = await loggedAgency([...AGES, 1]);
    await archive(agency, 3);
    const id = unique("backup");
    const AUDITS = beforeCall(bindings.AUDITS, "put", () =>
      bindings.DB.prepare(
        "INSERT INTO backup_runs (id, kind, state, phase, started_at) VALUES (?, 'backup', 'running', 'rows', 0)",
      )
        .bind(id)
        .run(),
    );
    await expect(purgeOldAudit(testApp(Date.now, { AUDITS }))).rejects.toThrow();
    expect(await counted(agency)).toEqual({ segments: 4, objects: 4 });
    await bindings.DB.prepare("DELETE FROM backup_runs WHERE id = ?").bind(id).run();
    expect(await purgeOldAudit(testApp())).toBe(6);
    expect(await verifyAll(agency)).toMatchObject({ problem: null });
  });

  it("continues after a checkpoint that is older than the first segment, and archiving continues", async () => {
    const agency = await loggedAgency([...AGES, 1]);
    expect(await purgeOldAudit(testApp())).toBe(7);
    await archive(agency, 2);
    expect(await counted(agency)).toMatchObject({ segments: 2 });
    expect(await plates(agency)).toEqual(["ABC7", "ABC8", "ABC9", "ABC10"]);
    await sealAuditLog(testApp());
    expect(await verifyAll(agency)).toMatchObject({ problem: null });
    await policy(agency, 365);
    expect(await purgeOldAudit(testApp())).toBe(2);
    await sealAuditLog(testApp());
    expect(await verifyAll(agency)).toMatchObject({ problem: null });
    expect(await plates(agency)).toEqual(["ABC9", "ABC10"]);
  });

  it("keeps a segment with a case under legal hold, and younger segments", async () => {
    const caseNumber = unique("case-27");
    const held = await loggedAgency([900, 800, 10], { caseNumber });
    await archive(held, 1);
    await bindings.DB.prepare(
      `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
        requested_by_name, requested_at) VALUES (?, ?, ?, '', '[]', 0, 0, 'active', '', '', 0)`,
    )
      .bind(unique("hold"), held.id, caseNumber)
      .run();
    const young = await loggedAgency([700, 600, 10]);
    await archive(young, 1);
    expect(await purgeOldAudit(testApp())).toBe(0);
    for (const agency of [held, young]) expect(await counted(agency)).toMatchObject({ segments: 2 });
  });

  it("keeps a segment with a case whose hold is approved while an earlier segment is deleted", async () => {
    const caseNumber = unique("case-27");
    const agency = await loggedAgency([900, 800, 10], { caseNumber });
    await archive(agency, 1);
    // The hold is approved when the purge of the first segment stores its checkpoint.
    const AUDITS = beforeCall(bindings.AUDITS, "put", () =>
      bindings.DB.prepare(
        `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
          requested_by_name, requested_at) VALUES (?, ?, ?, '', '[]', 0, 0, 'active', '', '', 0)`,
      )
        .bind(unique("hold"), agency.id, caseNumber)
        .run(),
    );
    expect(await purgeOldAudit(testApp(Date.now, { AUDITS }))).toBe(1);
    expect(await counted(agency)).toMatchObject({ segments: 1 });
  });

  it("is limited by triggers: no segment within a year, and no part of one, can be deleted", async () => {
    const agency = await loggedAgency([300, 299, 298, 10]);
    await archive(agency, 3);
    await expect(purgeOldAudit(testApp(() => Date.now() + 3000 * DAY))).rejects.toThrow();
    expect(await counted(agency)).toEqual({ segments: 1, objects: 1 });
    const insert = "INSERT INTO audit_checkpoints VALUES (?, ?, 0, '', 0)";
    await expect(bindings.DB.prepare(insert).bind(agency.id, 2).run()).rejects.toThrow(/purged whole/);
    await bindings.DB.prepare(insert).bind(agency.id, 3).run();
    const gone = bindings.DB.prepare("DELETE FROM audit_segments WHERE agency_id = ?").bind(agency.id);
    await expect(gone.run()).rejects.toThrow(/append-only/);
  });

  it("is effective even if the object is not deleted: without its key it cannot be opened", async () => {
    const agency = await loggedAgency([900, 800, 10]);
    await archive(agency, 2);
    const app = testApp();
    const [segment] = await listSegmentsAfter(app.db, { agencyId: agency.id, after: 0, limit: 1 });
    const locked = { ...app, auditArchive: { ...app.auditArchive, remove: async () => false } };
    expect(await purgeOldAudit(locked)).toBe(2);
    expect(await counted(agency)).toEqual({ segments: 0, objects: 1 });
    if (!segment) throw new Error("no segment");
    const kept = bindings.DB.prepare("SELECT count(*) AS n FROM audit_segments WHERE sealed_key = ?");
    expect(await kept.bind(segment.sealedKey).first("n")).toBe(0);
    await sealAuditLog(app);
    expect(await verifyAll(agency)).toMatchObject({ problem: null });
  });

  it("continues after a restore that brought a purged segment back, whose object is gone from every backup", async () => {
    const agency = await loggedAgency([900, 850, 800, 790, 10]);
    await archive(agency, 2);
    const tables = ["audit_segments", "audit_segment_filters"];
    const before = new Map<string, Record<string, unknown>[]>();
    const first = "SELECT number FROM audit_segments WHERE agency_id = ?1 AND first_position = 1";
    for (const table of tables) {
      const key = table === "audit_segments" ? "number" : "segment";
      const rows = bindings.DB.prepare(`SELECT * FROM ${table} WHERE ${key} = (${first})`).bind(agency.id);
      before.set(table, (await rows.all()).results);
    }
    expect(await purgeOldAudit(testApp(() => Date.now() - 70 * DAY))).toBe(2);
    // The database is restored to a time before the purge; what the purge deleted from the buckets stays deleted.
    await tamper("DELETE FROM audit_checkpoints WHERE agency_id = ?", agency.id);
    for (const [table, rows] of before)
      for (const row of rows) {
        const names = Object.keys(row);
        const values = names.map(() => "?").join(", ");
        await bindings.DB.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${values})`)
          .bind(...Object.values(row))
          .run();
      }
    expect(await verifyAll(agency)).toMatchObject({ problem: { position: 1 } });
    expect(await purgeOldAudit(testApp())).toBe(4);
    await sealAuditLog(testApp());
    expect(await verifyAll(agency)).toMatchObject({ problem: null });
  });

  it("keeps a segment whose object is gone without a purge that its checkpoint in R2 proves", async () => {
    const agency = await loggedAgency([900, 850, 10]);
    await archive(agency, 2);
    const { objects } = await bindings.AUDITS.list({ prefix: `audit-segments/${agency.id}/` });
    await bindings.AUDITS.delete(objects.map(({ key }) => key));
    expectLogged(/does not verify: nothing of it is purged/);
    expect(await purgeOldAudit(testApp())).toBe(0);
    expect(await counted(agency)).toMatchObject({ segments: 1 });
  });

  it("keeps a segment whose object was altered after a purge that did not finish", async () => {
    const agency = await loggedAgency([900, 850, 10]);
    await archive(agency, 2);
    const app = testApp();
    const [segment] = await listSegmentsAfter(app.db, { agencyId: agency.id, after: 0, limit: 1 });
    if (!segment) throw new Error("no segment");
    const { lastPosition: position, lastSeq: seq, lastHash: hash, maxAt: rowsUntil, objectKey } = segment;
    await putCheckpoint(app.audits, { agencyId: agency.id, position, seq, hash, at: Date.now(), rowsUntil });
    await bindings.AUDITS.put(objectKey, "altered");
    expectLogged(/does not verify: nothing of it is purged/);
    expect(await purgeOldAudit(app)).toBe(0);
    expect(await counted(agency)).toEqual({ segments: 1, objects: 1 });
  });

  it("keeps a segment that does not verify, for an investigation", async () => {
    const broken = await loggedAgency([900, 800, 10]);
    await archive(broken, 1);
    await tamper(
      "UPDATE audit_segments SET last_hash = 'x' WHERE agency_id = ? AND first_position = 1",
      broken.id,
    );
    expectLogged(/does not verify: nothing of it is purged/);
    expect(await purgeOldAudit(testApp())).toBe(0);
    expect(await counted(broken)).toMatchObject({ segments: 2 });
  });
});
