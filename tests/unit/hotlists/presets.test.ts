import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IMPORT_PRESETS } from "#app/entities/hotlists/import.ts";
import { isSkipped, readRow } from "#app/entities/hotlists/layout-read.ts";
import { layoutProblem } from "#app/entities/hotlists/mapping.ts";
import { Layout } from "#app/entities/hotlists/mapping-calls.ts";
import { isPositionalPreset, type PositionalPreset, PRESETS } from "#app/entities/hotlists/presets.ts";
import { layoutOfPreset, recognize } from "#app/entities/hotlists/recognize.ts";
import { readFileStart } from "#app/entities/hotlists/sample.ts";
import type { RowRead } from "#app/entities/hotlists/words.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const ZONE = "America/New_York";

function read(preset: PositionalPreset | "auto", text: string): RowRead[] {
  const { sample } = readFileStart(new TextEncoder().encode(text), true);
  const layout = preset === "auto" ? recognize(sample)?.layout : layoutOfPreset(preset, sample).layout;
  if (!layout) throw new Error("not recognized");
  return sample(layout.delimiter)
    .slice(layout.header)
    .filter((fields) => !isSkipped(layout, fields))
    .map((fields) => readRow(layout, fields, { now: NOW, zone: ZONE }));
}

const labelOf = (text: string) =>
  recognize(readFileStart(new TextEncoder().encode(text), true).sample)?.label;

/** The facts in a generated line. */
type Facts = { plate: string; state: string; year: string; id: string };

const pad = (text: string, length: number) => text.padEnd(length).slice(0, length);
const ncic = ({ plate, state, year, id }: Facts, color = "BLK") =>
  `V${id}CT0001234${"20250607"}${pad(plate, 10)}${state}${year}PC${year}HONDCIV4D${color}`;

type Sample = {
  /** Returns a line of the file. */
  line: (facts: Facts) => string;
  reason: string;
  /** Other expected fields of the entry. */
  entry?: Record<string, string>;
  /** Texts that its notes contain. */
  notes?: string[];
  header?: string[];
  footer?: string[];
  /** The state of every line. */
  state?: string;
};

const HONDA = { make: "Honda", color: "Black" };

