import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EntryFields } from "#app/entities/hotlists/entry.ts";
import {
  filledFrom,
  type HotlistLayout,
  type LayoutField,
  type LayoutPart,
} from "#app/entities/hotlists/layout.ts";
import { isSkipped, partValue, placeText, readRow } from "#app/entities/hotlists/layout-read.ts";

const WHEN = { now: Date.UTC(2026, 10, 20, 12), zone: "America/New_York" };

/** A layout of separated columns whose parts are in the order of the columns. */
function columns(fields: (LayoutField | Omit<LayoutPart, "column">)[], more: Partial<HotlistLayout> = {}) {
  const parts = fields.map(
    (field, column): LayoutPart => ({ ...(typeof field === "string" ? { field } : field), column }),
  );
  return { kind: "delimited", delimiter: ",", header: 0, parts, ...more } satisfies HotlistLayout;
}

const read = (layout: HotlistLayout, ...fields: string[]) => readRow(layout, fields, WHEN);
const entryOf = (layout: HotlistLayout, ...fields: string[]) => read(layout, ...fields).row?.entry;
const value = (part: Omit<LayoutPart, "field">, ...fields: string[]) =>
  partValue({ field: "reason", ...part }, fields, ",");

describe("the text at a place", () => {
  it.each([
    [{ column: 1 }, "  CT "],
    [{ column: 2 }, ""],
    [{}, "AB12  "],
    [{ from: 2 }, "12  "],
    [{ from: 0 }, "AB12  "],
    [{ to: 0 }, ""],
    [{ from: 2, to: 5 }, "12 "],
    // Negative positions count from the last character that is not a space.
    [{ from: -2 }, "12"],
    [{ to: -1 }, "AB1"],
    [{ from: 1, to: -1 }, "B1"],
  ])("%j is %j", (place, expected) => {
    expect(placeText(place, ["AB12  ", "  CT "])).toBe(expected);
  });
});

describe("the value of a part", () => {
  it.each([
    ['="012345"', "012345"],
    [' ="26-1044" ', "26-1044"],
    ['=""', ""],
    ["'012345", "012345"],
    ["'=1+1", "=1+1"],
    ["'Stolen' by owner", "'Stolen' by owner"],
    ["'", "'"],
    ["O'Hara", "O'Hara"],
    ['=SUM("A")', '=SUM("A")'],
  ])("of the spreadsheet's cell %s is %j", (cell, expected) => {
    expect(value({}, cell)).toBe(expected);
  });

  it("finds the plate of a spreadsheet's cell", () => {
    for (const cell of ['="012345"', "'012345"])
      expect(entryOf(columns(["plate"]), cell)?.plate, cell).toBe("012345");
  });

  it.each(["12-Mar", "1-Dec", "Mar-12"])(
    "that a spreadsheet turned into the date %s is not a plate",
    (cell) => {
      expect(read(columns(["plate"]), cell).problem).toBe(
        "A spreadsheet turned this plate into a date. Format the column as text.",
      );
    },
  );

  it.each(["1.23E+05", "1,23E+05", "1E+11", "4.5e-3"])(
    "that a spreadsheet turned into the number %s is not a plate",
    (cell) => {
      expect(read(columns(["plate"]), cell).problem).toBe(
        "A spreadsheet turned this plate into a number. Format the column as text.",
      );
    },
  );

  it.each(["1E5", "12E45", "1.2E3", "45E-678"])("that looks like a number but is %s is a plate", (cell) => {
    expect(entryOf(columns(["plate"]), cell)?.plate).toBe(cell.replace(/[.-]/, ""));
  });

  it.each([
    ["123456.0", "123456"],
    [" 12.0 ", "12"],
    ["123456.00", "123456"],
    ["123456.10", "12345610"],
    ["AB12.0", "AB120"],
    ["1234-0", "12340"],
  ])("that a program turned into the decimal number %j is read without its fraction", (cell, plate) => {
    expect(entryOf(columns(["plate"]), cell)?.plate).toBe(plate);
  });

  it.each(["12-MAR", "MAR-12", "12MAR", "123-Mar", "12-Mars"])("that is %s is a plate", (cell) => {
    expect(entryOf(columns(["plate"]), cell)?.plate).toBe(cell.toUpperCase().replace("-", ""));
  });

  it("is empty if the record ends before its column or its word", () => {
    expect(value({ column: 1 }, "AB12")).toBe("");
    expect(value({ word: 2 }, "one two")).toBe("");
    expect(value({ word: 1 }, "one two")).toBe("two");
    expect(value({ word: -2 }, "one two")).toBe("one");
  });

  it.each([
    [["#"], "AB#CD", "CD"],
    [["#"], "#CD", "CD"],
    [["#"], "ABCD", ""],
    [["#", "!"], "AB!CD", "CD"],
    [["#", "!"], "AB!CD#EF", "CD#EF"],
    [["!", "#"], "AB!CD#EF", "CD#EF"],
    [["--", "!"], "AB--CD!EF", "CD!EF"],
  ])("starts after the first of the texts %j that occurs in %s", (after, text, expected) => {
    expect(value({ after }, text)).toBe(expected);
  });

  it.each([
    [["#"], "AB#CD", "AB"],
    [["#"], "#CD", ""],
    [["#"], "ABCD", ""],
    [["#", "!"], "AB!CD#EF", "AB"],
    [["!", "#"], "AB!CD#EF", "AB"],
    [["#", "!", "?"], "A?B!C#D", "A"],
  ])("ends before the first of the texts %j that occurs in %s", (before, text, expected) => {
    expect(value({ before }, text)).toBe(expected);
  });

  it("ends before the first digit, also of the second line of a quoted field", () => {
    expect(value({ beforeDigit: true }, "Suspended 12 county\n3")).toBe("Suspended");
    expect(value({ beforeDigit: true }, "Suspended\nowner 3 x\n4")).toBe("Suspended owner");
  });

  it("has its prefix only if it is not empty", () => {
    expect(value({ prefix: "Status " }, "SU")).toBe("Status SU");
    expect(value({ prefix: "Status " }, " \u200b ")).toBe("");
  });
});

