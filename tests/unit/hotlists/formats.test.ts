import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REASON_NEEDED } from "#app/entities/hotlists/entry.ts";
import { IMPORT_PRESETS, type ImportPreset } from "#app/entities/hotlists/import.ts";
import type { HotlistLayout } from "#app/entities/hotlists/layout.ts";
import { isSkipped, readRow } from "#app/entities/hotlists/layout-read.ts";
import { layoutOfPreset, recognize } from "#app/entities/hotlists/recognize.ts";
import { readFileStart } from "#app/entities/hotlists/sample.ts";
import type { FileRow } from "#app/entities/hotlists/words.ts";
import { notTextReason, RECORD_MAX_BYTES, readRecords } from "#app/lib/files/records.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const ZONE = "America/New_York";
const encoder = new TextEncoder();

type Row = { line: number; row?: FileRow; problem?: string };

/** Reads a whole file with one preset, or the recognized one, in blocks of `block` bytes. */
function readFile(preset: ImportPreset, text: string | Uint8Array, block = Number.POSITIVE_INFINITY) {
  const bytes = typeof text === "string" ? encoder.encode(text) : text;
  const { sample, newline, encoding } = readFileStart(bytes, true);
  const found: { layout?: HotlistLayout | undefined; problem?: string | undefined } =
    preset === "auto" ? { layout: recognize(sample)?.layout } : layoutOfPreset(preset, sample);
  const { layout, problem } = found;
  if (!layout) return { problem, rows: [], records: [] };
  const format = { newline, encoding, delimiter: layout.delimiter };
  const records = [];
  let cursor = { offset: 0, line: 1, skipping: false };
  while (cursor.offset < bytes.length) {
    const end = Math.min(bytes.length, cursor.offset + block);
    const read = readRecords({
      bytes: bytes.slice(cursor.offset, end),
      cursor,
      format,
      final: end === bytes.length,
    });
    records.push(...read.records);
    if (read.cursor.offset === cursor.offset) throw new Error("no progress");
    cursor = read.cursor;
  }
  const rows = records
    .slice(layout.header)
    .filter(({ fields, tooLong }) => tooLong || !isSkipped(layout, fields))
    .map(
      ({ fields, line, tooLong }): Row => ({
        line,
        ...(tooLong ? { problem: "too long" } : readRow(layout, fields, { now: NOW, zone: ZONE })),
      }),
    );
  return { problem: undefined, rows, records };
}