/** One synthetic line for each layout. */
const SAMPLES: Record<Exclude<PositionalPreset, "simple">, Sample> = {
  genetec: {
    line: ({ plate, state }) => `Permit;${state};${plate};2020-01-31;2030-05-31;Lot 7`,
    reason: "Permit",
    notes: ["Lot 7"],
  },
  ncic: {
    line: (facts) => ncic(facts),
    reason: "Stolen vehicle",
    entry: HONDA,
    notes: ["ORI CT0001234", "entered 2025-06-07", "vehicle", "HOND CIV 4D BLK"],
    header: ["VEHICLE EXTRACT 20261120"],
  },
  "ncic-wa": {
    line: ({ plate, state, year, id }) =>
      `21V${id.slice(0, 7)}WA0001234${"20250607"}${pad(plate, 10)}${state}${year}PC`,
    reason: "Stolen vehicle",
    notes: ["ORI WA0001234", "plate type PC"],
    header: ["WACIC EXTRACT"],
  },
  michigan: {
    line: (facts) => `${pad(ncic(facts, "BLK"), 65)}STOLEN PLATE MI`,
    reason: "STOLEN PLATE MI",
    entry: HONDA,
    notes: ["entered 2025-06-07"],
  },
  "new-jersey": {
    line: ({ plate, state, year }) =>
      `${pad("S", 27)}${pad(plate, 10)}${state}${pad("", 6)}${year}HONDCIV04BLK`,
    reason: "Suspended owner",
    entry: HONDA,
  },
  collect: {
    line: ({ plate, year }) =>
      [
        pad(plate, 8),
        pad("Passenger", 30),
        pad("Honda", 30),
        pad("Civic", 30),
        pad("4D", 30),
        pad("Black", 30),
        year,
        pad("Regular", 30),
        "20270630",
        "EX",
      ].join(""),
    reason: "COLLECT status EX",
    entry: HONDA,
    notes: ["class Passenger", "Civic", "registration expires 2027-06-30"],
    state: "CT",
  },
  california: {
    line: ({ plate, state }) => `${pad(plate, 8)}${state}3420250607`,
    reason: "California DOJ stolen or felony list",
    notes: ["county 34", "date of loss 2025-06-07"],
    header: ["DATE 20261120"],
    footer: ["TOTAL RECORD COUNT 00012"],
  },
  colorado: {
    line: ({ plate, state, year }) =>
      `${pad(plate, 10)}${state}${pad("Felony Warrant", 22)}${year} HOND CIV BLK`,
    reason: "Felony Warrant",
    notes: ["HOND CIV BLK"],
    header: ["CCIC LIST OF 11/20/2026"],
  },
  "illinois-leads": {
    line: ({ plate, state, year, id }) =>
      `${pad(plate, 8)}${state}PCSTOLEN VYR/${year.slice(2)} VMA/HOND VMO/CIV VST/4D VCO/BLK     DOT/060725 LDS/V${id.slice(0, 7)}`,
    reason: "Stolen vehicle",
    entry: HONDA,
    notes: ["plate type PC", "HOND CIV 4D BLK"],
  },
  "illinois-sos": {
    line: ({ plate, state }) => `${pad(plate, 9)}${state}PCSUSPEND DOT/060725 EXP/0727`,
    reason: "SUSPEND",
    notes: ["DOT/060725 EXP/0727"],
  },
  "new-york": {
    line: ({ plate, state }) => `${pad(plate, 10)}${state}PASWHONDBLK`,
    reason: "Wanted person",
    entry: HONDA,
    header: ["NYSPIN EXTRACT FOR 2026-11-20"],
  },
  kansas: {
    line: ({ plate, state, year }) =>
      `${plate} ${state}#3 STOLEN PLATE! PC ${year}HONDCIVBLKKS0010300 20250607`,
    reason: "STOLEN PLATE",
    notes: ["HONDCIVBLK"],
    header: ["KANSAS HOTLIST", "", "PLATES"],
  },
  alabama: {
    line: ({ plate, state, year, id }) =>
      `${plate},,V${id},HOND,,BLK,${year},Stolen Vehicle or Vehicle Part,${state}`,
    reason: "Stolen Vehicle or Vehicle Part",
    entry: HONDA,
    notes: ["record V"],
  },
  florida: {
    line: ({ plate, state, year }) =>
      `STOLEN VEHICLE;FL0001234;OCALA POLICE DEPARTMENT;26-77;;P1;P2;06/07/2025;N;06/07/2025 00:03:00;${plate};${year};${state};PC;06/08/2025 16:03:04`,
    reason: "STOLEN VEHICLE",
    entry: { caseNumber: "26-77" },
    notes: ["agency OCALA POLICE DEPARTMENT", "PCN P1"],
    header: ["TYPE;ORI;AGENCY;OCA;OAN;PCN;NCIC;D1;N;D2;T;Y;S;C;D3"],
  },
  "florida-license": {
    line: ({ plate, state, year }) =>
      `${plate},${state},EXPIRED DRIVER LICENSES - ,X1,05/14/2018,M,W,68,75,${year},BLK,HOND,7/9/2026 6:55:57 PM`,
    reason: "EXPIRED DRIVER LICENSES -",
    entry: HONDA,
  },
  "florida-sanctioned": {
    line: ({ plate, state, year }) =>
      `${plate},${state},SUSPENDED/REVOKED/CANCELLED LICENSE,X1,M,W,68,75,${year},BLK,HOND,7/9/2026 6:55:57 PM`,
    reason: "SUSPENDED/REVOKED/CANCELLED LICENSE",
    entry: HONDA,
  },
  "florida-offender": {
    line: ({ plate, state, year }) =>
      `${plate},${state},SEXUAL OFFENDERS/PREDATORS,A,B,C,M,W,68,75,X,${year},BLK,HOND,7/9/2026`,
    reason: "SEXUAL OFFENDERS/PREDATORS",
    entry: HONDA,
  },
  "florida-tag": {
    line: ({ plate, state }) => `${plate},${state},Expired Tag - BLK HOND,1,2`,
    reason: "Expired tag",
    entry: HONDA,
    notes: ["Expired Tag - BLK HOND"],
  },
  georgia: {
    line: ({ plate, state, year }) => `${pad(plate, 8)}${state}#9SUSPENDED,HOND,${year},CIVIC CIVIC,BLK  `,
    reason: "SUSPENDED",
    entry: HONDA,
    notes: ["CIVIC CIVIC"],
  },
  iowa: {
    line: ({ plate, state, year, id }) => `${pad(plate, 10)},${year},TK,${state},R${id},WP,IA0001234`,
    reason: "Wanted person",
    notes: ["plate type TK", "ORI IA0001234"],
  },
  indiana: {
    line: ({ plate, state, year }) =>
      `1,PAT,Q,DOE,02/21/1911,1-1,1 ELM ST,,BRAZIL,IN,47834,CLAY,REGULAR,HABITUAL TRAFFIC VIOLATOR,N,02/21/2027,${state},CIVIC,${year},PC,${plate}`,
    reason: "HABITUAL TRAFFIC VIOLATOR",
    notes: ["CIVIC"],
  },
  topeka: {
    line: ({ plate, state, year }) =>
      `W,KS0001234,20250607,${plate},${state},${year},PC,${year},HOND,CIV,4D,BLK`,
    reason: "Wanted person",
    entry: HONDA,
    notes: ["entered 2025-06-07"],
  },
  minnesota: {
    line: ({ plate, state, year, id }) =>
      `V${id},MN0001234,20250607,${plate},${state},${year},PC,${year},HOND,CIV,4D,BLK`,
    reason: "Stolen vehicle",
    entry: HONDA,
    notes: ["ORI MN0001234"],
  },
  ohio: {
    line: ({ plate, state, year, id }) =>
      `1 ${plate} ${state} 01/01/2027 06/07/2025 HOND CIV ${year} BLK M${id} P${id}`,
    reason: "Stolen plate",
    entry: HONDA,
    footer: ["SP2-1234: and to leave"],
  },
  "texas-ncic": {
    line: ({ plate, state, year, id }) =>
      `C${id},TX0001234,20250607,${plate},${state},${year},${year},HOND,CIV,4D,BLK`,
    reason: "Supervised release",
    entry: HONDA,
    notes: ["entered 2025-06-07"],
  },
  "texas-tcic": {
    line: ({ plate, state, year, id }) => `TP${id},${plate},${state},${year},HOND,CIV,4D,BLK`,
    reason: "Stolen plate",
    entry: HONDA,
  },
  "washington-stolen": {
    line: ({ plate, state, year }) =>
      `EVS,WA0001234,${plate},${state},2027,PC,1HGBH41JXMN109186,${year},HOND,CIV,4D,BLK,06/07/2025,26-1,CALL FIRST, BOTH PLATES`,
    reason: "Active stolen vehicle",
    entry: { ...HONDA, caseNumber: "26-1" },
    notes: ["CALL FIRST, BOTH PLATES", "VIN 1HGBH41JXMN109186"],
    header: ["ACTIVE STOLEN VEHICLES"],
  },
};

