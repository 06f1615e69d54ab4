import { describe, expect, it } from "vitest";
import {
  fieldOfHeading,
  IGNORED_SHOWN,
  ignoredHeadings,
  layoutOfHeadings,
  partsOfHeadings,
  vendorOfHeadings,
} from "#app/entities/hotlists/headings.ts";

describe("headings", () => {
  it.each([
    ["Plate #", "plate"],
    ["plate_number", "plate"],
    ["PlateNumber", "plate"],
    ["State/Province", "state"],
    ["LIS", "state"],
    ["St", "state"],
    ["Lic. St.", "state"],
    ["Tag State", "state"],
    ["Tag St", "state"],
    ["License Plate State", "state"],
    ["State Code", "state"],
    ["License Plate No.", "plate"],
    ["Lic No", "plate"],
    ["License Number", "plate"],
    ["Tag No.", "plate"],
    ["Report Number", "caseNumber"],
    ["Veh Make", "make"],
    ["Alert Reason", "reason"],
    ["Expiration Date", "expiry"],
    ["Expiration Date/Time", "expiry"],
    ["Expires On", "expiry"],
    ["Valid Until", "expiry"],
    ["Purge Date", "expiry"],
    ["Effective Date", "effective"],
    ["OCA", "caseNumber"],
    ["Colour", "color"],
    ["Officer", undefined],
    ["", undefined],
  ])("%j stands for the field %j", (heading, field) => {
    expect(fieldOfHeading(heading)).toBe(field);
  });

  it("are known after a byte order mark, also after one that was read as Windows-1252", () => {
    expect(fieldOfHeading("\uFEFFPlate")).toBe("plate");
    expect(fieldOfHeading("ï»¿Plate")).toBe("plate");
  });

  it("name each field once, by the first column with such a heading; further ones are added to the notes", () => {
    expect(partsOfHeadings(["Officer", "Plate", "State", "Plate Number", "Reason", " Region "])).toEqual([
      { field: "plate", column: 1 },
      { field: "state", column: 2 },
      { field: "info", column: 3, label: "Plate Number" },
      { field: "reason", column: 4 },
      { field: "info", column: 5, label: "Region" },
    ]);
  });

  it("that are not known are named, so that a user sees what is ignored", () => {
    const headings = ["No.", "Plate", " Issuing\u200B place ", "Reason", "Reason 2", "", "x".repeat(80)];
    const { layout } = layoutOfHeadings("odin", headings, ",");
    const ignored = ["No.", "Issuing place", "x".repeat(60)];
    expect(layout && ignoredHeadings(layout, headings)).toEqual(ignored);
    const many = Array.from({ length: 50 }, (_, i) => `Other ${"abcdefghij"[i % 10]}`);
    const wide = layoutOfHeadings("odin", ["Plate", ...many], ",").layout;
    expect(wide && ignoredHeadings(wide, ["Plate", ...many])).toHaveLength(IGNORED_SHOWN);
  });

  it("name as the plate the column whose heading is least general, wherever it stands", () => {
    expect(partsOfHeadings(["Number", "Plate", "Reason"])).toEqual([
      { field: "plate", column: 1 },
      { field: "reason", column: 2 },
    ]);
    const plateOf = (...headings: string[]) =>
      partsOfHeadings(headings).find(({ field }) => field === "plate")?.column;
    for (const general of ["Number", "Registration", "License", "LIC", "Tag"])
      for (const plate of ["Plate", "Plate Text", "LPN", "Hot Plate", "Vehicle Plate", "Tag Number"])
        expect(plateOf(general, plate), `${general}, ${plate}`).toBe(1);
    expect(plateOf("Number", "Registration", "License", "Tag")).toBe(3);
    expect(plateOf("Plate #", "Plate")).toBe(0);
  });

  it("name further reasons and notes, which count where the first are empty and are kept in the notes", () => {
    expect(partsOfHeadings(["Plate", "Alert", "Note", "Officer", "Description", "Comments"])).toEqual([
      { field: "plate", column: 0 },
      { field: "reason", column: 1 },
      { field: "notes", column: 2 },
      { field: "reason", column: 4 },
      { field: "info", column: 4, label: "Description" },
      { field: "notes", column: 5 },
      { field: "info", column: 5, label: "Comments" },
    ]);
  });

  it("name a list or topic as the reason after a reason column", () => {
    expect(partsOfHeadings(["Hot List", "Plate", "Reason", "Topic"])).toEqual([
      { field: "plate", column: 1 },
      { field: "reason", column: 2 },
      { field: "reason", column: 0 },
      { field: "reason", column: 3 },
    ]);
  });

  it("name no columns if none of them is a plate", () => {
    expect(partsOfHeadings(["Reason", "State", "Hot List"])).toEqual([]);
    expect(partsOfHeadings(["Plate"])).toEqual([{ field: "plate", column: 0 }]);
    expect(partsOfHeadings([])).toEqual([]);
  });
});

