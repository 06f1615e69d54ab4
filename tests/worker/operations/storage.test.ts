import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { health, healthData } from "#app/domain/operations/health.ts";
import { measureStorage, storageLines, viewStorage } from "#app/domain/operations/storage.ts";
import type { StorageReport, StoredDatabase } from "#app/entities/operations/storage.ts";
import { at } from "#app/lib/at.ts";
import { DAY, utcDay } from "#app/lib/time/dates.ts";
import { findReadsDatabases } from "#app/store/archive/placement.ts";
import {
  auditOf,
  bindings,
  type Client,
  client,
  jsonInit,
  newWorld,
  testApp,
  type World,
} from "../../factories.ts";
import { emptyArchive } from "../../support/archive.ts";
import { expectLogged, loggedText } from "../../support/quiet-console.ts";

const NAMES = ["READS_0", "READS_1", "READS_2", "READS_3"];
const now = Date.UTC(2027, 2, 1, 12);
const limited = (limit: number) => testApp(() => now, { STORAGE_LIMIT_BYTES: String(limit) });
const control = (...sql: string[]) => bindings.DB.batch(sql.map((one) => bindings.DB.prepare(one)));
const rowOf = ({ databases }: StorageReport, name: string) =>
  databases.find((one) => one.name === name) as StoredDatabase;

let world: World;
let owner: Client;

beforeAll(async () => {
  world = await newWorld();
  owner = await client(world.users.owner);
});
beforeEach(async () => {
  await control("DELETE FROM read_places", "DELETE FROM read_databases", "DELETE FROM read_sizes");
  await emptyArchive([bindings.READS_0, bindings.READS_1, bindings.READS_2, bindings.READS_3]);
});

