import { describe, expect, it } from "vitest";
import {
  countAgencies,
  countByProgram,
  type ExportKind,
  ExportRequest,
  exportFailure,
  exportName,
  MapSnapshotRequest,
  missingText,
  summaryOf,
} from "#app/entities/exports/request.ts";
import { sampleExport } from "./samples.ts";

const ID = "0123456789abcdef0123456789abcdef";
const BODY = { records: [{ id: ID }], justification: "Stolen vehicle" };

const parse = (over: object) => ExportRequest.safeParse({ ...BODY, ...over });
const problemsOf = (over: object) => parse(over).error?.issues.map(({ message }) => message);

describe("the body of an export", () => {
  it("has an empty case number and no zone by default", () => {
    expect(parse({}).data).toMatchObject({ justification: "Stolen vehicle", case_number: "" });
    expect(parse({}).data?.time_zone).toBeUndefined();
  });

  it.each([
    [[], ["Please select at least one result."]],
    [undefined, ["Please select at least one result."]],
    [Array(5000).fill({ id: ID }), undefined],
    [Array(5001).fill({ id: ID }), ["An export has at most 5,000 records."]],
    [[{ id: ID.toUpperCase() }], undefined],
    [[{ id: "" }], undefined],
    [[{ id: 17, plate: "ABC123" }], undefined],
    [[{ id: 17 }], ["A record with an id that is not Odin's cannot be exported."]],
    [[{ id: `${ID}0` }], ["A record with an id that is not Odin's cannot be exported."]],
    [[{ id: `x${ID.slice(1)}` }], ["A record with an id that is not Odin's cannot be exported."]],
    [[{ id: null }], undefined],
  ])("accepts from 1 to 5,000 records with valid ids (%#)", (records, problems) => {
    expect(problemsOf({ records })).toEqual(problems);
  });

  it.each([
    ["", ["Justification is required."]],
    [" \t\n", ["Justification is required."]],
    ["\u200b\u2060", ["Justification is required."]],
    [undefined, ["Justification is required."]],
    ["x", undefined],
    ["x".repeat(2000), undefined],
    ["x".repeat(2001), ["A justification has at most 2,000 characters."]],
  ])("needs a justification with visible text (%#)", (justification, problems) => {
    expect(problemsOf({ justification })).toEqual(problems);
  });

  it("trims the case number, which has at most 64 characters", () => {
    expect(parse({ case_number: ` ${"4".repeat(64)} ` }).data?.case_number).toBe("4".repeat(64));
    expect(parse({ case_number: "4".repeat(65) }).success).toBe(false);
    expect(parse({ case_number: "\u200b26-10\u00ad44\ufeff" }).data?.case_number).toBe("26-1044");
  });

  it("takes null and empty texts for options that are not given", () => {
    for (const none of [null, ""]) {
      const sent = parse({ case_number: none, result_id: none, time_zone: none });
      expect(sent.data).toMatchObject({ case_number: "", result_id: undefined, time_zone: undefined });
    }
  });

  it("accepts only time zones that exist", () => {
    expect(parse({ time_zone: "America/New_York" }).data?.time_zone).toBe("America/New_York");
    expect(problemsOf({ time_zone: "America/Hartford" })).toEqual(["Unknown time zone."]);
  });

  it.each([
    ["AB12345", "AB12345"],
    [" AB12345\n", "AB12345"],
    [12345, "12345"],
    ["N/A", ""],
    [" N/A ", ""],
    ["n/a", "n/a"],
    [null, ""],
    [undefined, ""],
    [true, ""],
    [["AB12345"], ""],
    [{ text: "AB12345" }, ""],
  ])("reads %j as the text %j of a field that identifies a read", (plate, text) => {
    expect(parse({ records: [{ plate }] }).data?.records).toEqual([
      { plate: text, timestamp: "", camera_name: "", agency: "", source_program: "" },
    ]);
  });
});

describe("the place of a map", () => {
  it("is accepted as numbers or as their texts", () => {
    expect(MapSnapshotRequest.parse({ latitude: "41.5", longitude: -72.7 })).toEqual({
      latitude: 41.5,
      longitude: -72.7,
    });
  });

  it.each([["north"], [""], [null], [undefined]])("is refused if it is not a number: %j", (latitude) => {
    expect(MapSnapshotRequest.safeParse({ latitude, longitude: -72.7 }).error?.issues).toMatchObject([
      { path: ["latitude"], message: "These are not valid coordinates." },
    ]);
  });
});

describe("an export", () => {
  it.each([
    [0, ""],
    [1, "1 image missing"],
    [1204, "1,204 images missing"],
  ])("says that %d images are missing", (missing, text) => {
    expect(missingText({ missing })).toBe(text);
  });

  it("is shown to its exporter without the ids of user and agency and without the zone", () => {
    expect(summaryOf(sampleExport({ records: 3, done: 2, missing: 1 }))).toEqual({
      id: "00112233445566778899aabbccddeeff",
      kind: "pdf",
      state: "running",
      name: "odin-report-2026-11-20.pdf",
      justification: "Stolen vehicle, seen near the scene by two witnesses",
      caseNumber: "26-1044",
      records: 3,
      done: 2,
      missing: 1,
      bytes: 0,
      sha256: "",
      message: "",
      createdAt: 1_795_194_187_000,
      finishedAt: null,
      expiresAt: 1_795_194_187_001,
    });
  });

  it.each<[ExportKind, string, string, string]>([
    ["pdf", "2026-11-21T04:59:59.999Z", "America/New_York", "odin-report-2026-11-20.pdf"],
    ["pdf", "2026-11-21T05:00:00.000Z", "America/New_York", "odin-report-2026-11-21.pdf"],
    ["zip", "2026-11-21T04:59:59.999Z", "UTC", "odin-export-2026-11-21.zip"],
    ["zip", "2026-03-05T12:00:00.000Z", "UTC", "odin-export-2026-03-05.zip"],
  ])("made as %s at %s in %s is named %s", (kind, time, zone, name) => {
    expect(exportName(kind, Date.parse(time), zone)).toBe(name);
  });

  it.each([
    ["pdf", "refused", "Failed to generate PDF."],
    ["pdf", "broken", "Something went wrong during PDF export."],
    ["zip", "refused", "Failed to generate ZIP."],
    ["zip", "broken", "Something went wrong during ZIP export."],
  ] as const)("made as %s and %s fails with: %s", (kind, what, message) => {
    expect(exportFailure(kind, what)).toBe(message);
  });
});

describe("the numbers of a report", () => {
  it("count an agency once per program", () => {
    const of = (program: "Rekor" | "Axon" | "Axis", agency: string) => ({ program, agency });
    expect(countAgencies([])).toBe(0);
    expect(
      countAgencies([
        of("Rekor", "Hartford"),
        of("Rekor", "Hartford"),
        of("Axon", "Hartford"),
        of("Rekor", "Avon"),
      ]),
    ).toBe(3);
  });

  it("count the records of each program, in order of appearance", () => {
    const programs = ["Axon", "Rekor", "Axon", "Axis", "Axon", "Rekor"] as const;
    expect(countByProgram(programs.map((program) => ({ program })))).toEqual([
      ["Axon", 3],
      ["Rekor", 2],
      ["Axis", 1],
    ]);
    expect(countByProgram([])).toEqual([]);
  });
});
