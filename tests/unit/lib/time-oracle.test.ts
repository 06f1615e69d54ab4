import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOf } from "#app/entities/hotlists/words.ts";
import { auditRange } from "#app/entities/oversight/audit-filter.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { monthAfter, monthName, monthOf, monthStart, monthsFrom } from "#app/lib/time/months.ts";
import { instantsAt, rangeEnd, timeOf, wallClock } from "#app/lib/time/wall-clock.ts";
import { localAsUtc, zonedTime } from "#app/lib/time/zoned-time.ts";

// Compares the helpers of dates with Intl itself, and with calendars counted by hand.

const ZONES = [
  ...["America/New_York", "America/Anchorage", "Pacific/Honolulu", "America/Phoenix", "Pacific/Guam", "UTC"],
  // Offsets of half and quarter hours, half an hour of daylight saving time, and zones that skip midnight or a day.
  ...[
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Pacific/Apia",
  ],
];

const formats = new Map(
  ZONES.map((zone) => [
    zone,
    new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }),
  ]),
);
/** Returns `2026-11-20 14:03:07`, as Intl writes it in Sweden. */
const shownBy = (at: number, zone: string) => formats.get(zone)?.format(at) ?? "";

/** Times near a change of clocks as well as any others. */
const CHANGES = [
  ...["2026-11-01T06:00Z", "2027-03-14T07:00Z", "2026-11-01T10:00Z", "2027-03-14T11:00Z"],
  ...["2026-04-04T15:00Z", "2026-10-03T15:30Z", "2026-04-23T22:00Z", "2011-12-30T10:00Z"],
].map((text) => Date.parse(text));
const instants = fc.oneof(
  fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) }),
  fc
    .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -26 * HOUR, max: 26 * HOUR }))
    .map(([change, away]) => change + away),
);
const zones = fc.constantFrom(...ZONES);
const holds = (check: (at: number, zone: string) => void) =>
  fc.assert(fc.property(instants, zones, check), { numRuns: 500 });

describe("a time in a zone", () => {
  it("is shown as Intl shows it", () => {
    const writers = new Map(ZONES.map((zone) => [zone, zonedTime(zone)]));
    holds((at, zone) => {
      expect(writers.get(zone)?.(at).slice(0, 19)).toBe(shownBy(at, zone));
      expect(localAsUtc(at, zone)).toBe(Date.parse(`${shownBy(at, zone).replace(" ", "T")}Z`));
    });
  });

  it("has exactly the instants at which Intl shows it", () => {
    holds((at, zone) => {
      const text = shownBy(Math.floor(at / MINUTE) * MINUTE, zone).slice(0, 16);
      // Also times that are skipped: the same clock an hour later.
      for (const clock of [Date.parse(`${text}Z`), Date.parse(`${text}Z`) + HOUR]) {
        const shown = new Date(clock).toISOString().slice(0, 16);
        const found: number[] = [];
        for (let east = -14 * HOUR; east <= 14 * HOUR; east += 15 * MINUTE)
          if (shownBy(clock - east, zone).slice(0, 16) === shown.replace("T", " ")) found.push(clock - east);
        expect(instantsAt(shown, zone)).toEqual(found.sort((a, b) => a - b));
      }
    });
  });

  it("ends a range with the last millisecond that Intl shows as its text, of any length", () => {
    holds((at, zone) => {
      for (const length of ["2026-11-20".length, "2026-11-20 14:03".length, "2026-11-20 14:03:07".length]) {
        const text = shownBy(at, zone).slice(0, length);
        const end = rangeEnd(text, zone) ?? Number.NaN;
        expect(end).toBeGreaterThanOrEqual(at);
        expect(shownBy(end, zone).slice(0, length)).toBe(text);
        // Later ones show another text, in the hour that clocks repeat too.
        for (const later of [1, SECOND, MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 25 * HOUR])
          expect(shownBy(end + later, zone).slice(0, length)).not.toBe(text);
      }
    });
  });

  it("is the same instant with any offset", () => {
    const offsets = fc.integer({ min: -14 * 4, max: 14 * 4 }).map((quarters) => quarters * 15);
    fc.assert(
      fc.property(instants, offsets, zones, (at, offset, zone) => {
        const size = Math.abs(offset);
        const two = (value: number) => String(value).padStart(2, "0");
        const sign = offset < 0 ? "-" : "+";
        const clock = new Date(at + offset * MINUTE).toISOString().slice(0, -1);
        const [hours, minutes] = [two(Math.floor(size / 60)), two(size % 60)];
        for (const text of [
          `${clock}${sign}${hours}:${minutes}`,
          `${clock.replace("T", " ")} ${sign}${hours}${minutes}`,
        ])
          expect(timeOf(text, { zone, edge: "end" })).toBe(at);
      }),
    );
  });
});

