import { describe, expect, it } from "vitest";
import { readFilter } from "#app/components/alerts/history/filter.tsx";
import { parseAlertFilter } from "#app/entities/alerts/hit.ts";
import { alertQueryOf } from "#app/http/queries.ts";

const parse = (query: string) =>
  parseAlertFilter(alertQueryOf(new URLSearchParams(query)).filter, "America/New_York");

describe("the filter of an alert history", () => {
  it("has no conditions if the query is empty", () => {
    expect(parse("")).toEqual({
      plate: "",
      program: "",
      camera: "",
      from: null,
      until: null,
      disposition: "",
    });
  });

  it("matches part of a plate, or a wildcard pattern from end to end", () => {
    expect(parse("plate=ab-1")).toMatchObject({ plate: "*AB1*" });
    expect(parse("plate=ab*")).toMatchObject({ plate: "AB*" });
    expect(parse("plate=*")).toMatchObject({ plate: "" });
  });

  it.each([
    ["plate=AAAAAAAAAAAAAAAAAAAAA", "A plate has at most 20 characters."],
    ["plate=[A-Z]*", "A plate has only letters and digits, with * or ? for unknown ones."],
    ["plate=-", "A plate has only letters and digits, with * or ? for unknown ones."],
    ["program=Flock", "There is no such program."],
    ["program=axis", "There is no such program."],
    ["disposition=Correct", "There is no such disposition."],
    ["disposition=later", "There is no such disposition."],
    ["from=yesterday", "A time is invalid."],
    ["until=yesterday", "A time is invalid."],
    ["from=2026-11-20&until=2026-02-30", "A time is invalid."],
    ["from=2026-11-20T10:01&until=2026-11-20T10:00", "The start is after the end."],
  ])("is rejected with the reason: %s", (query, problem) => {
    expect(parse(query)).toBe(problem);
  });

  it.each(["Rekor", "Axon", "Axis"])("accepts the program %s, with spaces around it", (program) => {
    expect(parse(`program=+${program}+`)).toMatchObject({ program });
  });

  it.each(["correct", "wrong-state", "misread", "dismissed", "none"])(
    "accepts the disposition %s",
    (disposition) => {
      expect(parse(`disposition=${disposition}`)).toMatchObject({ disposition });
    },
  );

  it("includes both days of a range of dates, in the given time zone", () => {
    expect(parse("from=2026-11-20&until=2026-11-20")).toMatchObject({
      from: Date.parse("2026-11-20T05:00:00.000Z"),
      until: Date.parse("2026-11-21T04:59:59.999Z"),
    });
  });

  it("may have a start or an end alone, or both at the same time", () => {
    const time = "2026-11-20T10:00:00Z";
    const at = Date.UTC(2026, 10, 20, 10);
    expect(parse(`from=${time}`)).toMatchObject({ from: at, until: null });
    // Hits are shown without fractions of a second.
    const end = at + 999;
    expect(parse(`until=${time}`)).toMatchObject({ from: null, until: end });
    expect(parse("until=2026-11-20T10:00:00.000Z")).toMatchObject({ until: end });
    expect(parse("until=2026-11-20T10:00:00.250Z")).toMatchObject({ until: at + 250 });
    expect(parse("until=2026-11-20")).toMatchObject({ until: Date.UTC(2026, 10, 21, 5) - 1 });
    expect(parse(`from=${time}&until=${time}`)).toMatchObject({ from: at, until: end });
  });

  it("may end before 1970 without a start", () => {
    expect(parse("until=1969-07-20T20:17:00Z")).toMatchObject({
      from: null,
      until: Date.UTC(1969, 6, 20, 20, 17, 0, 999),
    });
  });

  it("uses at most 200 characters of a camera's name", () => {
    expect(parse(`camera=${"a".repeat(200)}`)).toMatchObject({ camera: "a".repeat(200) });
    expect(parse(`camera=${"a".repeat(201)}`)).toMatchObject({ camera: "a".repeat(200) });
  });
});

describe("the fields of the filter", () => {
  const read = (fields: Record<string, string>) => readFilter(Object.entries(fields));

  it("become a query without the plate", () => {
    const sent = read({
      intent: "filter",
      plate: " ab12 ",
      program: "Axis",
      camera: "",
      from: "2026-11-20T10:00",
    });
    expect(sent).toMatchObject({ plate: "ab12" });
    const query = "query" in sent ? [...sent.query.keys()] : [];
    expect(query).toEqual(["program", "from"]);
  });

  it.each([
    ["from", "That time does not exist.", { from: "2026-02-30T10:00", until: "2026-11-20T10:00" }],
    ["until", "That time does not exist.", { from: "2026-11-20T10:00", until: "2026-02-30T10:00" }],
    ["until", "The start is after the end.", { from: "2026-11-20T10:01", until: "2026-11-20T10:00" }],
  ])("show a problem where it is: %s, %s", (field, message, fields) => {
    expect(read(fields)).toEqual({ field, message });
  });
});
