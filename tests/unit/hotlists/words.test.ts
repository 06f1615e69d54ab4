import { describe, expect, it } from "vitest";
import { dateOf, priorityOf, refused, spellingIn } from "#app/entities/hotlists/words.ts";

const ZONE = "America/New_York";

/** Returns the start and end of a date as ISO times. */
function spanOf(text: string, zone = ZONE): [string, string] | null | undefined {
  const span = dateOf(text, { zone });
  return span && [new Date(span.from).toISOString(), new Date(span.until).toISOString()];
}

describe("words of hotlist files", () => {
  it("are returned in Odin's spelling, whatever their case", () => {
    const words = ["Dark Blue", "Black"];
    expect(spellingIn(words, "BLACK")).toBe("Black");
    expect(spellingIn(words, "dark blue")).toBe("Dark Blue");
    expect(spellingIn(words, "blue")).toBe("");
    expect(spellingIn(words, "")).toBe("");
  });

  it.each([
    ["", "normal"],
    ["normal", "normal"],
    ["Medium", "normal"],
    ["MED", "normal"],
    ["High", "high"],
    ["low", "low"],
    ["LOW", "low"],
    ["urgent", undefined],
    ["1", undefined],
  ])("the priority %j is %j", (text, priority) => {
    expect(priorityOf(text)).toBe(priority);
  });

  it("a rejected row shows at most 40 visible characters of its plate", () => {
    expect(refused("The line is too short.", `\u200b ${"A".repeat(41)}`)).toEqual({
      problem: "The line is too short.",
      plate: "A".repeat(40),
    });
    expect(refused("It has expired.", "B".repeat(40))).toMatchObject({ plate: "B".repeat(40) });
  });
});

describe("years of two digits", () => {
  it.each([
    ["1/2/69", "2069-01-02T05:00:00.000Z"],
    ["1/2/70", "1970-01-02T05:00:00.000Z"],
    ["1/2/99", "1999-01-02T05:00:00.000Z"],
    ["1/2/00", "2000-01-02T05:00:00.000Z"],
  ])("%s begins at %s", (text, from) => {
    expect(spanOf(text)?.[0]).toBe(from);
  });
});

describe("dates with dots", () => {
  it.each([
    ["31.05.2027", "2027-05-31"],
    ["13.5.2027", "2027-05-13"],
    ["05.31.2027", "2027-05-31"],
    ["7.07.2027", "2027-07-07"],
  ])("%s can only be %s", (text, day) => {
    expect(spanOf(text)).toEqual(spanOf(day));
    expect(spanOf(`${text} 14:30`)).toEqual(spanOf(`${day} 14:30`));
  });

  it("whose day could be the month are dates only in files whose dates begin with the day", () => {
    const inFile = (order?: "mdy" | "dmy") => dateOf("05.06.2027", { zone: ZONE, order });
    expect([inFile(), inFile("mdy")]).toEqual([undefined, undefined]);
    expect(inFile("dmy")).toEqual(dateOf("2027-06-05", { zone: ZONE }));
  });

  it.each(["31.05.27", "31.13.2027", "30.02.2027", "31.05.20271", "2027.05.31", "12.12"])(
    "%s is not one",
    (text) => {
      expect(dateOf(text, { zone: ZONE })).toBeUndefined();
    },
  );

  it("begin with the day if the file's dates do", () => {
    expect(dateOf("05.31.2027", { zone: ZONE, order: "dmy" })).toBeUndefined();
  });
});

describe("times of day", () => {
  it.each([
    ["2027-05-31 23:59:59", "2027-06-01T03:59:59.000Z"],
    ["2027-05-31 00:00:00", "2027-05-31T04:00:00.000Z"],
    ["2027-05-31 10:30", "2027-05-31T14:30:00.000Z"],
    ["5/31/2027 1:00 AM", "2027-05-31T05:00:00.000Z"],
    ["5/31/2027 12:59 a.m.", "2027-05-31T04:59:00.000Z"],
    ["5/31/2027 12:00 PM", "2027-05-31T16:00:00.000Z"],
  ])("%s is %s", (text, at) => {
    expect(spanOf(text)).toEqual([at, at]);
  });

  it.each([
    "2027-05-31 10:00:60",
    "2027-05-31 10:60:00",
    "2027-05-31 24:00:00",
    "5/31/2027 0:30 AM",
    "5/31/2027 13:30 AM",
  ])("%s is not a time", (text) => {
    expect(dateOf(text, { zone: ZONE })).toBeUndefined();
  });
});