describe("lines without an entry", () => {
  const layout = columns(["plate"]);

  it.each([
    [["", "  ", "\t"], true],
    [[], true],
    [["\x1a"], true],
    [["\uFEFF", "\u200B"], true],
    [["", "x"], false],
    [["AB12", ""], false],
  ])("%j: %s", (fields, expected) => {
    expect(isSkipped(layout, fields)).toBe(expected);
  });

  it.each([
    ["TOTAL 12", true],
    ["  total 12", true],
    ["Subtotal", false],
    ["AB12 TOTAL", false],
  ])("begin with a text of the layout, in any case and after spaces: %j %s", (text, expected) => {
    expect(isSkipped({ ...layout, skip: ["Date", "Total"] }, [text])).toBe(expected);
  });
});

describe("a word for no expiry", () => {
  const words = "never,none,no expiration,no expiry,n/a,nonexp,NX,indefinite,-,permanent,null".split(",");
  const layout = columns(["plate", "expiry"]);

  it("counts as an empty one, in any case and between spaces, dots and dashes", () => {
    const around = fc.stringMatching(/^[ .-]{0,3}$/);
    const inAnyCase = (word: string) =>
      fc
        .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
        .map((upper) => [...word].map((c, i) => (upper[i] ? c.toUpperCase() : c.toLowerCase())).join(""));
    fc.assert(
      fc.property(around, fc.constantFrom(...words).chain(inAnyCase), around, (before, word, after) => {
        expect(read(layout, "AB12", before + word + after)).toEqual(read(layout, "AB12", ""));
      }),
    );
    expect(read(layout, "AB12", "").row?.expires).toBe("");
  });

  it("is not any other text: that is a date or refused", () => {
    const other = fc.oneof(
      fc.constantFrom("soon", "no", "neverland", "x", "n", "expired", "unknown", "?", "0"),
      fc.stringMatching(/^[a-z/. -]{0,8}[0-9][a-z0-9/. -]{0,8}$/),
    );
    fc.assert(fc.property(other, (text) => read(layout, "AB12", text).row?.expires !== ""));
  });

  it("is no date for a plate to take effect", () => {
    expect(read(columns(["plate", "effective"]), "AB12", "never").problem).toBe('"never" is not a date.');
  });
});

