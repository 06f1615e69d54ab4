import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { looseTime } from "#app/providers/wire-values.ts";

const timeOf = (value: unknown) => z.object({ time: looseTime }).parse({ time: value }).time;
const HOUR = 3_600_000;

test("a time is the same in every form of ISO 8601 that vendors send", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(1980, 0, 1), max: Date.UTC(2199, 0, 1) }),
      fc.integer({ min: -12, max: 14 }),
      fc.constantFrom(0, 30, 45),
      fc.constantFrom("T", " ", "t"),
      fc.constantFrom(".", ","),
      (at, hours, minutes, between, point) => {
        const sign = hours < 0 ? "-" : "+";
        const two = (number: number) => String(Math.abs(number)).padStart(2, "0");
        const local = (offset: number) =>
          new Date(at + offset).toISOString().slice(0, -1).replace("T", between).replace(".", point);
        const whole = local(hours * HOUR);
        expect(timeOf(`${local(0)}Z`)).toBe(at);
        expect(timeOf(local(0))).toBe(at);
        expect(timeOf(`${whole}${sign}${two(hours)}`)).toBe(at);
        expect(timeOf(`${whole} ${sign}${two(hours)}`)).toBe(at);
        const offset = Math.sign(hours || 1) * (Math.abs(hours) * HOUR + minutes * 60_000);
        expect(timeOf(`${local(offset)}${sign}${two(hours)}${two(minutes)}`)).toBe(at);
        expect(timeOf(`${local(offset)}${sign}${two(hours)}:${two(minutes)}`)).toBe(at);
      },
    ),
  );
});

test("anything else is not a time", () => {
  for (const value of [
    null,
    "",
    "yesterday",
    "2026-01-05",
    "2026-01-05T14:02-4",
    "2026-13-05T14:02Z",
    // Date.parse takes these for other days.
    "2026-02-29T14:02Z",
    "2026-11-31 14:02:00-05",
    {},
    true,
  ])
    expect(timeOf(value)).toBeUndefined();
});

test("a leap second is the end of its minute", () => {
  const end = Date.UTC(2017, 0, 1);
  for (const text of ["2016-12-31T23:59:60Z", "2016-12-31 18:59:60-05", "2016-12-31T23:59:60.000"])
    expect(timeOf(text)).toBe(end);
  expect(timeOf("2016-12-31T23:59:60.250Z")).toBe(end + 250);
  expect(timeOf("2016-12-31T23:60Z")).toBeUndefined();
});
