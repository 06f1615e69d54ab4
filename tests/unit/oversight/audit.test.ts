import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { auditParts } from "#app/components/oversight/audit/words.ts";
import {
  type ChainedRow,
  chainStart,
  checkLinks,
  type LinkedRow,
  linkHash,
} from "#app/entities/oversight/audit-chain.ts";
import { type AuditLogRow, auditPlate } from "#app/entities/oversight/audit-filter.ts";
import { at } from "#app/lib/at.ts";

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
  it("verifies unchanged rows, and names the first changed row", async () => {
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

  it("names a row that was removed from the log, and the position of missing links", async () => {
    const links = await chainOf([row({ seq: 4 }), row({ seq: 7 }), row({ seq: 9 })]);
    const gone = links.map((one, index) => (index === 1 ? { ...one, row: null } : one));
    expect((await check(gone)).problem).toMatchObject({
      seq: 7,
      problem: "The row was removed from the log.",
    });
    const cut = links.filter((_, index) => index !== 1);
    expect((await check(cut)).problem).toMatchObject({ seq: 9, position: 3 });
  });

  it("starts with a different hash for each agency, so that no row can move to another", async () => {
    expect(await chainStart("hartford")).not.toBe(await chainStart("new-haven"));
  });
});

describe("the parameters of a row", () => {
  const shown = (over: Partial<AuditLogRow>) =>
    auditParts({
      id: 1,
      user: "officer",
      user_name: "",
      user_agency: "",
      query_parameters: "{}",
      timestamp: "",
      programs_queried: "",
      action: "search",
      outcome: "ok",
      object: "",
      plate: "",
      case_number: "",
      ip: "",
      ...over,
    });

  it("shows non-empty parameters only", () => {
    const parts = shown({
      query_parameters: JSON.stringify({
        plate: "abc123",
        plate_state: "",
        justification: "Theft",
        purpose: "stolen-vehicle",
        filters: { top_rack: true, back_rack: false },
      }),
    });
    expect(parts).toEqual([
      { name: "plate", value: "abc123", isPlate: true },
      { name: "purpose", value: "Stolen vehicle or plate", isPlate: false },
      { name: "why", value: "Theft", isPlate: false },
      { name: "filters", value: "top rack", isPlate: false },
    ]);
  });

  it("ignores details that are not a JSON object", () => {
    for (const query_parameters of ["", "null", "7", "[", '"x"'])
      expect(shown({ query_parameters })).toEqual([]);
  });

  it("converts the plate filter to upper case without spaces", () => {
    expect(auditPlate(" ab c12* ")).toBe("ABC12*");
  });
});