describe("the entry of a row for a plate of the list", () => {
  const plate = { plate: "AB12", state: "CT" };
  const words = { reason: "Old", notes: "Old notes", caseNumber: "26-1" };
  const vehicle = { make: "Ford", color: "Red", bodyType: "SUV" };
  const listed: EntryFields = {
    ...{ ...plate, ...words, ...vehicle },
    ...{ matchPolicy: "lookalike", stateRequired: true, priority: "low" },
  };
  const sent: EntryFields = {
    ...{ ...plate, reason: "", notes: "", caseNumber: "", make: "", color: "", bodyType: "" },
    ...{ matchPolicy: "exact", stateRequired: false, priority: "normal" },
  };
  const changed = (layout: HotlistLayout, over: Partial<EntryFields> = {}) => {
    const filled = filledFrom(listed, { ...sent, ...over }, layout);
    return Object.keys(filled).filter((name) => Reflect.get(filled, name) !== Reflect.get(listed, name));
  };

  it.each<[LayoutField, string[]]>([
    ["plate", []],
    ["state", []],
    ["reason", ["reason"]],
    ["notes", ["notes"]],
    ["info", ["notes"]],
    ["caseNumber", ["caseNumber"]],
    ["make", ["make"]],
    ["color", ["color"]],
    ["body", ["bodyType"]],
    ["plateType", ["notes", "bodyType"]],
    ["priority", ["priority"]],
    ["match", ["matchPolicy"]],
    ["year", []],
  ])("has what the column %s says, and what the list has for the rest", (field, names) => {
    expect(changed(columns(["plate", field])).sort()).toEqual(names.sort());
  });

  it("has what the file says without a column of its own: a reason for all, notes, urgency, the rule of NCIC", () => {
    expect(changed(columns(["plate"], { reason: "Stolen" }))).toEqual(["reason"]);
    expect(changed(columns(["plate"]), { notes: "vehicle 2019 Acme" })).toEqual(["notes"]);
    expect(changed(columns(["plate"]), { priority: "high" })).toEqual(["priority"]);
    expect(changed(columns(["plate"], { ncic: true }))).toEqual(["matchPolicy"]);
  });
});

describe("a row that is rejected", () => {
  it.each([
    ["AB1234   ", "The line is too short."],
    ["AB1234    ", undefined],
    ["AB1234     ", undefined],
  ])("is shorter than the layout allows: %j", (line, problem) => {
    expect(read(columns(["plate"], { minLength: 10 }), line).problem).toBe(problem);
  });

  it("shows its plate next to the problem", () => {
    expect(read(columns(["plate"], { minLength: 10 }), " ab-1 ")).toEqual({
      problem: "The line is too short.",
      plate: "ab-1",
    });
    expect(read(columns(["plate"], { minLength: 1 })).problem).toBe("The line is too short.");
  });

  it("has a plate with wildcards, which is added one at a time", () => {
    expect(read(columns(["plate"]), "AB1*").problem).toContain("one at a time");
  });

  const long = "Nowhere".padEnd(41, "x");
  it.each<[LayoutField, string, string]>([
    ["state", "Atlantis", '"Atlantis" is not a state.'],
    ["state", long, `"${long.slice(0, 40)}" is not a state.`],
    ["expiry", "2027-02-30", '"2027-02-30" is not a date.'],
    ["expiry", long, `"${long.slice(0, 40)}" is not a date.`],
    ["effective", "soon", '"soon" is not a date.'],
    ["effective", long, `"${long.slice(0, 40)}" is not a date.`],
    ["priority", "urgent", "The priority must be high, normal or low."],
  ])("has an unknown %s: %s", (field, text, problem) => {
    expect(read(columns(["plate", field]), "AB12", text)).toEqual({ problem, plate: "AB12" });
  });

  it.each<[LayoutField, string, string | undefined]>([
    ["expiry", "2026-11-20T12:00:00Z", "It has expired."],
    ["expiry", "2026-11-20T12:00:01Z", undefined],
    ["expiry", "2026-11-19", "It has expired."],
    ["expiry", "2026-11-20", undefined],
    ["effective", "2026-11-20T12:00:00Z", undefined],
    ["effective", "2026-11-20T12:00:01Z", "It takes effect after today."],
    // Midnight of the zone: clocks of New York show 07:00 now.
    ["effective", "2026-11-20T07:00", undefined],
    ["effective", "2026-11-20T07:01", "It takes effect after today."],
  ])("is outside its time: %s %s", (field, text, problem) => {
    expect(read(columns(["plate", field]), "AB12", text).problem).toBe(problem);
  });

  it("reads both dates in the order of the layout", () => {
    const parts: LayoutField[] = ["plate", "effective", "expiry"];
    // May 12 or December 5.
    expect(read(columns(parts), "AB12", "05/12/2026", "").problem).toBeUndefined();
    expect(read(columns(parts, { dates: "dmy" }), "AB12", "05/12/2026", "").problem).toBe(
      "It takes effect after today.",
    );
    expect(read(columns(parts), "AB12", "", "05/12/2026").problem).toBe("It has expired.");
    expect(read(columns(parts, { dates: "dmy" }), "AB12", "", "05/12/2026").row?.expires).toBe(
      "2026-12-06T04:59:59.999Z",
    );
  });

  it.each<[LayoutField, number, string]>([
    ["reason", 300, "The reason is too long."],
    ["notes", 2000, "The notes are too long."],
    ["caseNumber", 64, "The case number is too long."],
  ])("has more text in %s than %i characters", (field, most, problem) => {
    const layout = columns(["plate", field]);
    expect(entryOf(layout, "AB12", "x".repeat(most))).toMatchObject({ [field]: "x".repeat(most) });
    expect(read(layout, "AB12", "x".repeat(most + 1)).problem).toBe(problem);
  });
});

