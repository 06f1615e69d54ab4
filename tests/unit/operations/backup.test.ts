import { describe, expect, it } from "vitest";
import { BackupManifest, BackupVerifyRequest } from "#app/entities/operations/backup.ts";

const PART = { key: "rows/0001", rows: 2, bytes: 120, sha256: "aa" };
const TABLE = {
  name: "users",
  columns: [
    { name: "id", as: "plain" },
    { name: "key", as: "blob" },
    { name: "share", as: "real" },
  ],
  rows: 2,
  parts: [PART],
};
const MANIFEST = {
  format: 1,
  id: "2026-11-20",
  startedAt: 1_795_194_187_000,
  finishedAt: 1_795_194_190_000,
  startedBy: "schedule",
  keyVersion: 3,
  rows: 2,
  bytes: 240,
  objects: 1,
  databases: [{ name: "CONTROL", sequences: { users: 2 }, tables: [TABLE] }],
  buckets: [{ name: "AUDITS", objects: 1, parts: [PART] }],
};

const isAccepted = (over: object) => BackupManifest.safeParse({ ...MANIFEST, ...over }).success;
const database = (over: object) => ({ databases: [{ ...MANIFEST.databases[0], ...over }] });

describe("the manifest of a backup", () => {
  it("lists the databases with their tables and parts, and the buckets with theirs", () => {
    expect(BackupManifest.parse(MANIFEST)).toEqual(MANIFEST);
  });

  it.each([
    [{ format: 2 }],
    [{ id: undefined }],
    [{ startedAt: 0.5 }],
    [{ finishedAt: null }],
    [{ startedBy: 1 }],
    [{ keyVersion: "3" }],
    [{ rows: 1.5 }],
    [{ databases: {} }],
    [{ buckets: [{ name: "AUDITS", objects: 1, parts: [{ ...PART, sha256: undefined }] }] }],
    [{ buckets: [{ name: "AUDITS", parts: [] }] }],
    [database({ sequences: { users: "2" } })],
    [database({ tables: [{ ...TABLE, columns: [{ name: "id", as: "text" }] }] })],
    [database({ tables: [{ ...TABLE, rows: undefined }] })],
  ])("is refused with %j", (over) => {
    expect(isAccepted(over)).toBe(false);
  });
});

describe("the verification of a backup", () => {
  it("starts at the first part by default, and never before it", () => {
    expect(BackupVerifyRequest.parse({})).toEqual({ after: 0 });
    expect(BackupVerifyRequest.parse({ after: 7 })).toEqual({ after: 7 });
    expect(BackupVerifyRequest.safeParse({ after: -1 }).success).toBe(false);
    expect(BackupVerifyRequest.safeParse({ after: 0.5 }).success).toBe(false);
  });
});
