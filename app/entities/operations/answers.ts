/** Response schemas of the operations endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { described, named } from "#app/lib/json/named-schema.ts";

export const BackupSummary = named(
  "BackupSummary",
  z.object({
    id: z.string(),
    state: z.enum(["failed", "running", "cancelled", "finished"]),
    phase: z.string(),
    started_at: z.number(),
    started_by: z.string(),
    finished_at: z.nullable(z.number()),
    rows: z.number(),
    bytes: z.number(),
    objects: z.number(),
    key_version: z.number(),
    message: z.string(),
    removed: described("Its files were removed: it was too old, or never finished.", z.boolean()),
  }),
  "A run as the screen and the command show it.",
);

export const BackupList = named(
  "BackupList",
  z.object({
    runs: z.array(BackupSummary),
    newest: described(
      "Start of the newest finished backup that still has its files.",
      z.nullable(z.number()),
    ),
    late: described("Whether that one is older than BACKUP_LATE_MS.", z.boolean()),
    kept_days: z.number(),
    images: described(
      "While the images of a restored backup are copied back: no backup begins meanwhile.",
      z.nullable(z.object({ done: z.number(), total: z.number(), failing: z.boolean() })),
    ),
  }),
);

export const BackupCheck = named(
  "BackupCheck",
  z.object({
    checked: z.number(),
    total: z.number(),
    next: z.nullable(z.number()),
    rows: z.number(),
    objects: z.number(),
    missing: described("Listed objects that were purged since, as required.", z.number()),
    problem: z.nullable(z.string()),
  }),
  "The progress of a verification. `next` is null at the end.",
);

const RestorableBackup = named(
  "RestorableBackup",
  z.object({
    id: z.string(),
    bytes: described("The size of its parts in R2.", z.number()),
    finishedAt: z.number(),
    rows: z.number(),
    startedAt: z.number(),
    keyVersion: z.number(),
    objects: z.number(),
  }),
);

export const Restorable = z.array(RestorableBackup);

export const RestoreReport = named(
  "RestoreReport",
  z.object({
    state: z.enum(["failed", "running", "cancelled", "finished"]),
    phase: z.enum(["keys", "check", "rows", "count", "objects", "finished", "clear", "indexes"]),
    done: z.number(),
    total: z.number(),
    rows: z.number(),
    objects: z.number(),
    missing: z.number(),
    skipped: z.record(z.string(), z.number()),
    message: z.string(),
  }),
  "The progress of a restore.",
);

const LateJob = named(
  "LateJob",
  z.object({ job: z.string(), label: z.string(), last_ok_at: z.nullable(z.number()) }),
  "GET /health-data: a late job, its label and its last success.",
);

const Misconfigured = named(
  "Misconfigured",
  z.object({ setting: z.string(), problem: z.string() }),
  "An invalid setting, which turns its feature off.",
);

export const HealthData = named(
  "HealthData",
  z.object({ late: z.array(LateJob), misconfigured: z.array(Misconfigured), storage: z.array(z.string()) }),
);

export const KeysRotated = named(
  "KeysRotated",
  z.object({
    version: described("The key version that everything is moved to.", z.number()),
    resealed: described(
      "Secrets that this call moved, that wait for another call, and that no key opens.",
      z.number(),
    ),
    remaining: z.number(),
    unreadable: z.number(),
  }),
);

const FailedJobSummary = named(
  "FailedJobSummary",
  z.object({
    id: z.string(),
    type: described(
      "`alert`, `export` and so on. `unreadable` for a message in no known form, which can only be discarded.",
      z.string(),
    ),
    queue: z.string(),
    attempts: z.number(),
    at: z.number(),
  }),
  "A job that the queue gave up on, without its content.",
);

export const FailedSendsSummary = named(
  "FailedSendsSummary",
  z.object({
    channel: z.enum(["apns", "webpush"]),
    reason: z.string(),
    count: z.number(),
    attempts: z.number(),
    oldest: z.number(),
    newest: z.number(),
  }),
  "Failed sends, by channel and reason.",
);

export const FailedJobs = named(
  "FailedJobs",
  z.object({
    jobs: z.array(FailedJobSummary),
    jobs_total: z.number(),
    sends: z.array(FailedSendsSummary),
    reads_to_tag: described(
      "Stored reads that searches find only slowly until a scheduled job has tagged them again.",
      z.number(),
    ),
  }),
);

export const FailedJobsDone = named(
  "FailedJobsDone",
  z.object({ msg: z.string(), jobs: z.number(), sends: z.number() }),
);

export const StoredDatabase = named(
  "StoredDatabase",
  z.object({
    name: described("The binding, for example `READS_3`.", z.string()),
    state: z.enum(["removed", "open", "read-only", "draining"]),
    bound: described("Whether the binding exists in this deployment.", z.boolean()),
    bytes: described("The last measurement; null before the first one.", z.nullable(z.number())),
    measured_at: z.nullable(z.number()),
    reads: described("Reads are counted once a day.", z.nullable(z.number())),
    reads_counted_at: z.nullable(z.number()),
    days: described("Days of which it has a part.", z.number()),
    leaving: described(
      "Parts of days that moved away and whose former rows are not deleted yet, and parts that are being copied here.",
      z.number(),
    ),
    arriving: z.number(),
    moved_reads: described("Reads moved away since the drain began.", z.number()),
    note: described("What a drain waits for; empty if nothing.", z.string()),
    drained_at: described(
      "When a drain ends at its speed so far; null if there is none or nothing is known yet.",
      z.nullable(z.number()),
    ),
    fill: described("0 to 1, or null before the first measurement.", z.nullable(z.number())),
    bytes_per_day: described(
      "How much it grew per day of the last week; null until it was measured on two days.",
      z.nullable(z.number()),
    ),
    full_at: described("When it is full at this rate; null if it is not.", z.nullable(z.number())),
    removable: described("It takes no days and has no reads: it can be removed.", z.boolean()),
  }),
);

export const StorageReport = named(
  "StorageReport",
  z.object({
    databases: z.array(StoredDatabase),
    limit_bytes: z.number(),
    total: described(
      "The totals of the databases that take new days.",
      z.object({
        bytes: z.number(),
        limit_bytes: z.number(),
        fill: z.number(),
        bytes_per_day: z.nullable(z.number()),
        full_at: z.nullable(z.number()),
      }),
    ),
    alarm_at: described("Share of the space from which the alarm is raised.", z.number()),
    alarms: described("What needs attention, as sentences; empty if nothing.", z.array(z.string())),
  }),
);
