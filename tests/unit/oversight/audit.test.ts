import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ChainedRow,
  chainStart,
  checkLinks,
  type LinkedRow,
  linkHash,
} from "#app/entities/oversight/audit-chain.ts";
import { type AuditRow, auditPlate, auditRange } from "#app/entities/oversight/audit-filter.ts";
import { AUDIT_SENTENCES, auditReason, auditSentence } from "#app/entities/oversight/audit-sentence.ts";
import { at } from "#app/lib/at.ts";
import { NO_ROW } from "./samples.ts";

const row = (over: Partial<ChainedRow>): ChainedRow => ({
  seq: 1,
  at: 1_790_000_000_000,
  agency_id: "hartford",
  user_id: "u1",
  username: "officer",
  session_id: "s1",
  ip: "192.0.2.1",
  user_agent: "",
  action: "search",
  outcome: "ok",
  object: "",
  plate: "ABC123",
  case_number: "",
  programs_queried: "Rekor",
  detail: "{}",
  ...over,
});

const FIELDS = [
  "seq",
  "at",
  "agency_id",
  "user_id",
  "username",
  "session_id",
  "ip",
  "user_agent",
  "action",
  "outcome",
  "object",
  "plate",
  "case_number",
  "programs_queried",
  "detail",
] as const satisfies readonly (keyof ChainedRow)[];

it("lists every field of a row", () => {
  expect([...FIELDS].sort()).toEqual(Object.keys(row({})).sort());
});

async function chainOf(rows: ChainedRow[]): Promise<LinkedRow[]> {
  const links: LinkedRow[] = [];
  let hash = await chainStart("hartford");
  for (const [index, one] of rows.entries()) {
    hash = await linkHash(hash, one);
    links.push({ link: { seq: one.seq, agencyId: "hartford", position: index + 1, hash }, row: one });
  }
  return links;
}

const check = async (links: LinkedRow[]) =>
  checkLinks({ links, previous: await chainStart("hartford"), position: 0 });

const anyRow = fc.record({
  at: fc.nat(),
  username: fc.string(),
  plate: fc.string(),
  detail: fc.string(),
  object: fc.string(),
});

