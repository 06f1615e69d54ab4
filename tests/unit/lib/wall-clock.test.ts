import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAlertFilter } from "#app/entities/alerts/hit.ts";
import { NewLegalHold } from "#app/entities/oversight/legal-hold.ts";
import {
  fieldTime,
  hasNoZone,
  instantAt,
  instantsAt,
  isTimeZone,
  rangeEnd,
  timeOf,
  wallClock,
  writtenSpan,
  zoneName,
} from "#app/lib/time/wall-clock.ts";

const ZONE = "America/New_York";
const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
const read = (text: string, edge: "start" | "end") => iso(timeOf(text, { zone: ZONE, edge }));

describe("a time from a caller", () => {
  it.each([
    ["2026-07-01T12:00", "2026-07-01T16:00:00.000Z"],
    ["2026-01-01T12:00:05", "2026-01-01T17:00:05.000Z"],
    ["2026-01-01 12:00:05.250", "2026-01-01T17:00:05.250Z"],
    ["2026-01-01T12:00:05.250999", "2026-01-01T17:00:05.250Z"],
    ["2026-01-01T12:00:05Z", "2026-01-01T12:00:05.000Z"],
    ["2026-01-01T12:00:05+02:00", "2026-01-01T10:00:05.000Z"],
    ["2026-01-01 12:00:05.250999-0530", "2026-01-01T17:30:05.250Z"],
    // Clocks skip this hour, so the offset of the hour before applies.
    ["2026-03-08T02:30", "2026-03-08T07:30:00.000Z"],
    // Written for "never", and in the next year by UTC.
    ["9999-12-31T23:59:59", "+010000-01-01T04:59:59.000Z"],
  ])("is in the given zone if it names none: %s", (text, expected) => {
    expect(read(text, "start")).toBe(expected);
    expect(read(text, "end")).toBe(expected);
  });

  it("includes both occurrences of a repeated hour, and a whole day", () => {
    expect(read("2026-11-01T01:30", "start")).toBe("2026-11-01T05:30:00.000Z");
    expect(read("2026-11-01T01:30", "end")).toBe("2026-11-01T06:30:00.000Z");
    expect(read("2026-11-01", "start")).toBe("2026-11-01T04:00:00.000Z");
    expect(read("2026-11-01", "end")).toBe("2026-11-02T04:59:59.999Z");
  });

  it.each([
    "",
    "noon",
    "2026-02-30",
    "2026-02-30T10:00",
    "2026-02-30T10:00Z",
    "2026-04-31T10:00:00+02:00",
    "2026-01-01T25:00",
    "2026-13-01",
  ])("is invalid: %j", (text) => {
    expect(read(text, "start")).toBeUndefined();
  });

  it.each([
    // Date.parse reads these as UTC, although they name no zone.
    ...["2026-01-01T24:00", "01/31/2026", "Jan 31 2026", "2026", "1", "case 5"],
    // And these as another day.
    ...["2026-02-30T10:00Z", "2026-02-30T10:00:00-05:00", "2026-01-01T12:00+24:00"],
  ])("is invalid, not another time: %j", (text) => {
    expect(read(text, "start")).toBeUndefined();
  });

  it("is the same instant with or without a zone, in every hour that clocks show once", () => {
    const instants = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2035, 0) });
    const zones = fc.constantFrom(ZONE, "UTC", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia");
    fc.assert(
      fc.property(instants, zones, (at, zone) => {
        const second = Math.floor(at / 1000) * 1000;
        const text = wallClock(second, zone);
        expect(hasNoZone(text)).toBe(true);
        const first = timeOf(text, { zone, edge: "start" }) ?? Number.NaN;
        const last = timeOf(text, { zone, edge: "end" }) ?? Number.NaN;
        expect(first).toBeLessThanOrEqual(second);
        expect(last).toBeGreaterThanOrEqual(second);
        expect(last - first).toBeLessThanOrEqual(3_600_000);
        expect(timeOf(new Date(second).toISOString(), { zone, edge: "start" })).toBe(second);
      }),
    );
  });

  it("limits the range in the filter of a history", () => {
    const texts = { from: "2026-11-01T01:15", until: "2026-11-01T01:45" };
    const filter = parseAlertFilter(texts, ZONE);
    expect(filter).toMatchObject({
      from: Date.parse("2026-11-01T05:15:00Z"),
      until: Date.parse("2026-11-01T06:45:00.999Z"),
    });
  });
});

it.each([
  ["2026-11-01T01:30:00+0200", "2026-10-31T23:30:00.000Z"],
  ["2026-11-01 01:30:00+02", "2026-10-31T23:30:00.000Z"],
  ["2026-11-01 01:30:00 -02:30", "2026-11-01T04:00:00.000Z"],
  ["2026-11-01T01:30:00 00:00", "2026-11-01T01:30:00.000Z"],
  ["2026-11-01T01:30:00 02:00", "2026-10-31T23:30:00.000Z"],
  ["2026-11-01T01:30:00 Z", "2026-11-01T01:30:00.000Z"],
  ["2026-11-01T01:30:00+24", undefined],
  ["2026-11-01T01:30:00+02:60", undefined],
  ["2026-11-01 02", undefined],
])("%s has the instant %s", (text, instant) => {
  expect(read(text, "start")).toBe(instant);
  expect(hasNoZone(text)).toBe(false);
});

