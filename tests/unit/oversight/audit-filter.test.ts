import { describe, expect, it } from "vitest";
import {
  AuditCursor,
  AuditExportRequest,
  AuditFilter,
  AuditPageRequest,
  AuditVerifyRequest,
  auditPlate,
  auditRange,
  NO_AUDIT_FILTER,
} from "#app/entities/oversight/audit-filter.ts";

const problemOf = (filter: object) => AuditFilter.safeParse(filter).error?.issues[0]?.message;

describe("the filter of the audit log", () => {
  it("asks for searches, at any time, of anyone, if it is empty", () => {
    const none = { start: "", end: "", plate: "", user: "", agency: "", case_number: "" };
    expect(AuditFilter.parse({})).toEqual({ acts: "searches", plate_match: "exact", ...none });
    expect(NO_AUDIT_FILTER).toEqual({ acts: "searches", plate_match: "contains", ...none });
  });

  it("is without spaces at the ends of its texts and times", () => {
    const spaced = {
      plate: " AB 1 ",
      user: " jo ",
      agency: " a ",
      case_number: " 26-7 ",
      start: " 2026-10-01 ",
    };
    expect(AuditFilter.parse(spaced)).toMatchObject({
      plate: "AB 1",
      user: "jo",
      agency: "a",
      case_number: "26-7",
      start: "2026-10-01",
    });
  });

  it.each([
    "searches",
    "views",
    "exports",
    "hotlists",
    "permissions",
    "sign-ins",
    "refusals",
    "audit",
    "all",
  ])("accepts the kind of acts %s", (acts) => {
    expect(AuditFilter.parse({ acts })).toMatchObject({ acts });
  });

  it.each([
    ["acts", "deletions"],
    ["plate_match", "starts"],
    ["plate", 7],
    ["start", null],
  ])("refuses an unknown value of %s: %j", (field, value) => {
    expect(AuditFilter.safeParse({ [field]: value }).success).toBe(false);
  });

  it.each([
    ["plate", 40],
    ["user", 200],
    ["agency", 100],
    ["case_number", 64],
  ])("has a %s of at most %d characters", (field, most) => {
    expect(AuditFilter.safeParse({ [field]: "x".repeat(most) }).success).toBe(true);
    expect(AuditFilter.safeParse({ [field]: "x".repeat(most + 1) }).success).toBe(false);
  });

  it.each(["", " ", "2026-10-01", "2026-10-01T23:59", "2026-10-01T12:00:00-04:00"])(
    "accepts %j as a time",
    (time) => {
      expect([problemOf({ start: time }), problemOf({ end: time })]).toEqual([undefined, undefined]);
    },
  );

  it.each(["yesterday", "2026-02-30", "2026-10-01T24:30"])("refuses %j as a time", (time) => {
    const message = "This is not a valid time.";
    expect([problemOf({ start: time }), problemOf({ end: time })]).toEqual([message, message]);
  });

  it.each([
    ["abc123", "ABC123"],
    ["  ab  c\t12* ", "ABC12*"],
    ["ab-c.１２", "ABC12"],
    ["", ""],
    [" ", ""],
  ])("compares the plate %j as %j", (plate, compared) => {
    expect(auditPlate(plate)).toBe(compared);
  });
});

describe("the requests about the audit log", () => {
  it("name a filter, and for another page the last row of the one before", () => {
    const filter = NO_AUDIT_FILTER;
    const after = { at: 5, seq: 7 };
    expect(AuditPageRequest.parse({ filter })).toEqual({ filter });
    expect(AuditPageRequest.parse({ filter, after })).toEqual({ filter, after });
    expect(AuditPageRequest.parse({ filter, after: null })).toEqual({ filter, after: null });
    expect(AuditPageRequest.safeParse({ after }).success).toBe(false);
    expect(AuditCursor.safeParse({ at: 5.5, seq: 7 }).success).toBe(false);
    expect(AuditExportRequest.parse({ filter, redacted: true })).toEqual({ filter, redacted: true });
    expect(AuditExportRequest.safeParse({ filter }).success).toBe(false);
  });

  it("verify from the first row of the user's agency, if they name nothing else", () => {
    expect(AuditVerifyRequest.parse({})).toEqual({ agency: "", after: 0 });
    expect(AuditVerifyRequest.parse({ agency: " a ", after: 9 })).toEqual({ agency: "a", after: 9 });
  });
});

describe("a range of the audit log", () => {
  it.each([
    ["today", "2026-01-03T12:00:00Z", "2026-01-03", "2026-01-03"],
    ["week", "2026-01-03T12:00:00Z", "2025-12-28", "2026-01-03"],
    ["month", "2026-01-03T12:00:00Z", "2025-12-01", "2025-12-31"],
    ["month", "2028-03-31T12:00:00Z", "2028-02-01", "2028-02-29"],
    ["month", "2026-12-31T23:59:59Z", "2026-11-01", "2026-11-30"],
  ] as const)("%s at %s is from %s to %s", (range, now, first, last) => {
    expect(auditRange(range, Date.parse(now), "UTC")).toEqual({
      start: `${first}T00:00`,
      end: `${last}T23:59`,
    });
  });
});