describe("the entry of a row", () => {
  it("has defaults for everything that the file does not have", () => {
    expect(read(columns(["plate", "reason"]), "ab-10", "Stolen")).toEqual({
      row: {
        entry: {
          plate: "AB10",
          state: "",
          reason: "Stolen",
          notes: "",
          caseNumber: "",
          matchPolicy: "exact",
          stateRequired: false,
          make: "",
          color: "",
          bodyType: "",
          priority: "normal",
        },
        expires: "",
      },
    });
    expect(entryOf(columns(["plate"], { reason: "List", state: "ct" }), "AB12")).toMatchObject({
      state: "CT",
      reason: "List",
      priority: "normal",
    });
  });

  it.each([
    ["exact", "exact"],
    ["", "exact"],
    ["Look-alike", "lookalike"],
    ["similar", "lookalike"],
    ["FUZZY", "lookalike"],
    ["lenient", "lookalike"],
  ])("has the match strategy %j as %s", (strategy, matchPolicy) => {
    expect(entryOf(columns(["plate", "match"]), "AB12", strategy)?.matchPolicy).toBe(matchPolicy);
  });

  it("treats a zero as O only in files of NCIC", () => {
    expect(entryOf(columns(["plate"]), "AB10")?.matchPolicy).toBe("exact");
    expect(entryOf(columns(["plate"], { ncic: true }), "AB10")?.matchPolicy).toBe("lookalike");
    expect(entryOf(columns(["plate"], { ncic: true }), "AB12")?.matchPolicy).toBe("exact");
  });

  it("has priority high if its code is urgent, and the priority of the file otherwise", () => {
    const layout = columns(["plate", { field: "reason", codes: "ncic" }, "priority"]);
    expect(entryOf(layout, "AB12", "A", "low")).toMatchObject({ reason: "Amber alert", priority: "high" });
    expect(entryOf(layout, "AB12", "V", "low")).toMatchObject({ reason: "Stolen vehicle", priority: "low" });
    // Without a code table, the letter is a text.
    expect(entryOf(columns(["plate", "reason"]), "AB12", "A")).toMatchObject({
      reason: "A",
      priority: "normal",
    });
  });

  it("moves the rest of a long reason to the notes, before the notes and the other facts", () => {
    const layout = columns(["plate", "reason", "notes", { field: "info", label: "ORI" }], { reasonMax: 400 });
    const reason = `${"x".repeat(300)} rest`;
    expect(entryOf(layout, "AB12", reason, "seen", "CT1")?.notes).toBe("rest seen ORI CT1");
    expect(entryOf(layout, "AB12", reason, "", "CT1")?.notes).toBe("rest ORI CT1");
    expect(entryOf(layout, "AB12", "x", "seen", "")?.notes).toBe("seen");
    expect(entryOf(layout, "AB12", "x", "", "")?.notes).toBe("");
    expect(entryOf(layout, "AB12", "x".repeat(400), "", "")?.notes).toBe("x".repeat(100));
    // A character of two code units at the limit moves as a whole.
    expect(entryOf(layout, "AB12", `${"x".repeat(299)}\u{1F697} rest`, "", "")).toMatchObject({
      reason: "x".repeat(299),
      notes: "\u{1F697} rest",
    });
    expect(entryOf(layout, "AB12", "x", "n".repeat(1994), "\u{1F697}")?.notes).toBe(
      `${"n".repeat(1994)} ORI`,
    );
    expect(read(layout, "AB12", "x".repeat(401), "", "").problem).toBe("The reason is too long.");
    expect(entryOf(layout, "AB12", "x", "n".repeat(1998), "CT1")?.notes).toBe(`${"n".repeat(1998)} O`);
  });
});

