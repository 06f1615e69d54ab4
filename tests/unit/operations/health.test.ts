import { describe, expect, it } from "vitest";
import {
  CRONS,
  type JobRun,
  lateJobs,
  nextRun,
  WATCHED_JOB_NAMES,
  WATCHED_JOBS,
} from "#app/entities/operations/health.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (text: string) => Date.parse(`2026-11-20T${text}Z`);

describe("the next run of a scheduled job", () => {
  it.each([
    ["minute", "12:34:00.000", "2026-11-20T12:35:00.000Z"],
    ["minute", "12:34:00.001", "2026-11-20T12:35:00.000Z"],
    ["minute", "12:34:59.999", "2026-11-20T12:35:00.000Z"],
    ["minute", "23:59:30.000", "2026-11-21T00:00:00.000Z"],
    ["fiveMinutes", "12:34:59.999", "2026-11-20T12:35:00.000Z"],
    ["fiveMinutes", "12:35:00.000", "2026-11-20T12:40:00.000Z"],
    ["fiveMinutes", "12:36:00.000", "2026-11-20T12:40:00.000Z"],
    ["retention", "12:36:00.000", "2026-11-20T12:41:00.000Z"],
    ["retention", "12:56:00.000", "2026-11-20T13:01:00.000Z"],
    ["recordRetention", "23:54:59.999", "2026-11-20T23:59:00.000Z"],
    ["recordRetention", "23:59:00.000", "2026-11-21T00:04:00.000Z"],
    ["figures", "12:34:59.999", "2026-11-20T12:35:00.000Z"],
    ["figures", "12:35:00.000", "2026-11-20T12:45:00.000Z"],
    ["figures", "12:59:00.000", "2026-11-20T13:05:00.000Z"],
    ["axon", "12:34:59.999", "2026-11-20T12:35:00.000Z"],
    ["drain", "12:35:00.000", "2026-11-20T12:36:00.000Z"],
    ["review", "23:59:30.000", "2026-11-21T00:00:00.000Z"],
    ["day", "00:00:00.000", "2026-11-20T07:15:00.000Z"],
    ["day", "07:14:59.999", "2026-11-20T07:15:00.000Z"],
    ["day", "07:15:00.000", "2026-11-21T07:15:00.000Z"],
    ["day", "23:59:59.999", "2026-11-21T07:15:00.000Z"],
  ] as const)("of every %s after %s is at %s", (cron, time, next) => {
    expect(new Date(nextRun(CRONS[cron], at(time))).toISOString()).toBe(next);
  });
});

describe("the cron expressions of a job that runs every minute", () => {
  /** The minutes of an hour that an expression names, by the list of its values. */
  const minutesOf = (cron: string) => {
    const [, from = "0", step = "1"] = /^(?:\*|(\d+)-59)(?:\/(\d+))? \* \* \* \*$/.exec(cron) ?? [];
    return Array.from({ length: 60 }, (_, minute) => minute).filter(
      (minute) => minute >= Number(from) && (minute - Number(from)) % Number(step) === 0,
    );
  };

  it.each(["minute", "axon", "drain", "review", "pictures"] as const)(
    "of %s name each minute once",
    (name) => {
      expect(CRONS[name].flatMap(minutesOf).toSorted((a, b) => a - b)).toEqual(minutesOf("* * * * *"));
    },
  );

  it("differ from all others", () => {
    const all = Object.values(CRONS).flat();
    const meanings = all.map((cron) => (cron.includes(" * * * *") ? minutesOf(cron).join() : cron));
    expect(new Set(meanings).size).toBe(all.length);
  });
});

describe("the jobs of many queries", () => {
  it("share a cron expression with no other job", () => {
    const alone = [
      "alert-pictures",
      "retention",
      "audit-archiving",
      "alert-archiving",
      "record-retention",
      "figures",
    ] as const;
    for (const job of alone) {
      const crons: readonly string[] = WATCHED_JOBS[job].crons;
      const sharing = WATCHED_JOB_NAMES.filter((name) =>
        WATCHED_JOBS[name].crons.some((cron) => crons.includes(cron)),
      );
      expect(sharing).toEqual([job]);
    }
  });
});

describe("a scheduled job", () => {
  const now = at("12:00:00");
  const run = (over: Partial<JobRun>): JobRun => ({
    job: "heartbeat",
    since: now - 100 * HOUR,
    lastOkAt: now,
    lastFailureAt: null,
    ...over,
  });
  const isLate = (over: Partial<JobRun>) => lateJobs([run(over)], now).length > 0;

  it.each([
    ["audit-writing", 3 * MINUTE],
    ["audit-sealing", 5 * MINUTE],
    ["audit-anchoring", 30 * MINUTE],
    ["heartbeat", 3 * MINUTE],
    ["alert-sweep", 5 * MINUTE],
    ["retention", 30 * MINUTE],
    ["backup", 26 * HOUR],
    ["camera-list", 50 * HOUR],
  ])("%s is late when its last success is more than %i ms ago", (job, most) => {
    expect(isLate({ job, lastOkAt: now - most })).toBe(false);
    expect(isLate({ job, lastOkAt: now - most - 1 })).toBe(true);
  });

  it("that never succeeded is late by the time since when it is watched", () => {
    expect(isLate({ lastOkAt: null, since: now - 3 * MINUTE })).toBe(false);
    expect(isLate({ lastOkAt: null, since: now - 3 * MINUTE - 1 })).toBe(true);
  });

  it("that succeeded is not late by the time since when it is watched", () => {
    expect(isLate({ lastOkAt: now - 1, since: now - 100 * HOUR })).toBe(false);
  });

  it.each([
    [now - 2, now - 1, true],
    [now - 1, now - 2, false],
    [now - 1, now - 1, false],
    [now - 1, null, false],
    [null, now - 1, true],
    [null, null, false],
  ])(
    "that writes the audit log, last ok at %s and failed at %s, raises the alarm: %s",
    (ok, failure, late) => {
      expect(isLate({ job: "audit-writing", since: now, lastOkAt: ok, lastFailureAt: failure })).toBe(late);
    },
  );

  it("of another kind is not late because it failed once", () => {
    expect(isLate({ job: "audit-sealing", lastOkAt: now - 2, lastFailureAt: now - 1 })).toBe(false);
  });

  it("is listed by the order of the jobs, and ignored without a row or by an unknown name", () => {
    expect(lateJobs([], now)).toEqual([]);
    const late = { lastOkAt: now - 100 * HOUR };
    const runs = ["backup", "no-such-job", "heartbeat", "audit-writing"].map((job) => run({ job, ...late }));
    expect(lateJobs(runs, now)).toEqual(["audit-writing", "heartbeat", "backup"]);
  });
});