describe("vendors are known by their heading line", () => {
  it.each([
    ["rekor", ["Plate Number", "Description", "State/Province"]],
    ["rekor", ["Plate", "Description", "Match Strategy"]],
    ["odin", ["Plate Number", "Description"]],
    ["odin", ["Plate Number", "State/Province"]],
    ["odin", ["Plate", "Description", "State/Province"]],
    ["odin", ["Plate", "Match Strategy"]],
    ["genetec", ["Category", "PlateNumber"]],
    ["genetec", ["PlateState", "PlateNumber"]],
    ["odin", ["Category", "Plate"]],
    ["odin", ["PlateState", "Plate"]],
    ["odin", ["PlateNumber", "Reason"]],
    ["vigilant", ["Hot Plate", "Alert"]],
    ["vigilant", ["Plate", "State", "Alert"]],
    ["odin", ["Hot Plate", "Reason"]],
    ["odin", ["Plate", "Alert"]],
    ["odin", ["State", "Alert"]],
    ["odin", ["Plate", "State", "Reason"]],
    ["flock", ["plate", "caseNumber", "note"]],
    ["flock", ["Plate", "Case Number", "Note Message"]],
    ["odin", ["Plate", "Case Number", "Notes"]],
    ["odin", ["Plate", "Note"]],
    ["odin", ["Case Number", "Note Message"]],
    ["odin", []],
  ])("%s: %j", (vendor, headings) => {
    expect(vendorOfHeadings(headings)).toBe(vendor);
  });
});

describe("the layout of a heading line", () => {
  it("has the vendor's rules", () => {
    expect(layoutOfHeadings("odin", ["plate", "reason", "notes"], ";")).toEqual({
      layout: {
        kind: "delimited",
        delimiter: ";",
        header: 1,
        width: 3,
        parts: [
          { field: "plate", column: 0 },
          { field: "reason", column: 1 },
          { field: "notes", column: 2 },
        ],
        reasonNeeded: true,
        reasonMax: undefined,
      },
    });
    expect(layoutOfHeadings("rekor", ["Plate Number", "Description", "State/Province"], ",").layout).toEqual({
      kind: "delimited",
      delimiter: ",",
      header: 1,
      width: 3,
      parts: [
        { field: "plate", column: 0 },
        { field: "reason", column: 1 },
        { field: "state", column: 2 },
      ],
      reasonNeeded: undefined,
      reasonMax: 1000,
    });
  });

  it("uses a vendor's notes as the last choice of a reason", () => {
    expect(layoutOfHeadings("flock", ["plate", "note", "reason"], ",").layout?.parts).toEqual([
      { field: "plate", column: 0 },
      { field: "notes", column: 1 },
      { field: "reason", column: 2 },
      { field: "reason", column: 1 },
    ]);
    expect(layoutOfHeadings("flock", ["plate", "note", "comments"], ",").layout?.parts.slice(1)).toEqual([
      { field: "notes", column: 1 },
      { field: "notes", column: 2 },
      { field: "info", column: 2, label: "comments" },
      { field: "reason", column: 1 },
      { field: "reason", column: 2 },
    ]);
  });

  it("is a message if a required column is missing", () => {
    expect(layoutOfHeadings("odin", ["Reason", "State"], ",")).toEqual({
      problem: "The first line does not name a plate column. Detect the layout automatically instead.",
    });
    expect(layoutOfHeadings("rekor", ["Plate Number", "State/Province"], ",")).toEqual({
      problem: "A Rekor file begins with Plate Number,Description,State/Province.",
    });
    expect(layoutOfHeadings("vigilant", ["Plate", "Alert"], ",")).toEqual({
      problem: "A Vigilant file has the columns Plate, State and Alert.",
    });
  });
});