describe("layouts", () => {
  it("Odin's own template: reads all columns", () => {
    const { rows } = readFile(
      "odin",
      'plate,state,reason,notes,expiry,case number\r\nab-123,CT,"Stolen, twice","said ""hello""\nand left",2027-01-31,26-1\r\n',
    );
    expect(rows[0]).toMatchObject({
      line: 2,
      row: {
        entry: {
          plate: "AB123",
          state: "CT",
          reason: "Stolen, twice",
          notes: 'said "hello" and left',
          caseNumber: "26-1",
        },
      },
    });
  });

  it("Rekor Scout: reads the header, us-xx states and descriptions", () => {
    const { rows } = readFile(
      "rekor",
      "Plate Number,Description,State/Province\nAB-12 345,Stolen vehicle,us-ct\nXYZ987,,\n",
    );
    expect(rows).toMatchObject([
      { row: { entry: { plate: "AB12345", reason: "Stolen vehicle", state: "CT" } } },
      { row: { entry: { plate: "XYZ987", state: "" } } },
    ]);
    expect(readFile("rekor", "plate,state\nAB1,CT").problem).toContain(
      "Plate Number,Description,State/Province",
    );
  });

  it("Flock-style: reads states in lower snake case, ISO expiry and a note", () => {
    const { rows } = readFile(
      "flock",
      "plate,reason,caseNumber,state,expiry,note\nabc123,Stolen,26-9,new_york,2027-02-01T10:00:00Z,Blue\n",
    );
    expect(rows[0]).toMatchObject({
      row: {
        entry: { plate: "ABC123", state: "NY", caseNumber: "26-9", notes: "Blue" },
        expires: "2027-02-01T10:00:00.000Z",
      },
    });
  });

  it("Genetec: rejects the vendor's expired sample line and reads a later one, with and without a header", () => {
    expect(
      readFile("genetec", "Students;QC;DEF228;2012-01-31;2012-05-31;PermitID_1\n").rows[0],
    ).toMatchObject({ problem: "It has expired." });
    const expected = {
      row: { entry: { plate: "DEF228", state: "CA-QC", reason: "Students", notes: "PermitID_1" } },
    };
    expect(
      readFile("genetec", "Students;QC;DEF228;2012-01-31;2027-05-31;PermitID_1\n").rows[0],
    ).toMatchObject(expected);
    expect(
      readFile(
        "genetec",
        "Category;PlateState;PlateNumber;EffectiveDate;ExpiryDate;Notes\nStudents;QC;DEF228;2012-01-31;2027-05-31;PermitID_1\n",
      ).rows[0],
    ).toMatchObject(expected);
    expect(readFile("genetec", "S;CT;AB1;2030-01-01;2031-01-01;x\n").rows[0]).toMatchObject({
      problem: "It takes effect after today.",
    });
  });

  it("NCIC fixed width: reads the sample line of the NCIC reference", () => {
    const { rows } = readFile(
      "ncic",
      "HEADER OF THE EXTRACT\nV123456789LA057020020190509AB123456  CA2009MC2009YAMACYLMCBLK\n",
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      line: 2,
      row: {
        entry: {
          plate: "AB123456",
          state: "CA",
          reason: "Stolen vehicle",
          caseNumber: "V123456789",
          make: "Yamaha",
          color: "Black",
          bodyType: "Motorcycle",
          matchPolicy: "exact",
        },
      },
    });
    expect(rows[0]?.row?.entry.notes).toContain("ORI LA0570200, entered 2019-05-09");
  });

  it("NCIC: reads the zero that it writes for O as a letter in states and makes, as either in plates", () => {
    const line =
      "A165399977" +
      "0H0671200" +
      "20200124" +
      "GGX6708   " +
      "0H" +
      "2021" +
      "PC" +
      "2009" +
      "D0DG" +
      "CHA" +
      "4D" +
      "GRY";
    expect(readFile("ncic", `header\n${line}\n`).rows[0]?.row?.entry).toMatchObject({
      state: "OH",
      make: "Dodge",
      color: "Silver/Gray",
      matchPolicy: "lookalike",
      priority: "high",
      reason: "Amber alert",
    });
  });

  it("read states in any spelling, and NCIC's own codes in NCIC records", () => {
    const states = [
      "0H",
      "us-ct",
      "ca-on",
      "Ontario",
      "QC",
      "new_york",
      "mx-jal",
      "Nuevo León",
      "NB",
      "GE",
      "",
    ];
    const text = ["plate,reason,state", ...states.map((state, at) => `AB${at},x,${state}`)].join("\n");
    expect(readFile("odin", `${text}\n`).rows.map(({ row }) => row?.entry.state)).toEqual([
      "OH",
      "CT",
      "CA-ON",
      "CA-ON",
      "CA-QC",
      "NY",
      "MX-JAL",
      "MX-NLE",
      "CA-NB",
      "GE",
      "",
    ]);
    const record = (state: string) => `V123456789LA057020020190509AB123456  ${state}2009MC2009YAMACYLMCBLK`;
    const ncic = ["header", ...["NB", "NK", "0N", "PQ", "NL", "0H"].map(record)].join("\n");
    expect(readFile("ncic", `${ncic}\n`).rows.map(({ row }) => row?.entry.state)).toEqual([
      "NE",
      "CA-NB",
      "CA-ON",
      "CA-QC",
      "MX-NLE",
      "OH",
    ]);
  });

  it("Connecticut COLLECT: reads fixed-width lines of 202 characters", () => {
    const pad = (text: string, length: number) => text.padEnd(length);
    const line =
      pad("AB12345", 8) +
      pad("PASSENGER", 30) +
      pad("HONDA", 30) +
      pad("CIVIC", 30) +
      pad("4D", 30) +
      pad("BLUE", 30) +
      "2019" +
      pad("PRIVATE", 30) +
      "20270630" +
      "SU";
    expect(line).toHaveLength(202);
    expect(readFile("collect", `${line}\r\n`).rows[0]).toMatchObject({
      row: {
        expires: "",
        entry: { plate: "AB12345", state: "CT", make: "Honda", color: "Blue", reason: "COLLECT status SU" },
      },
    });
  });

  it("recognize column names of Vigilant, Genetec, Flock and NCIC in any order", () => {
    const files = [
      ["Hot Plate,State,Alert,Alert Level,Notes\nAB1234,CT,Stolen vehicle,High,Blue\n", "high"],
      ["Plate;State;Alert Type;Comments\nAB1234;CT;Stolen vehicle;Blue\n", "normal"],
      [
        "PlateNumber;PlateState;Category;ExpiryDate;Note\nAB1234;Connecticut;Stolen vehicle;2027-05-31;Blue\n",
        "normal",
      ],
      ["reason,plate,state,caseNumber,note\nStolen vehicle,AB1234,connecticut,26-1,Blue\n", "normal"],
      ["Plate,Description,Match Strategy,Notes\nAB1234,Stolen vehicle,exact,Blue\n", "normal"],
      ["LIC\tLIS\tVMA\tVCO\tReason\tRemarks\nAB1234\tCT\tHOND\tBLK\tStolen vehicle\tBlue\n", "normal"],
      ["Plate|State|Reason|Notes\nAB1234|CT|Stolen vehicle|Blue\n", "normal"],
      ["Plate:State:Reason:Notes\nAB1234:CT:Stolen vehicle:Blue\n", "normal"],
    ] as const;
    for (const [text, priority] of files) {
      const [row] = readFile("auto", text).rows;
      expect(row?.row?.entry, text).toMatchObject({
        plate: "AB1234",
        reason: "Stolen vehicle",
        notes: "Blue",
        priority,
      });
      if (!text.includes("Match")) expect(row?.row?.entry.state, text).toBe("CT");
    }
    expect(readFile("vigilant", "Plate,Notes\nAB1,x\n").problem).toContain("Vigilant");
  });

  it("read Canadian provinces and Mexican states by any name", () => {
    const text =
      "plate,state,reason\nAB1,Ontario,x\nAB2,ca-on,x\nAB3,CA-ON,x\nAB4,mx-jal,x\nAB5,0H,x\nAB6,new_york,x\n";
    expect(readFile("auto", text).rows.map(({ row }) => row?.entry.state)).toEqual([
      "CA-ON",
      "CA-ON",
      "CA-ON",
      "MX-JAL",
      "OH",
      "NY",
    ]);
  });

  it("give the same rows in every encoding, with any line endings and block size", () => {
    const encode = (text: string, encoding: string): Uint8Array => {
      if (encoding.startsWith("utf-8"))
        return encoder.encode(encoding === "utf-8 bom" ? `\ufeff${text}` : text);
      const marked = encoding.endsWith("bom") ? `\ufeff${text}` : text;
      const bytes = new Uint8Array(marked.length * 2);
      const view = new DataView(bytes.buffer);
      for (let i = 0; i < marked.length; i++)
        view.setUint16(i * 2, marked.charCodeAt(i), encoding.startsWith("utf-16le"));
      return bytes;
    };
    const encodings = ["utf-8", "utf-8 bom", "utf-16le", "utf-16le bom", "utf-16be", "utf-16be bom"];
    const cell = fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9 ]{1,12}$/),
      fc.constantFrom("Peña", "Côté", '"a, b"', '"said ""x"""', '"two\nlines"', "日本 🚗"),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.stringMatching(/^[A-Z]{2}[0-9]{4}$/), cell), { minLength: 1, maxLength: 40 }),
        fc.constantFrom(...encodings),
        fc.constantFrom("\n", "\r\n"),
        (rows, encoding, newline) => {
          const text = ["plate,reason", ...rows.map((row) => row.join(","))].join(newline);
          const expected = readFile("odin", text).rows;
          const bytes = encode(text, encoding);
          expect(readFile("odin", bytes).rows).toEqual(expected);
          expect(readFile("auto", bytes).rows).toEqual(expected);
        },
      ),
      { numRuns: 100 },
    );
    const long = `plate,reason\n${"AB1234,Peña 日本\n".repeat(9000)}`;
    for (const encoding of encodings)
      expect(readFile("odin", encode(long, encoding), 96 * 1024).rows).toHaveLength(9000);
    // Half a character at the end.
    const odd = new Uint8Array([...encode("plate,reason\nAB1,x\n", "utf-16le bom"), 65]);
    expect(readFile("odin", odd).rows).toHaveLength(1);
  });

  it("reject invalid plates, states and dates with a reason", () => {
    const { rows } = readFile(
      "odin",
      "plate,reason,state,expiry\n*,x,CT,\nA!,x,CT,\nAB1,x,Cali,\nAB1,x,CT,31/31/2027\nAB1,x,CT,2027-02-30\n,x,,\nAB1,x\n",
    );
    expect(rows.map((row) => row.problem !== undefined)).toEqual([true, true, true, true, true, true, false]);
  });

  it("of Odin and Flock require a reason in every row", () => {
    for (const preset of ["odin", "flock"] as const) {
      const { rows } = readFile(preset, "plate,reason\nAB1,Stolen\nAB2, \u200b\nAB3\n");
      expect(rows.map((row) => row.problem)).toEqual([undefined, REASON_NEEDED, REASON_NEEDED]);
    }
    expect(readFile("odin", "plate,reason,notes\nAB1,,Blue\n").rows[0]?.problem).toBe(REASON_NEEDED);
  });

  it("of vendors may have the reason in another column: topic, list name or notes", () => {
    const long = "x".repeat(320);
    const files = [
      ["flock", "License Plate,State,Topic,Notes\nAB1234,CT,Stolen vehicle,Blue\n", "Stolen vehicle", "Blue"],
      ["auto", "License Plate,State,Topic,Notes\nAB1234,CT,Stolen vehicle,Blue\n", "Stolen vehicle", "Blue"],
      ["flock", "plate,reason,caseNumber,state,expiry,note\nAB1234,,26-1,,,Blue\n", "Blue", ""],
      ["auto", "plate,caseNumber,state,expiry,note\nAB1234,26-1,connecticut,,Blue\n", "Blue", ""],
      ["vigilant", "Hot Plate,State,Alert,Notes\nAB1234,CT,,Watch\n", "Watch", ""],
      ["vigilant", "Hot List Name,Plate,State,Alert\nCT stolen,AB1234,CT,\n", "CT stolen", ""],
      ["vigilant", "Hot List Name,Plate,State,Alert\nCT stolen,AB1234,CT,Felony\n", "Felony", ""],
      ["vigilant", "Plate,State,Alert Level,Notes\nAB1234,CT,High,Watch\n", "Watch", ""],
      ["genetec", "PlateState;PlateNumber;Comments\nCT;AB1234;Lot 7\n", "Lot 7", ""],
      ["flock", `plate,state,reason,note\nAB1234,CT,${long},\n`, long.slice(0, 300), long.slice(300)],
    ] as const;
    for (const [preset, text, reason, notes] of files)
      expect(readFile(preset, text).rows[0]?.row?.entry, `${preset} ${text}`).toMatchObject({
        reason,
        notes,
      });
  });

  it("read every column of a reason or notes: the first that is not empty, and the others into the notes", () => {
    const { rows } = readFile(
      "auto",
      "Plate,State,Alert,Description,Notes,Comments\n" +
        "AB1,CT,Stolen,Armed and dangerous,Blue,Dented\n" +
        "AB2,CT,,Armed and dangerous,,Dented\n" +
        "AB3,CT,Stolen,,Blue,\n" +
        "AB4,CT,,,Blue,Dented\n" +
        "AB5,CT,Stolen,Stolen,,\n" +
        "AB6,CT,,,,\n",
    );
    expect(rows.map(({ row }) => row && [row.entry.reason, row.entry.notes])).toEqual([
      ["Stolen", "Blue Description Armed and dangerous, Comments Dented"],
      ["Armed and dangerous", "Dented"],
      ["Stolen", "Blue"],
      ["Blue", "Comments Dented"],
      ["Stolen", "Description Stolen"],
      undefined,
    ]);
    expect(rows[5]?.problem).toBe(REASON_NEEDED);
  });

  it("read further columns of any other field into the notes", () => {
    const { rows } = readFile(
      "auto",
      "Number,Plate,State,Reason,Make,Vehicle Make,Region\n7,AB1,CT,Stolen,Honda,Acura,\n",
    );
    expect(rows).toMatchObject([
      { row: { entry: { plate: "AB1", make: "Honda", notes: "Vehicle Make Acura" } } },
    ]);
  });

  it("of vendors without such a column need a reason from the user", () => {
    const files = [
      ["flock", "plate,caseNumber,state\nAB1234,26-1,CT\n"],
      ["vigilant", "Plate,State,Alert Level\nAB1234,CT,High\n"],
      ["genetec", "PlateState;PlateNumber;EffectiveDate;ExpiryDate\nCT;AB1234;2026-01-01;2027-12-31\n"],
    ] as const;
    for (const [preset, text] of files) {
      const { sample } = readFileStart(encoder.encode(text), true);
      expect(layoutOfPreset(preset, sample), preset).toEqual({ needsColumns: true });
      expect(recognize(sample), preset).toBeUndefined();
    }
  });
});

