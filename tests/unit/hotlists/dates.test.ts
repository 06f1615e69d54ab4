import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOf } from "#app/entities/hotlists/words.ts";
import { TIME_ZONES } from "#app/entities/users/policy.ts";
import { instantsAt, wallClock } from "#app/lib/time/wall-clock.ts";

const ZONE = "America/New_York";
const untilOf = (text: string, zone = ZONE) => {
  const span = dateOf(text, { zone });
  return span && new Date(span.until).toISOString();
};
/** Returns the two or three parts of a text; a missing part is empty. */
function parts(text: string, separator: string): [string, string, string] {
  const [first = "", second = "", third = ""] = text.split(separator);
  return [first, second, third];
}

describe("dates of hotlist files", () => {
  it("without a zone are in the agency's zone", () => {
    expect(untilOf("2027-05-31 23:59:59")).toBe("2027-06-01T03:59:59.000Z");
    expect(untilOf("5/31/2027 11:59:00 PM")).toBe("2027-06-01T03:59:00.000Z");
    expect(untilOf("5/31/2027 12:00 AM")).toBe("2027-05-31T04:00:00.000Z");
    expect(untilOf("5/31/2027 12:00 pm")).toBe("2027-05-31T16:00:00.000Z");
    expect(untilOf("05-31-2027 23:59", "Pacific/Honolulu")).toBe("2027-06-01T09:59:00.000Z");
    expect(untilOf("2027-05-31T23:59:59Z")).toBe("2027-05-31T23:59:59.000Z");
    expect(untilOf("2027-05-31T23:59:59-07:00")).toBe("2027-06-01T06:59:59.000Z");
  });

  it("without a time last until the end of the day", () => {
    for (const text of ["2026-12-31", "20261231", "12/31/2026", "12/31/26", "12-31-2026"])
      expect(untilOf(text), text).toBe("2027-01-01T04:59:59.999Z");
    expect(dateOf("31/12/26", { zone: ZONE, order: "dmy" })?.until).toBe(Date.UTC(2027, 0, 1, 5) - 1);
    expect(dateOf("", { zone: ZONE })).toBeNull();
  });

  it.each([
    "2026/12/31",
    "31-DEC-26",
    "31-Dec-2026",
    "31 December 2026",
    "Dec. 31, 2026",
    "December 31 2026",
  ])("have the year first, or the name of the month: %s", (text) => {
    expect(untilOf(text)).toBe("2027-01-01T04:59:59.999Z");
    expect(dateOf(text, { zone: ZONE, order: "dmy" })).toEqual(dateOf(text, { zone: ZONE }));
  });

  it("have times behind spaces of any width, as Numbers on a Mac writes them", () => {
    expect(untilOf("5/31/2027, 11:59\u202fPM")).toBe("2027-06-01T03:59:00.000Z");
    expect(untilOf("5/31/2027 11:59\u202fPM")).toBe("2027-06-01T03:59:00.000Z");
    expect(untilOf("2027/05/31\u00a023:59:00")).toBe("2027-06-01T03:59:00.000Z");
    expect(untilOf("31-MAY-27 11.59.00 PM")).toBeUndefined();
    expect(untilOf("31-MAY-27 11:59 PM")).toBe("2027-06-01T03:59:00.000Z");
  });

  it("that are invalid are reported", () => {
    for (const text of [
      "31-DEX-26",
      "31-D-26",
      "Mayday 31, 2026",
      "31-FEB-27",
      "May 31",
      "2026/31/12",
      "31-MAY-271",
      "31/12/26",
      "2027-02-30",
      "2027-13-01",
      "99999999",
      "5/31/2027 13:00 PM",
      "5/31/2027 24:00",
      "5/31/2027 10:60",
      "5/31/202",
      "soon",
      "2027-05-31x",
    ])
      expect(dateOf(text, { zone: ZONE }), text).toBeUndefined();
  });

  it("in a repeated hour span both occurrences; in a skipped hour they are the moment of the change", () => {
    expect(dateOf("11/1/2026 1:30 AM", { zone: ZONE })).toEqual({
      from: Date.UTC(2026, 10, 1, 5, 30),
      until: Date.UTC(2026, 10, 1, 6, 30),
    });
    const change = Date.UTC(2027, 2, 14, 7);
    expect(dateOf("2027-03-14 02:30:00", { zone: ZONE })).toEqual({ from: change, until: change });
    // A day of 25 hours.
    const day = dateOf("2026-11-01", { zone: ZONE });
    expect((day?.until ?? 0) - (day?.from ?? 0)).toBe(25 * 3_600_000 - 1);
  });

  it("are read as the instants at which clocks in the zone show them", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) }).map((at) => at - (at % 1000)),
        fc.constantFrom(...TIME_ZONES.map(({ value }) => value)),
        (at, zone) => {
          const clock = wallClock(at, zone);
          const [date, time] = parts(clock, "T");
          const [year, month, day] = parts(date, "-");
          const [hour, minute, second] = parts(time, ":");
          const twelve = `${Number(hour) % 12 || 12}:${minute}:${second} ${Number(hour) < 12 ? "AM" : "PM"}`;
          const instants = instantsAt(clock, zone) ?? [];
          const expected = { from: Math.min(...instants), until: Math.max(...instants) };
          expect(instants).toContain(at);
          for (const text of [
            `${date} ${time}`,
            clock,
            `${year}${month}${day} ${time}`,
            `${Number(month)}/${Number(day)}/${year} ${twelve}`,
            `${month}/${day}/${year.slice(2)} ${time}`,
          ])
            expect(dateOf(text, { zone }), text).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("never throw, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d/: \-APMZT+.]{4,24}$/)), (text) => {
        dateOf(text, { zone: ZONE });
      }),
      { numRuns: 1000 },
    );
  });
});
