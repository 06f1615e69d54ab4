import { describe, expect, it } from "vitest";
import { purgeExpired } from "#app/domain/operations/retention.ts";
import { purgeOldAudit } from "#app/domain/operations/retention-audit.ts";
import { purgeOldRecords } from "#app/domain/operations/retention-records.ts";
import { anchorAuditHeads, checkChain, sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { DAY, HOUR } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { bindings, newAgency, testApp, unique } from "../../factories.ts";
import { beforeCall } from "../../support/operations/buckets.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { tamper } from "../../support/tamper.ts";

/** Creates an agency with a sealed row of each of these ages, in days. */
async function loggedAgency(ages: number[], over: { caseNumber?: string } = {}) {
  const agency = await newAgency();
  const app = testApp();
  for (const [i, age] of ages.entries()) {
    await inOneStep(app.db, [
      insertAudit(app.db, {
        at: Date.now() - age * DAY + i,
        agencyId: agency.id,
        userId: "u",
        username: "someone",
        sessionId: "s",
        ip: "192.0.2.1",
        userAgent: "",
        action: "search",
        outcome: "ok",
        plate: `ABC${i}`,
        ...over,
      }),
    ]);
  }
  await sealAuditLog(app);
  return agency;
}

const policy = (agency: { id: string }, days: number) =>
  bindings.DB.prepare("UPDATE agencies SET audit_retention_days = ? WHERE id = ?")
    .bind(days, agency.id)
    .run();
const platesOf = async ({ id }: { id: string }) => {
  const { results } = await bindings.DB.prepare(
    "SELECT plate FROM audit_log WHERE agency_id = ? AND plate <> '' ORDER BY seq",
  )
    .bind(id)
    .all<{ plate: string }>();
  return results.map(({ plate }) => plate);
};
const verify = (agency: { id: string }) => checkChain(testApp(), agency.id, 0);

describe("the retention of the audit log", () => {
  it("never deletes a row that is younger than the policy's limit, whichever purge runs, however often", async () => {
    const agency = await loggedAgency([729, 400, 30, 0]);
    for (let i = 0; i < 2; i++) {
      await purgeExpired(testApp());
      await purgeOldRecords(testApp());
      expect(await purgeOldAudit(testApp())).toBe(0);
    }
    expect(await platesOf(agency)).toEqual(["ABC0", "ABC1", "ABC2", "ABC3"]);
    await policy(agency, 3650);
    const ancient = await loggedAgency([3000, 10]);
    await policy(ancient, 3650);
    expect(await purgeOldAudit(testApp())).toBe(0);
  });

  it("does not alarm a verification that began before the rows were deleted", async () => {
    const agency = await loggedAgency([900, 800, 731, 729, 10]);
    let purge: (() => Promise<number>) | undefined = () => purgeOldAudit(testApp());
    /** Purges before the first query of segments, which follows that of the checkpoint. */
    const intercepted = <T extends object>(target: T, isSegments: boolean): T =>
      new Proxy(target, {
        get(object, name) {
          const value: unknown = Reflect.get(object, name, object);
          if (typeof value !== "function") return value;
          if (name === "prepare")
            return (text: string) =>
              intercepted(value.call(object, text), text.includes('from "audit_segments"'));
          if (name === "bind")
            return (...values: unknown[]) => intercepted(value.apply(object, values), isSegments);
          if (!isSegments) return value.bind(object);
          return async (...values: unknown[]) => {
            const first = purge;
            purge = undefined;
            await first?.();
            return value.apply(object, values);
          };
        },
      });
    const app = testApp(Date.now, { DB: intercepted(bindings.DB, false) });
    expect(await checkChain(app, agency.id, 0)).toMatchObject({ problem: null, next: null });
    expect(await platesOf(agency)).toEqual(["ABC3", "ABC4"]);
  });

  it("deletes older rows from the start of the chain; the rest still verifies", async () => {
    const agency = await loggedAgency([900, 800, 731, 729, 10]);
    await anchorAuditHeads(testApp(() => Date.now() + 5000 * HOUR));
    expect(await verify(agency)).toMatchObject({ problem: null, total: 5 });
    expect(await purgeOldAudit(testApp())).toBe(3);
    expect(await platesOf(agency)).toEqual(["ABC3", "ABC4"]);
    await sealAuditLog(testApp());
    expect(await verify(agency)).toMatchObject({ problem: null, next: null, total: 6, checked: 6 });
    const certificate = await bindings.DB.prepare(
      "SELECT detail FROM audit_log WHERE agency_id = ? AND action = 'retention.audit'",
    )
      .bind(agency.id)
      .first<string>("detail");
    expect(JSON.parse(certificate ?? "")).toMatchObject({ rows: 3, position: 3 });
    expect(await purgeOldAudit(testApp())).toBe(0);
    await policy(agency, 365);
    expect(await purgeOldAudit(testApp())).toBe(1);
    await sealAuditLog(testApp());
    expect((await verify(agency)).problem).toBeNull();
  });

  it("follows a policy that is raised before the agency's turn", async () => {
    const logged = [await loggedAgency([900, 800, 10]), await loggedAgency([900, 800, 10])];
    const AUDITS = beforeCall(bindings.AUDITS, "put", () =>
      Promise.all(logged.map((agency) => policy(agency, 3650))),
    );
    await purgeOldAudit(testApp(Date.now, { AUDITS }));
    const kept = await Promise.all(logged.map(platesOf));
    expect(kept.map(({ length }) => length).sort()).toEqual([1, 3]);
  });

  it("keeps the last row of a chain, which the next link refers to", async () => {
    const agency = await loggedAgency([900, 800]);
    expect(await purgeOldAudit(testApp())).toBe(1);
    await sealAuditLog(testApp());
    expect(await verify(agency)).toMatchObject({ problem: null, checked: 3 });
  });

  it("waits while a backup reads, also one that begins during the purge", async () => {
    const agency = await loggedAgency([900, 800, 10]);
    const id = unique("backup");
    const begin = () =>
      bindings.DB.prepare(
        "INSERT INTO backup_runs (id, kind, state, phase, started_at) VALUES (?, 'backup', 'running', 'rows', 0)",
      )
        .bind(id)
        .run();
    const AUDITS = beforeCall(bindings.AUDITS, "put", begin);
    await expect(purgeOldAudit(testApp(Date.now, { AUDITS }))).rejects.toThrow();
    expect(await platesOf(agency)).toHaveLength(3);
    expect(await purgeOldAudit(testApp())).toBe(0);
    await bindings.DB.prepare("DELETE FROM backup_runs WHERE id = ?").bind(id).run();
    // Its result counts the agencies of other tests too.
    await purgeOldAudit(testApp());
    expect(await platesOf(agency)).toEqual(["ABC2"]);
    expect(await verify(agency)).toMatchObject({ problem: null, checked: 3 });
  });

  it("stops at the first row of a case under legal hold", async () => {
    const caseNumber = unique("case-26");
    const agency = await loggedAgency([900, 800, 10], { caseNumber });
    await bindings.DB.prepare(
      `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
        requested_by_name, requested_at) VALUES (?, ?, ?, '', '[]', 0, 0, 'active', '', '', 0)`,
    )
      .bind(unique("hold"), agency.id, ` ${caseNumber.toUpperCase()}`)
      .run();
    await purgeOldAudit(testApp());
    expect(await platesOf(agency)).toHaveLength(3);
  });

  it("is limited by triggers: no clock, policy or checkpoint deletes a row within a year", async () => {
    const agency = await loggedAgency([364, 1, 0]);
    await expect(purgeOldAudit(testApp(() => Date.now() + 3000 * DAY))).rejects.toThrow();
    expect(await platesOf(agency)).toHaveLength(3);
    const link = await bindings.DB.prepare(
      "SELECT seq, hash FROM audit_chain WHERE agency_id = ? AND position = 2",
    )
      .bind(agency.id)
      .first<{ seq: number; hash: string }>();
    await bindings.DB.prepare("INSERT INTO audit_checkpoints VALUES (?, 2, ?, ?, 0)")
      .bind(agency.id, link?.seq, link?.hash)
      .run();
    for (const statement of [
      "DELETE FROM audit_log WHERE agency_id = ?",
      "DELETE FROM audit_chain WHERE agency_id = ?",
      "DELETE FROM audit_checkpoints WHERE agency_id = ?",
      "UPDATE audit_checkpoints SET position = 9 WHERE agency_id = ?",
    ])
      await expect(bindings.DB.prepare(statement).bind(agency.id).run()).rejects.toThrow(/append-only|stay/);
    expect((await verify(agency)).problem?.problem).toMatch(/their checkpoint does not match the stored one/);
  });

  it("keeps rows that do not verify, for an investigation", async () => {
    const agency = await loggedAgency([900, 800, 10]);
    await tamper("UPDATE audit_log SET plate = 'OTHER' WHERE agency_id = ? AND plate = 'ABC0'", agency.id);
    expectLogged(/does not verify: nothing of it is purged/);
    expect(await purgeOldAudit(testApp())).toBe(0);
    expect((await verify(agency)).problem).toMatchObject({ position: 1 });
  });

  it("does not hide other deletions: a forged start of the chain is reported", async () => {
    const agency = await loggedAgency([900, 800, 20, 10]);
    const link = await bindings.DB.prepare(
      "SELECT seq, hash FROM audit_chain WHERE agency_id = ? AND position = 3",
    )
      .bind(agency.id)
      .first<{ seq: number; hash: string }>();
    await tamper("DELETE FROM audit_log WHERE agency_id = ? AND seq <= ?", agency.id, link?.seq);
    await tamper("DELETE FROM audit_chain WHERE agency_id = ? AND position <= 3", agency.id);
    expect((await verify(agency)).problem).not.toBeNull();
    await tamper("INSERT INTO audit_checkpoints VALUES (?, 3, ?, ?, 0)", agency.id, link?.seq, link?.hash);
    expect((await verify(agency)).problem).toMatchObject({ seq: link?.seq, position: 3 });
  });
});