describe("records", () => {
  it("are the same for every block size", () => {
    const cell = fc.oneof(
      fc.stringMatching(/^[A-Z0-9 ]{0,8}$/),
      fc.constantFrom('"a,b"', '"x\ny"', '"q""q"', "Peña", "日本", ""),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 300 }),
        fc.constantFrom("\n", "\r\n"),
        fc.integer({ min: 0, max: 4000 }),
        (rows, newline, extra) => {
          const text = ["plate,state,reason", ...rows.map((row) => row.join(","))].join(newline);
          expect(readFile("odin", text, RECORD_MAX_BYTES + 1 + extra).records).toEqual(
            readFile("odin", text).records,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it("survive an unclosed quote, a 10 MB cell, and Latin-1", () => {
    const open = readFile("odin", `plate,reason\nAB1,"never closed\n${"CD2,x\n".repeat(20_000)}`, 128 * 1024);
    expect(open.rows.filter((row) => row.problem === "too long")).toHaveLength(1);
    expect(open.rows.length).toBeGreaterThan(15_000);
    const last = readFile("odin", 'plate,reason\nAB1,x\nBC2,"open\nCD2,x\n"DE3,x\nEF4,x');
    expect(last.rows.map(({ line, row, problem }) => [line, row?.entry.plate ?? problem])).toEqual([
      [2, "AB1"],
      [3, "BC2"],
      [6, "EF4"],
    ]);
    const ended = readFile("odin", 'plate,reason\nAB1,x\n"BC2,x\nCD2,x\n');
    expect(ended.rows.map(({ line, row, problem }) => [line, row?.entry.plate ?? problem])).toEqual([
      [2, "AB1"],
      [3, "too long"],
      [4, "CD2"],
    ]);
    const huge = readFile("odin", `plate,reason\nAB1,${"x".repeat(10_000_000)}\nCD2,y\n`, 512 * 1024);
    expect(huge.rows.map((row) => [row.line, row.problem ?? row.row?.entry.plate])).toEqual([
      [2, "too long"],
      [3, "CD2"],
    ]);
    const latin = new Uint8Array([...encoder.encode("plate,reason\nAB1,Pe"), 0xf1, ...encoder.encode("a\n")]);
    expect(readFile("odin", latin).rows[0]?.row?.entry.reason).toBe("Peña");
  });

  it("never throw, whatever the bytes and the preset", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 400 }),
        fc.constantFrom(...IMPORT_PRESETS.map(({ value }) => value)),
        (bytes, preset) => {
          readFile(preset, bytes);
          notTextReason(bytes);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("are refused with a reason if the file is not text", () => {
    expect(notTextReason(new Uint8Array([0x50, 0x4b, 3, 4]))).toContain("ZIP");
    expect(notTextReason(new Uint8Array([1, 0, 0, 7, 0]))).toBe("This is not a text file.");
    expect(notTextReason(encoder.encode("\ufeffplate,state"))).toBeUndefined();
    expect(readFile("odin", "\ufeffplate,reason\nAB1,Stolen").rows[0]?.row?.entry.plate).toBe("AB1");
  });
});
