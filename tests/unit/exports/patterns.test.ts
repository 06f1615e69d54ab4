import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { LEAST_READS, MAX_PATTERNS, patternsOf } from "#app/domain/exports/patterns.ts";
import type { ExportRecord } from "#app/entities/exports/request.ts";
import { patternTables } from "#app/entities/search/analysis/pattern.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { zonedTime } from "#app/lib/time/zoned-time.ts";
import { makeReport, NOON, sampleImage, sampleRecord } from "./samples.ts";

const folder = mkdtempSync(join(tmpdir(), "odin-patterns-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const image = await sampleImage(64, 36, 1);
const images = { vehicle: image, plate: image, address: "" };
const clock = zonedTime("America/New_York");

let made = 0;
/** Reads of one plate, an hour and a day apart, at two cameras in turn. */
function readsOf(plate: string, count: number, over: Partial<ExportRecord> = {}): ExportRecord[] {
  return Array.from({ length: count }, (_, i) =>
    sampleRecord(++made, {
      plate,
      camera: i % 3 === 0 ? "Bank (north)" : "Main St at Court St",
      capturedAt: NOON - i * (DAY + HOUR),
      ...over,
    }),
  );
}

/** Returns the words of each page. */
function pagesOf(records: ExportRecord[]): string[] {
  const { bytes } = makeReport(records, () => images);
  const file = join(folder, "report.pdf");
  writeFileSync(file, bytes);
  const done = spawnSync("pdftotext", ["-layout", file, "-"]);
  if (done.error) throw new Error("pdftotext is needed here: install poppler-utils");
  expect(done.stderr.toString()).toBe("");
  const pages = done.stdout.toString().split("\f").slice(0, -1);
  return pages.map((page) => page.replace(/\s+/g, " ").trim());
}

describe("the patterns of a report", () => {
  it("cover plates with enough timed reads, those with the most reads first", () => {
    const records = [
      ...readsOf("FEW1111", LEAST_READS - 1),
      ...readsOf("ab-123", 3),
      ...readsOf("AB123", 3, { state: "" }),
      ...readsOf("MOST777", 9),
      ...readsOf("", 9),
      ...readsOf("LATE999", 9, { capturedAt: null }),
    ];
    const { shown, plates } = patternsOf(records, clock);
    expect(plates).toBe(2);
    expect(shown.map(({ plate, pattern }) => [plate, pattern.reads])).toEqual([
      ["MOST777", 9],
      ["AB123", 6],
    ]);
    expect(shown[1]?.states).toEqual([
      { state: "CT", reads: 3 },
      { state: "not read", reads: 3 },
    ]);
  });

  it("leave out times that no read can have, as the screen does", () => {
    const wrong = [0, Date.UTC(2300, 0), NOON + 2 * DAY].flatMap((capturedAt) =>
      readsOf("AB123", 1, { capturedAt }),
    );
    const [one] = patternsOf([...readsOf("AB123", 6), ...wrong], clock, NOON + DAY).shown;
    expect(one?.pattern).toMatchObject({ reads: 6, untimed: 3, last: NOON });
    expect(patternsOf([...readsOf("FEW1111", LEAST_READS - 1), ...wrong], clock, NOON + DAY).plates).toBe(0);
    const page = pagesOf([...readsOf("AB123", 6), ...wrong]).at(-1);
    expect(page).toContain("Reads 6 on 6 days; 3 without a time left out");
  });

  it("leave out times of arrival, which are not when the plate was read", () => {
    const arrived = readsOf("AB123", 2, { timeIsArrival: true });
    const [one] = patternsOf([...readsOf("AB123", 6), ...arrived], clock).shown;
    expect(one?.pattern).toMatchObject({ reads: 6, untimed: 2 });
    const few = readsOf("AB123", LEAST_READS - 1);
    expect(patternsOf([...few, ...arrived], clock).plates).toBe(0);
  });

  it("are printed after the records, one page per plate, with the numbers of the tables", () => {
    const records = [...readsOf("AB12345", 7), ...readsOf("ZZ90000", 2)];
    const pages = pagesOf(records);
    // A cover, two records a page, one pattern.
    expect(pages.length).toBe(1 + 5 + 1);
    expect(pages[0]).toContain("Patterns 1 plate with at least 5 reads, from page 7");
    const page = pages.at(-1) ?? "";
    expect(page).toContain("Pattern of AB12345");
    expect(page).toContain("Reads 7 on 7 days");
    expect(page).toContain(`First seen ${clock(NOON - 6 * (DAY + HOUR))}`);
    expect(page).toContain(`Last seen ${clock(NOON)}`);
    expect(page).toContain("States CT (7)");
    expect(page).toContain("A pattern does not show who drove.");
    const [one] = patternsOf(records, clock).shown;
    if (!one) throw new Error("no pattern");
    for (const { title, head, rows } of patternTables(one.pattern, clock)) {
      expect(page).toContain(title);
      // The words of a two-line cell are not adjacent in the page's text.
      for (const row of [head, ...rows])
        expect(page.replaceAll(" ", "")).toContain(row.slice(0, 4).join("").replaceAll(" ", ""));
    }
    expect(page).toMatch(/Main St at Court St 4 .* Sun, Mon, Wed, 07:00-09:00, 10:00-12:00/);
  });

  it("are left out of a report without such a plate", () => {
    const pages = pagesOf(readsOf("AB12345", LEAST_READS - 1));
    expect(pages.length).toBe(3);
    expect(pages.join(" ")).not.toContain("Pattern");
  });

  it("are limited in number, and each fits on its page whatever its content", () => {
    const plates = Array.from({ length: MAX_PATTERNS + 2 }, (_, i) => `PL${100 + i}`);
    const wide = Array.from({ length: 200 }, (_, i) =>
      sampleRecord(++made, {
        plate: "WIDE777",
        state: ["CT", "NY", "MA"][i % 3] ?? "",
        camera: `Camera ${i % 40} ${"with a very long name ".repeat(6)}`,
        capturedAt: NOON - i * (HOUR + 7 * MINUTE),
      }),
    );
    const pages = pagesOf([...wide, ...plates.flatMap((plate) => readsOf(plate, LEAST_READS))]);
    const patterns = pages.filter((page) => page.startsWith("Pattern of"));
    expect(patterns.length).toBe(MAX_PATTERNS);
    expect(pages.join(" ")).toContain(
      `13 plates with at least 5 reads, the 10 with the most reads are shown`,
    );
    const [first = ""] = patterns;
    expect(first).toMatch(/\d\d more rows are not shown Hours of the week/);
    // The last hour and the page footer are both on the page, and nothing is below.
    expect(first).toMatch(/ 23:00 [\d ]+Camera .* Odin · report .*Page \d+ of \d+$/);
    expect(first.match(/1 h 7 min/g)).toHaveLength(5);
  });

  it("are tagged as tables for screen readers", () => {
    const { bytes } = makeReport(readsOf("AB12345", 6), () => images);
    const text = Buffer.from(bytes).toString("latin1");
    let plain = text;
    for (const match of text.matchAll(/\/Filter\/FlateDecode\/Length (\d+)>>stream\n/g)) {
      const start = match.index + match[0].length;
      plain += inflateSync(bytes.subarray(start, start + Number(match[1]))).toString("latin1");
    }
    expect(plain.match(/\/S\/Table\/P /g)).toHaveLength(3);
    expect(plain.match(/\/S\/TH\/P /g)).toHaveLength(6 + 9 + 3);
    expect(plain).toContain("/A<</O/Table/Scope/Column>>");
    expect(plain).toContain("/Alt(Chart of the reads by weekday and hour.");
  });
});