describe("the chain over the audit log", () => {
  it("verifies unchanged rows, and reports the first changed row", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRow, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.constantFrom(...FIELDS.filter((name) => name !== "seq")),
        async (parts, pick, field) => {
          const links = await chainOf(parts.map((part, index) => row({ ...part, seq: (index + 1) * 3 })));
          expect((await check(links)).problem).toBeNull();
          const touched = pick % links.length;
          const { row: target } = at(links, touched);
          if (!target) throw new Error("the row is missing");
          const changed = field === "at" ? { at: target.at + 1 } : { [field]: `${target[field]}x` };
          const tampered = links.map((one, index) =>
            index === touched ? { ...one, row: { ...target, ...changed } } : one,
          );
          expect((await check(tampered)).problem?.seq).toBe(target.seq);
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(FIELDS)("covers %s of every row", async (field) => {
    const before = row({});
    const value = before[field];
    const changed = { ...before, [field]: typeof value === "number" ? value + 1 : `${value}x` };
    expect(await linkHash("previous", changed)).not.toBe(await linkHash("previous", before));
  });

  it("reports a row that was removed from the log, and the position of missing links", async () => {
    const links = await chainOf([row({ seq: 4 }), row({ seq: 7 }), row({ seq: 9 })]);
    const gone = links.map((one, index) => (index === 1 ? { ...one, row: null } : one));
    expect((await check(gone)).problem).toMatchObject({
      seq: 7,
      problem: "It was removed from the log.",
    });
    const cut = links.filter((_, index) => index !== 1);
    expect((await check(cut)).problem).toMatchObject({ seq: 9, position: 3 });
  });

  it("starts with a different hash for each agency, so that no row can move to another", async () => {
    expect(await chainStart("hartford")).not.toBe(await chainStart("new-haven"));
  });
});

const ACTIONS = Object.keys(AUDIT_SENTENCES);

describe("the sentence of a row", () => {
  const shown = (over: Partial<AuditRow>): AuditRow => ({ ...NO_ROW, ...over });
  it("names the service account only if it acted for the user", () => {
    const service = { service_account: { id: "sa1", name: "CAD" } };
    const of = (user: string, detail: object, outcome: AuditRow["outcome"] = "ok") =>
      auditSentence(
        shown({ user, outcome, action: "alert.view", plate: "ABC123", detail: JSON.stringify(detail) }),
      );
    expect(of("officer", service)).toBe("Viewed a hit on plate ABC123 (through the service account CAD)");
    expect(of("officer", { ...service, reason: "No." }, "refused")).toBe(
      "Tried to view a hit on plate ABC123: No. (through the service account CAD)",
    );
    expect(of("service:cad", service)).toBe("Viewed a hit on plate ABC123");
    expect(of("officer", {})).toBe("Viewed a hit on plate ABC123");
  });

  const query = {
    plate: "abc123",
    plate_state: "CT",
    vehicle_color: "silver",
    vehicle_make: "",
    start_time: "2026-11-13T12:00:00.000Z",
    end_time: "2026-11-20T12:00:00.000Z",
    justification: "Theft",
    purpose: "stolen-vehicle",
    filters: { top_rack: true, back_rack: false },
  };
  const agencies = ["a1", "a2", "b"];

  it.each(ACTIONS)("describes the action %s, for every outcome and any details", (action) => {
    fc.assert(
      fc.property(
        fc.constantFrom("ok", "refused", "failed"),
        fc.dictionary(
          fc.constantFrom("before", "after", "name", "kind", "plates", "reads", "reason", "user", "query"),
          fc.oneof(fc.jsonValue(), fc.constant({ name: "x" })),
        ),
        (outcome, detail) => {
          const sentence = auditSentence(shown({ action, outcome, detail: JSON.stringify(detail) }), "UTC");
          expect(sentence).toMatch(/^[A-Z]/);
          expect(sentence).not.toMatch(/undefined|\[object|NaN|\s\s|\s$/);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("has no double space if the details do not name the webhook that was turned off", () => {
    const row = shown({
      action: "outgoing-webhook.off",
      detail: JSON.stringify({ reason: "Status 410" }),
      object: "",
    });
    expect(auditSentence(row)).toBe("The outgoing webhook was turned off: Status 410");
  });

  it("is different for every action", () => {
    const sentences = ACTIONS.map((action) => auditSentence(shown({ action, plate: "ABC1" })));
    expect(sentences.filter((one, place) => sentences.indexOf(one) !== place)).toEqual([]);
  });

  it("states what was searched, over which range and where, and the given reason", () => {
    const row = shown({
      plate: "ABC123",
      case_number: "26-7",
      detail: JSON.stringify({ query, agencies, agency_count: 2 }),
    });
    expect(auditSentence(row)).toBe("Searched plate ABC123 (CT), silver, top rack, 7 days, 2 agencies");
    expect(auditReason(row)).toBe("“Theft”, Stolen vehicle or plate, case 26-7");
  });

  it("states the end of a range that ended before the search, in the viewer's zone", () => {
    const detail = JSON.stringify({
      query: { start_time: "2026-07-01T10:00:00Z", end_time: "2026-07-01T12:00:00Z" },
    });
    expect(auditSentence(shown({ detail }), "America/New_York")).toBe(
      "Searched any plate, 2 hours until 2026-07-01 08:00:00 EDT",
    );
  });

  it("states what was refused and why, and what failed", () => {
    const detail = JSON.stringify({
      query,
      agencies,
      agency_count: 2,
      reason: "Your agency requires a case number.",
    });
    expect(auditSentence(shown({ outcome: "refused", plate: "ABC123", detail }))).toBe(
      "Tried to search plate ABC123 (CT), silver, top rack, 7 days, 2 agencies: Your agency requires a case number.",
    );
    expect(
      auditSentence(
        shown({
          action: "integration.test",
          outcome: "failed",
          detail: '{"program":"Rekor","answer":"Timeout"}',
        }),
      ),
    ).toBe("Failed to test the Rekor integration: Timeout");
  });

  it("ignores details that are not a JSON object", () => {
    for (const detail of ["", "null", "7", "[", '"x"'])
      expect(auditSentence(shown({ detail }))).toBe("Searched any plate");
  });
});

describe("the filter", () => {
  it("converts the plate to upper case without spaces", () => {
    expect(auditPlate(" ab c12* ")).toBe("ABC12*");
  });

  it("reads ranges as whole days in the viewer's zone", () => {
    // 03:30 UTC on March 1 is still February 28 in Hartford.
    const now = Date.parse("2026-03-01T03:30:00Z");
    const zone = "America/New_York";
    expect(auditRange("today", now, zone)).toEqual({ start: "2026-02-28T00:00", end: "2026-02-28T23:59" });
    expect(auditRange("week", now, zone)).toEqual({ start: "2026-02-22T00:00", end: "2026-02-28T23:59" });
    expect(auditRange("month", now, zone)).toEqual({ start: "2026-01-01T00:00", end: "2026-01-31T23:59" });
    expect(auditRange("month", now, "UTC")).toEqual({ start: "2026-02-01T00:00", end: "2026-02-28T23:59" });
  });
});
