import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAppContext } from "#app/context.ts";
import {
  checkAuditWriting,
  health,
  healthData,
  runWatched,
  watchJobs,
} from "#app/domain/operations/health.ts";
import { viewStatus } from "#app/domain/operations/status.ts";
import { auditNow } from "#app/domain/oversight/audit-act.ts";
import { CRONS, WATCHED_JOB_NAMES, WATCHED_JOBS, type WatchedJob } from "#app/entities/operations/health.ts";
import { healthAnswer } from "#app/http/responses.ts";
import { HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { runCron } from "../../../workers/scheduled.ts";
import { apiClient, bindings, newWorld, searchBody, testApp } from "../../factories.ts";
import { faultyD1 } from "../../support/faults.ts";
import { expectLogged, loggedText } from "../../support/quiet-console.ts";

const lifetime = { waitUntil: () => {} };
const ring = (cron: string) => runCron({ cron, scheduledTime: 0, noRetry: () => {} }, bindings, lifetime);

let now: number;
const app = () => testApp(() => now);
const asked = async () => {
  const answer = healthAnswer(await health(app()));
  // storage.test.ts tests the other lines, which are about the read databases.
  return `${answer.status} ${(await answer.text()).split("\n")[0]}`;
};
const everyJobRuns = async () => {
  for (const job of WATCHED_JOB_NAMES) await runWatched(app(), job, async () => {});
};
const fails = async () => {
  throw new Error("the bucket does not answer");
};

beforeEach(async () => {
  now = Date.parse("2027-01-05T12:00:00Z");
  await bindings.DB.prepare("DELETE FROM job_runs").run();
});

describe("monitoring of scheduled jobs", () => {
  it("covers exactly the jobs of all crons", async () => {
    for (const cron of Object.values(CRONS).flat()) await ring(cron);
    const { results } = await bindings.DB.prepare(
      "SELECT job FROM job_runs WHERE last_ok_at IS NOT NULL ORDER BY job",
    ).all<{ job: string }>();
    expect(results.map(({ job }) => job)).toEqual(WATCHED_JOB_NAMES.toSorted());
    now = Date.now();
    expect(await asked()).toBe("200 ok");
  });

  it("reports that no job runs before the first run, and three minutes after the last", async () => {
    expect(await asked()).toBe("503 late: heartbeat");
    await everyJobRuns();
    expect(await asked()).toBe("200 ok");
    now += 3 * MINUTE + 1;
    expect(await asked()).toBe("503 late: audit-writing, heartbeat");
    expect((await healthData(app())).late.map(({ job }) => job)).toEqual(["audit-writing", "heartbeat"]);
  });

  it.each(WATCHED_JOB_NAMES)("reports %s as late after its limit, not before", async (job) => {
    await everyJobRuns();
    now += WATCHED_JOBS[job].lateAfter;
    const late = async () => (await healthData(app())).late.map((one) => one.job);
    expect(await late()).not.toContain(job);
    now += 1;
    expect(await late()).toContain(job);
    await runWatched(app(), job, async () => {});
    expect(await late()).not.toContain(job);
  });

  it("raises one alarm per late job, even if checked repeatedly, and logs the recovery", async () => {
    const rounds = async (minutes: number, purge: () => Promise<void>) => {
      for (let i = 0; i < minutes; i++) {
        now += MINUTE;
        for (const job of WATCHED_JOB_NAMES)
          await runWatched(app(), job, job === "retention" ? purge : async () => {}).catch(() => {});
        await Promise.all([watchJobs(app()), watchJobs(app())]);
      }
    };
    await rounds(1, async () => {});
    expectLogged(/^ALARM: .* \(retention\)$/, /^Over: .* \(retention\)$/);
    await rounds(30, fails);
    expect(loggedText()).toBe("");
    await rounds(5, fails);
    expect(loggedText().match(/^ALARM/gm)).toHaveLength(1);
    expect(await asked()).toBe("503 late: retention");
    await rounds(2, async () => {});
    expect(loggedText().match(/^Over/gm)).toHaveLength(1);
    expect(await asked()).toBe("200 ok");
  });

  it("gives a health probe only the names of jobs and the sizes of databases", async () => {
    await everyJobRuns();
    now += 100 * HOUR;
    const answer = healthAnswer(await health(app()));
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    const [first = "", ...others] = (await answer.text()).trim().split("\n");
    expect(first.replace("late: ", "").split(", ")).toEqual(WATCHED_JOB_NAMES);
    for (const line of others) expect(line).toMatch(/^READS_\d: open, (\d+ bytes \(\d+%\)|not measured), /);
  });

  it("reports a database that does not answer, and repeats the alarm every minute", async () => {
    const faulty = faultyD1(bindings.DB, { random: () => 1, rate: 0 });
    faulty.kill();
    const dead = testApp(() => now, { DB: faulty.database });
    expect(await healthAnswer(await health(dead)).text()).toBe("late: database\n");
    expectLogged(/^ALARM: the control database does not answer/);
    for (let i = 0; i < 2; i++) await expect(watchJobs(dead)).rejects.toThrow();
    expect(loggedText().match(/^ALARM/gm)).toHaveLength(2);
  });
});

describe("the status of the installation", () => {
  it("names a damaged backup until another verification finds none", async () => {
    const damaged = "The backup that was verified last is damaged.";
    const verified = (outcome: "ok" | "failed") =>
      auditNow(app(), null, { agencyId: "", action: "backup.verify", outcome, detail: {} });
    expect((await viewStatus(app())).problems).not.toContain(damaged);
    await verified("failed");
    expect((await viewStatus(app())).problems).toContain(damaged);
    await verified("ok");
    expect((await viewStatus(app())).problems).not.toContain(damaged);
  });
});

describe("a deployment that is not complete", () => {
  const started = (over: Parameters<typeof testApp>[1]) => () => testApp(() => now, over);

  it("cannot start, and the error names everything that is missing, and nothing else", () => {
    expect(started({ SEALING_KEYS: "" })).toThrow(/^SEALING_KEYS must be set: see docs\/operations\.md$/);
    expect(started({ PASSWORD_PEPPER: "", EXPORT_SIGNING_KEYS: "" })).toThrow(
      /^PASSWORD_PEPPER, EXPORT_SIGNING_KEYS must be set/,
    );
    const { KEYS: _, WEBHOOKS: __, ...rest } = bindings;
    expect(() => createAppContext(rest as typeof bindings, { waitUntil: () => {} })).toThrow(
      /^KEYS, WEBHOOKS must be set/,
    );
  });

  it.each<["SEALING_KEYS" | "EXPORT_SIGNING_KEYS" | "PASSWORD_PEPPER", string]>([
    ["SEALING_KEYS", "1:@@@"],
    ["SEALING_KEYS", `1:${btoa("short")}`],
    ["SEALING_KEYS", btoa("0123456789abcdef0123456789abcdef")],
    ["EXPORT_SIGNING_KEYS", "MIGHAgEA"],
    ["PASSWORD_PEPPER", "1:same,1:same"],
    ["PASSWORD_PEPPER", "x".repeat(31)],
    ["PASSWORD_PEPPER", `1:${"x".repeat(32)},2:${"y".repeat(31)}`],
  ])("cannot start with a malformed %s, which the error names without its value: %s", (name, value) => {
    const start = () => createAppContext({ ...bindings, [name]: value }, { waitUntil: () => {} });
    expect(start).toThrow(new RegExp(`^${name} must (be|have) `));
    expect(start).not.toThrow(value);
  });

  it("starts with a former pepper that is short, since hashes made with it must still be verified", () => {
    for (const pepper of ["x".repeat(32), `1:short,2:${"x".repeat(32)}`])
      expect(started({ PASSWORD_PEPPER: pepper })().config.pepper).toBe(pepper);
  });

  it("names a key that cannot sign before the first export needs it", async () => {
    await everyJobRuns();
    const sec1 = "MHcCAQEEIJ6c8kJn0yXq5JkJm1o0l0Y0zv5T6JzJ0l0Y0zv5T6JzoAoGCCqGSM49AwEH";
    for (const key of ["AAAA", sec1]) {
      const app = testApp(() => now, { EXPORT_SIGNING_KEYS: `1:${key}` });
      expect((await health(app)).lines).toContain("misconfigured: EXPORT_SIGNING_KEYS");
      expect((await healthData(app)).misconfigured[0]?.problem).toBe(
        "EXPORT_SIGNING_KEYS: version 1 is not a P-256 key in PKCS #8. Nothing can be exported.",
      );
    }
    expect(testApp(() => now).misconfigured).toEqual([]);
  });
});

describe("settings that should be numbers", () => {
  const DEFAULTS = {
    sourceSlowMs: 4000,
    sourceDeadlineMs: 12_000,
    searchMaxReads: 200_000,
    backupDays: 30,
    storageLimitBytes: 10_000_000_000,
  };
  const configured = (settings: Parameters<typeof testApp>[1]) => testApp(() => now, settings);

  it("have their defaults and are named if they are something else", async () => {
    await everyJobRuns();
    const wrong = {
      SOURCE_SLOW_MS: "4 s",
      SOURCE_DEADLINE_MS: "-1",
      SEARCH_MAX_READS: "200,000",
      BACKUP_DAYS: "90 days",
      STORAGE_LIMIT_BYTES: "10 GB",
    };
    const app = configured(wrong);
    expect(app.config).toMatchObject(DEFAULTS);
    const { isWell, lines } = await health(app);
    expect(isWell).toBe(true);
    expect(lines).toContain(`misconfigured: ${Object.keys(wrong).join(", ")}`);
    expect((await healthData(app)).misconfigured[3]).toEqual({
      setting: "BACKUP_DAYS",
      problem: 'BACKUP_DAYS must be a number above 0, not "90 days". Odin uses 30.',
    });
  });

  it("have their defaults if they are empty, which is not a mistake", () => {
    const app = configured({
      SOURCE_SLOW_MS: "",
      SOURCE_DEADLINE_MS: "",
      SEARCH_MAX_READS: "",
      BACKUP_DAYS: "",
      STORAGE_LIMIT_BYTES: "",
    });
    expect(app.config).toMatchObject(DEFAULTS);
    expect(app.misconfigured).toEqual([]);
    expect(configured({ BACKUP_DAYS: "90", SOURCE_SLOW_MS: "1000" }).config).toMatchObject({
      backupDays: 90,
      sourceSlowMs: 1000,
    });
  });
});

describe("an audit log that accepts no row", () => {
  const TRIGGER = "full";
  afterEach(() => bindings.DB.prepare(`DROP TRIGGER IF EXISTS ${TRIGGER}`).run());

  it("makes searches fail with 503 at once and raises the alarm within a minute, until it accepts rows", async () => {
    const world = await newWorld();
    const officer = await apiClient(world.users.officer);
    await ring("* * * * *");
    now = Date.now();
    expect((await healthData(app())).late).toEqual([]);
    await bindings.DB.prepare(
      `CREATE TRIGGER ${TRIGGER} BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    ).run();
    expectLogged(
      /audit row could not be written/,
      /^the scheduled job audit-writing failed: .*the disk is full/,
      /^ALARM: .*\(audit-writing\)/,
      /^Over: .*\(audit-writing\)/,
    );
    const refused = await officer.post("/search-data", searchBody(world.agencies));
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("60");
    await expect(ring("* * * * *")).rejects.toThrow("1 jobs of");
    expect(loggedText()).toMatch(/^ALARM: .*audit-writing/m);
    now = Date.now();
    expect((await healthData(app())).late.map(({ job }) => job)).toContain<WatchedJob>("audit-writing");
    await bindings.DB.prepare(`DROP TRIGGER ${TRIGGER}`).run();
    await ring("* * * * *");
    expect(loggedText()).toMatch(/^Over: .*audit-writing/m);
    expect((await officer.post("/search-data", searchBody(world.agencies))).status).toBe(200);
  });

  it("raises an alarm if its rows are no longer protected from changes", async () => {
    const definition = await bindings.DB.prepare(
      "SELECT sql FROM sqlite_master WHERE name = 'audit_log_no_update'",
    ).first<string>("sql");
    await bindings.DB.prepare("DROP TRIGGER audit_log_no_update").run();
    await expect(checkAuditWriting(app())).rejects.toThrow("audit_log_no_update missing");
    await bindings.DB.prepare(definition ?? "").run();
    await checkAuditWriting(app());
  });

  it("is checked every minute without leaving a row", async () => {
    const rows = () => bindings.DB.prepare("SELECT max(seq) AS n FROM audit_log").first<number>("n");
    const numbers = () =>
      bindings.DB.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'audit_log'").first<number>("seq");
    const before = [await rows(), await numbers()];
    await ring("* * * * *");
    expect([await rows(), await numbers()]).toEqual(before);
  });
});