describe("a day of a file", () => {
  it("lasts from its first to its last millisecond where the agency is", () => {
    holds((at, zone) => {
      // No zone of an agency skips a day.
      fc.pre(zone !== "Pacific/Apia");
      const day = shownBy(at, zone).slice(0, 10);
      const span = dateOf(day, { zone }) ?? { from: Number.NaN, until: Number.NaN };
      expect(span.from).toBeLessThanOrEqual(at);
      expect(span.until).toBeGreaterThanOrEqual(at);
      for (const [inside, outside] of [
        [span.from, span.from - 1],
        [span.until, span.until + 1],
      ] as const) {
        expect(shownBy(inside, zone).slice(0, 10)).toBe(day);
        expect(shownBy(outside, zone).slice(0, 10)).not.toBe(day);
      }
    });
  });
});

const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const daysOf = (year: number, month: number) =>
  month === 2 && isLeap(year) ? 29 : (DAYS_OF_MONTHS[month - 1] ?? 0);
/** Counted from January of year 0. */
const monthText = (months: number) =>
  `${String(Math.floor(months / 12)).padStart(4, "0")}-${String((months % 12) + 1).padStart(2, "0")}`;

describe("a month", () => {
  it("is followed by the next one, with as many days as the calendar has", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1970 * 12, max: 2200 * 12 }),
        fc.integer({ min: -500, max: 500 }),
        (months, later) => {
          const month = monthText(months);
          expect(monthAfter(month, later)).toBe(monthText(months + later));
          const days = daysOf(Math.floor(months / 12), (months % 12) + 1);
          expect(monthStart(month, 1) - monthStart(month)).toBe(days * DAY);
          expect([monthOf(monthStart(month)), monthOf(monthStart(month, 1) - 1)]).toEqual([month, month]);
          const until = monthText(months + Math.abs(later));
          expect(monthsFrom(month, until)).toHaveLength(Math.abs(later) + 1);
          expect(monthName(month)).toContain(String(Math.floor(months / 12)));
        },
      ),
    );
  });

  it("before this one, today and seven days are whole days of the viewer's calendar", () => {
    holds((at, zone) => {
      const today = shownBy(at, zone).slice(0, 10);
      const [year = 0, month = 0] = today.split("-").map(Number);
      const before = monthText(year * 12 + month - 2);
      const last = daysOf(...(month === 1 ? ([year - 1, 12] as const) : ([year, month - 1] as const)));
      expect(auditRange("today", at, zone)).toEqual({ start: `${today}T00:00`, end: `${today}T23:59` });
      expect(auditRange("month", at, zone)).toEqual({
        start: `${before}-01T00:00`,
        end: `${before}-${last}T23:59`,
      });
      const { start } = auditRange("week", at, zone);
      const days = (Date.parse(today) - Date.parse(start.slice(0, 10))) / DAY;
      expect(days).toBe(6);
      expect(wallClock(at, zone).slice(0, 10)).toBe(today);
    });
  });
});