it.each([
  ["2026-11-20T14:03:07Z", 999],
  ["2026-11-20T14:03:07.5Z", 99],
  ["2026-11-20T14:03:07.50Z", 9],
  ["2026-11-20T14:03:07.500Z", 0],
  ["2026-11-20T14:03:07.500999Z", 0],
])("%s may mean its instant or any of the %d milliseconds after it", (text, more) => {
  const from = Date.parse(text);
  expect(writtenSpan(text)).toEqual({ from, to: from + more });
  expect(writtenSpan(`x${text}`)).toBeUndefined();
});

it.each([
  ["2026-11-20", "2026-11-21T04:59:59.999Z"],
  ["2026-11-20T14:03", "2026-11-20T19:03:59.999Z"],
  ["2026-11-20 14:03Z", "2026-11-20T14:03:59.999Z"],
  ["2026-11-20T14:03-02:00", "2026-11-20T16:03:59.999Z"],
  ["2026-11-20T14:03:07", "2026-11-20T19:03:07.999Z"],
  [" 2026-11-20T14:03:07Z ", "2026-11-20T14:03:07.999Z"],
  ["2026-11-20T14:03:07.4Z", "2026-11-20T14:03:07.499Z"],
  ["2026-11-20T14:03:07.40+01", "2026-11-20T13:03:07.409Z"],
  ["2026-11-20T14:03:07.000Z", "2026-11-20T14:03:07.000Z"],
  ["2026-11-01T01:30", "2026-11-01T06:30:59.999Z"],
  ["never", undefined],
])("a range until %s ends at %s", (text, end) => {
  expect(iso(rangeEnd(text, ZONE))).toBe(end);
});

describe("a value of a date and time field", () => {
  it("has no instant in the hour that clocks skip", () => {
    expect(instantAt("2026-03-08T02:30", "start", ZONE)).toBeUndefined();
    expect(iso(instantAt("2026-11-01T01:30", "end", ZONE))).toBe("2026-11-01T06:30:00.000Z");
  });
});

describe("a wall clock", () => {
  it("shows each instant of a repeated hour, and years before 1000 in four digits", () => {
    expect(instantsAt("2026-11-01T01:30", ZONE)?.map(iso)).toEqual([
      "2026-11-01T05:30:00.000Z",
      "2026-11-01T06:30:00.000Z",
    ]);
    expect(instantsAt("2026-11-01T02:30", ZONE)).toHaveLength(1);
    expect(instantsAt("2026-03-08T02:30", ZONE)).toEqual([]);
    expect(wallClock(Date.UTC(2026, 6, 1, 16, 0, 7, 999), ZONE)).toBe("2026-07-01T12:00:07");
    expect(wallClock(Date.parse("0950-03-01T12:00:00Z"), "UTC")).toBe("0950-03-01T12:00:00");
    expect(fieldTime(Date.UTC(2026, 6, 1, 16, 0, 7, 999), ZONE)).toBe("2026-07-01T12:00:07");
    expect(fieldTime(Date.UTC(2026, 6, 1, 16, 0, 0, 999), ZONE)).toBe("2026-07-01T12:00");
  });

  it.each([
    ["2026-11-01T01:30:05.5Z", undefined],
    ["2026-11-01T01:30:05.5", 1],
    ["2026-11-01T01:30:05.5555", undefined],
    ["2026-11-01T01:30:0", undefined],
    ["2026-11-01", undefined],
    ["x2026-11-01T01:30", undefined],
    ["2026-02-29T01:30", undefined],
    ["2028-02-29T01:30", 1],
    ["2026-11-01T24:00", undefined],
  ])("shows %s at a number of instants, undefined for an invalid time: %j", (text, count) => {
    expect(instantsAt(text, "UTC")?.length).toBe(count);
  });

  it.each([
    [" 2026-11-01 ", true],
    ["2026-11-01 01:30", true],
    ["2026-11-01T01:30:00.123456", true],
    ["2026-11-01T01:30Z", false],
    ["2026-11-01T01", false],
    ["x2026-11-01", false],
    ["2026-11-01x", false],
    ["noon", false],
  ])("%j names no zone: %s", (text, none) => {
    expect(hasNoZone(text)).toBe(none);
  });
});

describe("a time zone", () => {
  it("is written with its name for users", () => {
    expect(zoneName(ZONE)).toBe("Eastern Time (America/New_York)");
    expect(zoneName("UTC")).toBe("UTC");
  });

  it.each([
    ["America/New_York", true],
    ["Etc/GMT+5", true],
    ["UTC", true],
    ["+05:00", false],
    ["America/Nowhere", false],
    ["", false],
    ["5UTC", false],
    ["America/New_York ", false],
    [" UTC", false],
  ])("%j is known: %s", (text, known) => {
    expect(isTimeZone(text)).toBe(known);
  });
});

describe("the range of a legal hold", () => {
  const problemOf = (start: string, end: string) =>
    NewLegalHold.safeParse({
      case_number: "26-1",
      reason: "Kept for the case of it",
      plates: "ABC123",
      start,
      end,
    }).error?.issues[0]?.message;

  it("is checked immediately if its times name their zone, and later otherwise", () => {
    const start = "2026-11-01T05:00:00Z";
    expect(problemOf(start, "2026-11-01T05:00:00Z")).toBe("The start must be before the end.");
    expect(problemOf(start, "2026-11-01T05:00:01Z")).toBeUndefined();
    expect(problemOf(start, "2027-11-02T05:00:00Z")).toBeUndefined();
    expect(problemOf(start, "2027-11-02T05:00:01Z")).toBe("A hold covers at most a year.");
    expect(problemOf(start, "2026-11-01T01:00")).toBeUndefined();
    expect(problemOf(start, "never")).toBe("Start and end are required.");
  });
});