// States without the letter O, which NCIC writes as zero; plates of six characters fit every layout.
const facts = fc.record({
  plate: fc.stringMatching(/^[A-HJ-NP-Z]{2}[1-9]{4}$/),
  state: fc.constantFrom("CT", "NY", "MA", "TX", "KS", "WA"),
  year: fc.integer({ min: 1990, max: 2026 }).map(String),
  id: fc.stringMatching(/^[1-9]{9}$/),
});
const samples = Object.entries(SAMPLES);

describe("presets", () => {
  it.each(samples)("%s: reads the written lines, by preset name and by recognition", (name, sample) => {
    if (!isPositionalPreset(name)) throw new Error(`${name} is not a preset`);
    fc.assert(
      fc.property(
        fc.array(facts, { minLength: 1, maxLength: 12 }),
        fc.constantFrom("\n", "\r\n"),
        (rows, newline) => {
          const text = [...(sample.header ?? []), ...rows.map(sample.line), ...(sample.footer ?? [])].join(
            newline,
          );
          const label = IMPORT_PRESETS.find(({ value }) => value === name)?.label;
          expect(labelOf(text)).toBe(label);
          for (const found of [read(name, text), read("auto", text)]) {
            expect(found.map((one) => one.row?.entry.plate ?? one.problem)).toEqual(
              rows.map(({ plate }) => plate),
            );
            found.forEach(({ row }, n) => {
              expect(row?.entry).toMatchObject({
                state: sample.state ?? rows[n]?.state,
                reason: sample.reason,
                ...sample.entry,
              });
              for (const words of sample.notes ?? []) expect(row?.entry.notes).toContain(words);
            });
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("have a label each and pass the schema of saved mappings", () => {
    for (const [name, { layout }] of Object.entries(PRESETS)) {
      expect(IMPORT_PRESETS.map(({ value }) => value)).toContain(name);
      if (layoutProblem(layout) === undefined) expect(Layout.safeParse(layout).error, name).toBeUndefined();
    }
  });

  it("read every line of a file without a header, and report a damaged first line", () => {
    const [one, two] = [
      { plate: "AB1234", state: "CT", year: "2019", id: "123456789" },
      { plate: "CD5678", state: "NY", year: "2020", id: "987654321" },
    ] as const;
    expect(read("ncic", `${ncic(one)}\n${ncic(two)}\n`).map(({ row }) => row?.entry.plate)).toEqual([
      "AB1234",
      "CD5678",
    ]);
    // The first line lacks its date; plate and state are at their positions.
    const damaged = ncic(one).replace("20250607", "????????");
    expect(read("ncic", `${damaged}\n${ncic(two)}\n`)).toHaveLength(2);
    expect(read("ncic", `HEADER\n${ncic(one)}\n`)).toHaveLength(1);
  });

  it("read NCIC's zero for O in states and makes, also in columns", () => {
    const csv = "C165399977,0H0001234,20250607,GGX6708,0H,2021,2009,D0DG,CHA,4D,GRY";
    expect(read("auto", csv)[0]?.row?.entry).toMatchObject({
      plate: "GGX6708",
      state: "OH",
      make: "Dodge",
      matchPolicy: "lookalike",
    });
    expect(
      read("topeka", "V,NY03030P0,20250607,85TF66,0N,2021,MC,2005,YAMA,CYL,MC,BLK")[0]?.row?.entry,
    ).toMatchObject({
      state: "CA-ON",
      make: "Yamaha",
      bodyType: "Motorcycle",
    });
  });

  it("Illinois LEADS: reads persons, who have a name and number instead of a vehicle", () => {
    const line = `${pad("AB1234", 8)}ILPCWANTED ${pad("DOE/PAT M W 010180", 58)}LDS/P26A0001`;
    expect(read("illinois-leads", line)[0]?.row?.entry).toMatchObject({
      plate: "AB1234",
      reason: "Wanted person",
      caseNumber: "P26A0001",
      notes: expect.stringContaining("person DOE/PAT M W 010180"),
    });
  });

  it("Ohio LEADS: reads the list name of the state's own records", () => {
    const line = "1 AB1234 0H 01/01/2027 06/07/2025 HOND CIV 2019 BLK 0H STOLEN VEHICLE";
    expect(read("ohio", line)[0]?.row?.entry).toMatchObject({ state: "OH", reason: "0H STOLEN VEHICLE" });
  });

  it("Kansas: reads Canadian entries, plates without a space, and lines without a plate", () => {
    const found = read(
      "kansas",
      [
        "AB1234ON CANADIAN ENTRY - CHECK TK 2010FORDBLUON0010300 20250607",
        "CD5678KS#8 Registered Offender 20250607 2010 FORD F15 TK BLU KSRO KS0010300",
        "EF9012 KS#4 Suspended Passenger Lg 12 county",
        "NOTAG KS#3 STOLEN PLATE! PC KS0010300 20250607",
      ].join("\n"),
    );
    expect(found.map(({ row }) => [row?.entry.plate, row?.entry.state, row?.entry.reason])).toEqual([
      ["AB1234", "CA-ON", "Canadian entry"],
      ["CD5678", "KS", "Registered Offender"],
      ["EF9012", "KS", "Suspended Passenger Lg"],
    ]);
  });

  it("Florida expired tags: allows a missing color or make", () => {
    const found = read("florida-tag", "AB1234,FL,Expired Tag - BLK ,1\nCD5678,FL,Expired Tag -  HOND,1\n");
    expect(found.map(({ row }) => [row?.entry.color, row?.entry.make])).toEqual([
      ["Black", ""],
      ["", "Honda"],
    ]);
  });

  it("one plate per line: requires a reason from the user", () => {
    expect(labelOf("AB1234\nCD5678\n")).toBeUndefined();
    expect(isPositionalPreset("simple")).toBe(true);
    expect(layoutProblem(PRESETS.simple.layout)).toContain("reason");
    expect(layoutProblem({ ...PRESETS.simple.layout, reason: "Stolen" })).toBeUndefined();
    const layout = { ...PRESETS.simple.layout, reason: "Stolen", state: "CT" };
    expect(readRow(layout, ["ab-1234"], { now: NOW, zone: ZONE }).row?.entry).toMatchObject({
      plate: "AB1234",
      state: "CT",
      reason: "Stolen",
    });
  });

  it("recognize no file that matches no preset or two presets", () => {
    expect(labelOf("foo;bar\nbaz;qux\n")).toBeUndefined();
    expect(labelOf("1,AB1234,blue\n2,CD5678,red\n")).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 500 }), (bytes) => {
        recognize(readFileStart(bytes, true).sample);
      }),
      { numRuns: 200 },
    );
  });
});