describe("a row with more cells than its file has headings", () => {
  const layout = columns(["plate", "reason", { field: "info", label: "ORI" }], { width: 3 });

  it("has their text in the notes: the reason contains the delimiter and is not quoted", () => {
    expect(
      entryOf(layout, "AB12", "Stolen", "CT1", " armed and dangerous", "", " do not stop alone"),
    ).toMatchObject({
      reason: "Stolen",
      notes: "ORI CT1, armed and dangerous, do not stop alone",
    });
    expect(entryOf(layout, "AB12", "Stolen", "", "armed")?.notes).toBe("armed");
  });

  it("has nothing more if they are empty, or if its layout does not say how many there are", () => {
    expect(entryOf(layout, "AB12", "Stolen", "CT1", "", " ", "\u200B")?.notes).toBe("ORI CT1");
    expect(entryOf(columns(["plate", "reason"]), "AB12", "Stolen", "x")?.notes).toBe("");
  });
});

describe("the vehicle of a row", () => {
  it.each<[LayoutField, string, object, string]>([
    ["make", "honda", { make: "Honda" }, ""],
    ["make", "HOND", { make: "Honda" }, ""],
    ["make", "Yugo", { make: "" }, "vehicle Yugo"],
    ["color", "black", { color: "Black" }, ""],
    ["color", "YEL/BLK", { color: "" }, "vehicle YEL/BLK"],
    ["body", "MC", { bodyType: "Motorcycle" }, ""],
    ["body", "Hearse", { bodyType: "" }, "vehicle Hearse"],
    ["model", "Civic", {}, "vehicle Civic"],
    ["year", "2019", {}, "vehicle 2019"],
    ["plateType", "MC", { bodyType: "Motorcycle" }, "plate type MC"],
  ])("with %s %s", (field, text, expected, notes) => {
    expect(entryOf(columns(["plate", field]), "AB12", text)).toMatchObject({ ...expected, notes });
  });

  it("is in the notes once, whole, at the place of its first column", () => {
    const layout = columns([
      "plate",
      { field: "info", label: "ORI" },
      "color",
      "make",
      "model",
      "year",
      "body",
      "plateType",
    ]);
    expect(entryOf(layout, "AB12", "CT1", "Black", "Honda", "Civic", "2019", "SW", "PC")?.notes).toBe(
      "ORI CT1, vehicle 2019 Honda Civic SW Black, plate type PC",
    );
    expect(entryOf(layout, "AB12", "CT1", "Black", "Honda", "Civic", "", "", "")?.notes).toBe(
      "ORI CT1, vehicle Honda Civic Black",
    );
    expect(entryOf(layout, "AB12", "", "Black", "Honda", "", "", "SW", "")?.notes).toBe("");
  });

  it.each([
    ["20190509", "entered 2019-05-09"],
    ["19991231", "entered 1999-12-31"],
    ["20191009", "entered 2019-10-09"],
    ["20191309", "entered 20191309"],
    ["20190532", "entered 20190532"],
    ["120190509", "entered 120190509"],
    ["201905091", "entered 201905091"],
    ["2019 05 09", "entered 2019 05 09"],
  ])("has a date of eight digits with hyphens in the notes: %s", (text, notes) => {
    expect(entryOf(columns(["plate", { field: "info", label: "entered" }]), "AB12", text)?.notes).toBe(notes);
  });
});