describe("the sizes of the databases", () => {
  it("are measured, with a forecast of when the space runs out", async () => {
    const app = limited(10_000_000_000);
    expect(rowOf(await viewStorage(app), "READS_0")).toMatchObject({
      bytes: null,
      bytes_per_day: null,
      full_at: null,
      bound: true,
    });
    await measureStorage(app);
    const report = await viewStorage(app);
    expect(report.databases.map(({ name }) => name)).toEqual(NAMES);
    for (const { bytes, reads, days, full_at } of report.databases) {
      expect(bytes).toBeGreaterThan(10_000);
      expect({ reads, days, full_at }).toEqual({ reads: 0, days: 0, full_at: null });
    }
    expect(report.alarms).toEqual([]);
    // A measurement of one day says nothing about growth.
    expect(report.total).toMatchObject({ bytes_per_day: null, full_at: null });
    expect((await storageLines(app)).lines[0]).toContain("growth not known yet");
    // The database grew by a tenth of the remaining space on each of the last five days.
    const { bytes } = rowOf(report, "READS_2");
    const limit = Number(bytes) * 2;
    const perDay = Number(bytes) / 10;
    for (let i = 1; i <= 5; i++)
      await control(
        `INSERT INTO read_sizes (database, day, bytes)
          VALUES ('READS_2', ${utcDay(now) - i}, ${Math.round(Number(bytes) - perDay * i)})`,
      );
    const { full_at, bytes_per_day } = rowOf(await viewStorage(limited(limit)), "READS_2");
    expect(bytes_per_day).toBeCloseTo(perDay, 0);
    expect(Math.abs(Number(full_at) - (now + 10 * DAY))).toBeLessThan(DAY / 100);
  });

  it("are stored although the reads of a database cannot be counted, which is reported", async () => {
    const READS_0 = new Proxy(at(findReadsDatabases(bindings), 0).database, {
      get(database, name) {
        if (name === "prepare")
          return (text: string) => {
            if (text.startsWith("SELECT count(*)")) throw new Error("the count takes too long");
            return database.prepare(text);
          };
        const value: unknown = Reflect.get(database, name, database);
        return typeof value === "function" ? value.bind(database) : value;
      },
    });
    const app = testApp(() => now, { READS_0 });
    const problem: unknown = await measureStorage(app).catch((error: unknown) => error);
    expect(String(problem instanceof AggregateError && problem.errors)).toContain("the reads of READS_0");
    const report = await viewStorage(app);
    expect(rowOf(report, "READS_0")).toMatchObject({ bytes: expect.any(Number), reads: null });
    expect(rowOf(report, "READS_1")).toMatchObject({ bytes: expect.any(Number), reads: 0 });
  });

  it("raise an alarm at 70%: once in the log, and at /health as long as it lasts", async () => {
    await measureStorage(limited(1e10));
    const bytes = (await viewStorage(limited(1e10))).total.bytes / 4;
    const [roomy, tight] = [limited(Math.round(bytes / 0.69)), limited(Math.round(bytes / 0.71))];
    await control(
      "DELETE FROM job_runs",
      `INSERT INTO job_runs (job, since, last_ok_at) VALUES ('heartbeat', 0, ${now})`,
    );
    const well = await health(roomy);
    expect(well).toMatchObject({ isWell: true });
    expect(well.lines[0]).toBe("ok");
    expect(
      well.lines.filter((line) =>
        /^READS_\d: open, \d+ bytes \(\d\d%\), 0 reads, 0 days, growth not known yet$/.test(line),
      ),
    ).toHaveLength(4);
    const { isWell, lines } = await health(tight);
    expect(isWell).toBe(false);
    expect(lines[0]).toBe("storage is short");
    expect(lines[1]).toBe("storage: The space for reads is 71% full. Add a database.");
    expect((await healthData(tight)).storage).toEqual(["The space for reads is 71% full. Add a database."]);
    // The measurement that crosses the threshold is logged; later ones are not.
    await control("UPDATE read_databases SET bytes = 1");
    expectLogged(/^ALARM: The space for reads is 71% full/);
    await measureStorage(tight);
    const logged = loggedText();
    expect(logged).toMatch(/ALARM: The space for reads is 71% full/);
    await measureStorage(tight);
    expect(loggedText()).toBe(logged);
  });

  it("raise each alarm once in the log, also if no measurement caused it or another one ended", async () => {
    const day = utcDay(now);
    await measureStorage(limited(1e10));
    const bytes = (await viewStorage(limited(1e10))).total.bytes / 4;
    await control(
      `INSERT INTO read_places (day, part, database, placed_at) VALUES (${day}, 0, 'READS_2', 0)`,
    );
    const tight = (unbound: Record<string, undefined>) =>
      testApp(() => now, { STORAGE_LIMIT_BYTES: String(Math.round(bytes / 0.71)), ...unbound });
    expectLogged(/^ALARM: READS_2 has 1 days/, /^ALARM: The space for reads is/);
    const alarms = () =>
      loggedText()
        .split("\n")
        .filter((line) => line.startsWith("ALARM"));
    for (let run = 0; run < 2; run++)
      await expect(measureStorage(testApp(() => now, { READS_2: undefined }))).rejects.toThrow();
    expect(alarms()).toEqual([
      expect.stringMatching(/READS_2 has 1 days of reads, but its binding is missing/),
    ]);
    for (let run = 0; run < 2; run++) await measureStorage(tight({}));
    expect(alarms().slice(1)).toEqual([expect.stringMatching(/The space for reads is 71% full/)]);
    await measureStorage(limited(1e10));
    await measureStorage(tight({}));
    expect(alarms()).toHaveLength(3);
    // Alarms are no jobs.
    expect((await health(limited(1e10))).lines[0]).not.toContain("alarm");
  });

  it("raise no alarm for databases that get no new days", async () => {
    await measureStorage(limited(1e10));
    await control("UPDATE read_databases SET bytes = 9900000000, state = 'read-only' WHERE name = 'READS_1'");
    const report = await viewStorage(limited(1e10));
    expect(rowOf(report, "READS_1").fill).toBeCloseTo(0.99);
    expect(report.alarms).toEqual([]);
  });
});