describe("offsets from UTC", () => {
  it.each([
    ["2027-05-31T12:00:00Z", "2027-05-31T12:00:00.000Z"],
    ["2027-05-31 12:00 UTC", "2027-05-31T12:00:00.000Z"],
    ["2027-05-31 12:00 gmt", "2027-05-31T12:00:00.000Z"],
    ["2027-05-31T12:00:00+05:30", "2027-05-31T06:30:00.000Z"],
    ["2027-05-31T12:00:00+0530", "2027-05-31T06:30:00.000Z"],
    ["2027-05-31T12:00:00+05", "2027-05-31T07:00:00.000Z"],
    ["2027-05-31T12:00:00-03:30", "2027-05-31T15:30:00.000Z"],
    ["2027-05-31T12:00:00-07", "2027-05-31T19:00:00.000Z"],
  ])("%s is %s in every zone", (text, at) => {
    expect(spanOf(text)).toEqual([at, at]);
    expect(spanOf(text, "Pacific/Honolulu")).toEqual([at, at]);
  });

  it.each(["2027-05-31Z", "2027-05-31 UTC", "20270531+05:00"])(
    "%s is not a date, because it has no time of day",
    (text) => {
      expect(dateOf(text, { zone: ZONE })).toBeUndefined();
    },
  );
});

describe("clock changes", () => {
  it.each([
    ["2027-03-14 01:59", ZONE, "2027-03-14T06:59:00.000Z"],
    ["2027-03-14 02:00", ZONE, "2027-03-14T07:00:00.000Z"],
    ["2027-03-14 02:59", ZONE, "2027-03-14T07:00:00.000Z"],
    ["2027-03-14 03:00", ZONE, "2027-03-14T07:00:00.000Z"],
    // Clocks at this station went from 2:00 to 5:00, the longest change of a few hours.
    ["2009-10-18 02:00", "Antarctica/Casey", "2009-10-17T18:00:00.000Z"],
  ])("%s in %s is %s", (text, zone, at) => {
    expect(spanOf(text, zone)).toEqual([at, at]);
  });

  it("do not change how long a day is in its zone", () => {
    expect(spanOf("2027-03-14")).toEqual(["2027-03-14T05:00:00.000Z", "2027-03-15T03:59:59.999Z"]);
  });

  it("that skip a whole day leave its times as UTC", () => {
    expect(spanOf("2011-12-30 12:00", "Pacific/Apia")).toEqual([
      "2011-12-30T12:00:00.000Z",
      "2011-12-30T12:00:00.000Z",
    ]);
  });
});

describe("the last days of year 9999, which mean never", () => {
  it.each([
    ["9999-12-29 23:59:59", ZONE, "9999-12-30T04:59:59.000Z"],
    ["9999-12-29 23:59:59", "Pacific/Kiritimati", "9999-12-29T09:59:59.000Z"],
    ["9999-12-30 00:00:00", ZONE, "9999-12-30T00:00:00.000Z"],
    ["9999-12-31 23:59:59", ZONE, "9999-12-31T23:59:59.000Z"],
    ["12/31/9999", ZONE, "9999-12-31T23:59:59.999Z"],
    ["9999-12-31", "UTC", "9999-12-31T23:59:59.999Z"],
    ["99991231", "Pacific/Guam", "9999-12-31T23:59:59.999Z"],
  ])("%s in %s is until %s", (text, zone, until) => {
    expect(spanOf(text, zone)?.[1]).toBe(until);
  });
});