describe("the owner", () => {
  const post = async (path: string, body?: unknown) => {
    const answer = await owner.fetch(path, body === undefined ? { method: "POST" } : jsonInit(body));
    return { status: answer.status, ...((await answer.json()) as { msg?: string; error?: string }) };
  };

  it("closes, opens and removes a database, and each step is in the audit log", async () => {
    expect(await post("/storage/READS_3/state", { state: "read-only" })).toMatchObject({ status: 200 });
    expect(await post("/storage/READS_3/state", { state: "read-only" })).toMatchObject({ status: 409 });
    expect(await post("/storage/READS_3/state", { state: "open" })).toMatchObject({ status: 200 });
    expect(await post("/storage/READS_3/remove")).toMatchObject({ status: 409 });
    await control("INSERT INTO read_places (day, part, database, placed_at) VALUES (1, 0, 'READS_3', 0)");
    expect(await post("/storage/READS_3/state", { state: "draining" })).toMatchObject({ status: 200 });
    expect(await post("/storage/READS_3/state", { state: "read-only" })).toMatchObject({ status: 200 });
    expect(await post("/storage/READS_3/remove")).toMatchObject({ status: 409 });
    await control("DELETE FROM read_places WHERE database = 'READS_3'");
    const removed = await post("/storage/READS_3/remove");
    expect(removed).toMatchObject({ status: 200 });
    expect(removed.msg).toMatch(/Delete its binding/);
    const rows = (await auditOf(world.users.owner, 20)).filter(({ action }) => action.startsWith("storage."));
    expect(rows.map(({ action, object }) => `${action} ${object}`)).toEqual([
      "storage.state READS_3",
      "storage.state READS_3",
      "storage.state READS_3",
      "storage.state READS_3",
      "storage.remove READS_3",
    ]);
    // Another database with the same number would reuse read ids.
    expect(await post("/storage/READS_3/state", { state: "open" })).toMatchObject({ status: 409 });
    const page = await (await owner.fetch("/storage")).text();
    expect(page).toContain("Delete its binding from wrangler.toml");
  });

  it("sees the progress and expected end of a drain, also at /health", async () => {
    await measureStorage(limited(1e10));
    expect(await post("/storage/READS_3/state", { state: "draining" })).toMatchObject({ status: 200 });
    await control(
      `UPDATE read_databases
        SET reads = 4000, moved_reads = 1000, state_at = ${now - 1000}, reads_counted_at = ${now}
        WHERE name = 'READS_3'`,
      "INSERT INTO read_places (day, part, database, placed_at) VALUES (1, 0, 'READS_3', 0)",
    );
    const app = limited(1e10);
    expect(rowOf(await viewStorage(app), "READS_3").drained_at).toBe(now + 3000);
    const { lines } = await health(app);
    const at = new Date(now + 3000).toISOString();
    expect(lines.find((line) => line.startsWith("READS_3: draining"))).toContain(
      `1000 reads moved, done about ${at}`,
    );
    // The total stays as first counted, because the number of moved reads is compared with it.
    await measureStorage(app);
    expect(rowOf(await viewStorage(app), "READS_3").reads).toBe(4000);
    const page = await (await owner.fetch("/storage")).text();
    expect(page).toContain("1,000 of about 4,000 reads moved");
    expect(page).toMatch(/Cancel drain/);
    expect(await post("/storage/READS_3/state", { state: "read-only" })).toMatchObject({ status: 200 });
    expect(rowOf(await viewStorage(app), "READS_3").drained_at).toBe(null);
  });

  it("cannot close the last open database, or an unknown one", async () => {
    for (const name of NAMES.slice(1))
      expect(await post(`/storage/${name}/state`, { state: "read-only" })).toMatchObject({ status: 200 });
    expect(await post("/storage/READS_0/state", { state: "read-only" })).toMatchObject({ status: 409 });
    expect(await post("/storage/READS_9/state", { state: "open" })).toMatchObject({ status: 404 });
    expect(await post("/storage/READS_0/state", { state: "removed" })).toMatchObject({ status: 400 });
  });
});
