import { describe, expect, it } from "vitest";
import { rangeOfTimes, timeAt } from "#app/entities/search/line/times.ts";

/** A Friday. */
const NOW = "2026-11-20T14:03:07";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const read = (text: string, now = NOW) => timeAt(text.split(" "), now);
const hours = (from: number, to: number) => ({ hours: { from: from * 60, to: to * 60 } });

describe("a time phrase of a one-line search", () => {
  it.each([
    ["last 90 minutes", 90 * MINUTE, 3],
    ["past minute", MINUTE, 2],
    ["last 1 hour", HOUR, 3],
    ["last day", DAY, 2],
    ["past 2 weeks", 14 * DAY, 3],
    ["last month", 30 * DAY, 2],
    ["last 999 days", 999 * DAY, 3],
    ["1 minute", MINUTE, 2],
    ["36 hours", 36 * HOUR, 2],
    ["3 months", 90 * DAY, 2],
    ["LAST Week", 7 * DAY, 2],
  ])("%j is a span up to now", (text, span, length) => {
    expect(read(text)).toEqual({ span, length });
  });

  it.each([
    ["today", "2026-11-20", 1],
    ["yesterday", "2026-11-19", 1],
    ["1 day ago", "2026-11-19", 3],
    ["20 days ago", "2026-10-31", 3],
    ["1 week ago", "2026-11-13", 3],
    ["3 weeks ago", "2026-10-30", 3],
    // The last such weekday, which may be today; "last" excludes today.
    ["friday", "2026-11-20", 1],
    ["on friday", "2026-11-20", 2],
    ["last friday", "2026-11-13", 2],
    ["thursday", "2026-11-19", 1],
    ["last thursday", "2026-11-19", 2],
    ["wednesday", "2026-11-18", 1],
    ["tuesday", "2026-11-17", 1],
    ["monday", "2026-11-16", 1],
    ["sunday", "2026-11-15", 1],
    ["saturday", "2026-11-14", 1],
    ["2026-11-01", "2026-11-01", 1],
    ["2028-02-29", "2028-02-29", 1],
    // Without a year it is the last such day.
    ["11/20", "2026-11-20", 1],
    ["11/21", "2025-11-21", 1],
    ["1/5", "2026-01-05", 1],
    ["01/05", "2026-01-05", 1],
    ["2/29/2024", "2024-02-29", 1],
    ["nov 20", "2026-11-20", 2],
    ["nov 21", "2025-11-21", 2],
    ["2 november 2025", "2025-11-02", 3],
    ["november 12 2024", "2024-11-12", 3],
    ["12 nov", "2026-11-12", 2],
  ])("%j is a date", (text, date, length) => {
    expect(read(text)).toEqual({ date, length });
  });

  it.each([
    ["jan", "january", "2026-01-03"],
    ["feb", "february", "2026-02-03"],
    ["mar", "march", "2026-03-03"],
    ["apr", "april", "2026-04-03"],
    ["may", "may", "2026-05-03"],
    ["jun", "june", "2026-06-03"],
    ["jul", "july", "2026-07-03"],
    ["aug", "august", "2026-08-03"],
    ["sep", "september", "2026-09-03"],
    ["sept", "september", "2026-09-03"],
    ["oct", "october", "2026-10-03"],
    ["nov", "november", "2026-11-03"],
    ["dec", "december", "2025-12-03"],
  ])("%s and %s are months", (short, long, date) => {
    for (const text of [`${short} 3`, `${long} 3`, `3 ${short}`, `03 ${long}`])
      expect(read(text)).toEqual({ date, length: 2 });
  });

  it.each([
    ["since yesterday", "2026-11-19T00:00:00", 2],
    ["since last friday", "2026-11-13T00:00:00", 3],
    ["since nov 2 2025", "2025-11-02T00:00:00", 4],
  ])("%j is a span since the start of a day", (text, span, length) => {
    expect(read(text)).toEqual({ span, length });
  });

  it.each([
    ["morning", hours(5, 12), 1],
    ["afternoon", hours(12, 17), 1],
    ["in the evening", hours(17, 22), 3],
    ["at night", hours(22, 29), 2],
    ["this morning", { date: "2026-11-20", ...hours(5, 12) }, 2],
    ["this night", { date: "2026-11-20", ...hours(22, 29) }, 2],
    ["last evening", { date: "2026-11-19", ...hours(17, 22) }, 2],
    ["tonight", { date: "2026-11-20", ...hours(17, 29) }, 1],
  ])("%j is a part of a day", (text, part, length) => {
    expect(read(text)).toEqual({ ...part, length });
  });

  it.each([
    ["between 8am and 10am", hours(8, 10), 4],
    ["from 8 am to 10 am", hours(8, 10), 6],
    ["between 8am until 10am", hours(8, 10), 4],
    ["8:30am-10:15am", hours(8.5, 10.25), 1],
    ["8am - 10am", hours(8, 10), 3],
    ["8am–10am", hours(8, 10), 1],
    ["8am until 10am", hours(8, 10), 3],
    ["8:00 to 13:30", hours(8, 13.5), 3],
    ["12am to 12pm", hours(0, 12), 3],
    ["noon to midnight", hours(12, 24), 3],
    ["midnight to noon", hours(0, 12), 3],
    // An end that is not after the start is on the next day.
    ["from 8pm to 2am", hours(20, 26), 4],
    ["10am to 10am", hours(10, 34), 3],
    ["10am to 10:01am", hours(10, 10 + 1 / 60), 3],
    // The first time has the half of the day that puts it before the second one.
    ["between 5 and 6pm", hours(17, 18), 4],
    ["from 5 to 6 pm", hours(17, 18), 5],
    ["5-6am", hours(5, 6), 1],
    ["5:15 until 5:45 am", hours(5.25, 5.75), 4],
    ["11-1am", hours(23, 25), 1],
    ["11-1pm", hours(11, 13), 1],
    ["12-1pm", hours(12, 13), 1],
    ["10 to 12pm", hours(10, 12), 3],
    ["9-9pm", hours(9, 21), 1],
    ["12-12pm", hours(0, 12), 1],
    ["after 9pm", hours(21, 24), 2],
    ["after midnight", hours(0, 24), 2],
    ["after 23:59", hours(23 + 59 / 60, 24), 2],
    ["before 6am", hours(0, 6), 2],
    ["before noon", hours(0, 12), 2],
    ["before midnight", hours(0, 24), 2],
    // Half an hour before to half an hour after.
    ["8pm", hours(19.5, 20.5), 1],
    ["8 pm", hours(19.5, 20.5), 2],
    ["at 8:15pm", hours(19.75, 20.75), 2],
    ["around noon", hours(11.5, 12.5), 2],
    ["about midnight", hours(0, 0.5), 2],
    ["0:10", hours(0, 40 / 60), 1],
    ["0:40", hours(10 / 60, 70 / 60), 1],
    ["23:59", hours(23 + 29 / 60, 24 + 29 / 60), 1],
    ["12am", hours(0, 0.5), 1],
    ["12pm", hours(11.5, 12.5), 1],
    ["11pm", hours(22.5, 23.5), 1],
  ])("%j is hours of a day", (text, part, length) => {
    expect(read(text)).toEqual({ ...part, length });
  });

  it.each([
    "last 0 days",
    "0 hours",
    "last 1000 days",
    "2 hours ago",
    "last",
    "last quarter",
    "since",
    "since 2026-02-30",
    "2026-02-29",
    "2026-13-01",
    "2/29",
    "13/1",
    "0/5",
    "11/31/2025",
    "feb 30",
    "nov2",
    "may",
    "mondays",
    "todayish",
    "mornings",
    "between noon",
    "8am-",
    "10:00-25:00",
    "25:00-10:00",
    "1pm-13pm",
    "13-2pm",
    "1-13pm",
    "0-1am",
    "before 12am",
    "before 0:00",
    "after 24:00",
    "before 25:00",
    "24:00",
    "13pm",
    "0am",
    "8:60",
    "8",
    "tomorrow",
    "in today",
    "",
  ])("%j is not a time phrase", (text) => {
    expect(read(text)).toBeUndefined();
  });

  it("is the longest one at the beginning of the words", () => {
    expect(read("yesterday evening")).toEqual({ date: "2026-11-19", length: 1 });
    expect(read("nov 2 2025 silver")).toEqual({ date: "2025-11-02", length: 3 });
    expect(read("nov 2 1999")).toEqual({ date: "2026-11-02", length: 2 });
    expect(read("8pm to 9pm today")).toEqual({ ...hours(20, 21), length: 3 });
    expect(read("silver yesterday")).toBeUndefined();
  });

  it("is the weekend before on a Saturday and a Sunday, if it is the last one", () => {
    for (const now of ["2026-11-21T09:00:00", "2026-11-22T23:00:00"]) {
      const last = { span: "2026-11-14T00:00:00", until: "2026-11-16T00:00:00" };
      expect(read("last weekend", now)).toEqual({ ...last, length: 2 });
      const own = { span: "2026-11-21T00:00:00", until: "2026-11-23T00:00:00" };
      expect(read("this weekend", now)).toEqual({ ...own, length: 2 });
      expect(read("weekend", now)).toEqual({ ...own, length: 1 });
    }
  });

  it("has the weekday of the user's own date, and a date of the year before in January", () => {
    expect(read("sunday", "2026-11-22T00:00:00")).toEqual({ date: "2026-11-22", length: 1 });
    expect(read("last sunday", "2026-11-22T23:59:59")).toEqual({ date: "2026-11-15", length: 2 });
    expect(read("yesterday", "2027-01-01T08:00:00")).toEqual({ date: "2026-12-31", length: 1 });
    expect(read("1/2", "2027-01-01T08:00:00")).toEqual({ date: "2026-01-02", length: 1 });
    expect(read("2/29", "2028-03-01T08:00:00")).toEqual({ date: "2028-02-29", length: 1 });
    expect(read("2/29", "2029-03-01T08:00:00")).toEqual({ date: "2028-02-29", length: 1 });
  });
});

describe("the range of the time phrases of a line", () => {
  it("is a span, or the time since the start of a day", () => {
    expect(rangeOfTimes([{ span: 3 * DAY }], NOW)).toEqual({ span: 3 * DAY });
    expect(rangeOfTimes([{ span: "2026-11-16T00:00:00" }], NOW)).toEqual({
      start: "2026-11-16T00:00:00",
      end: "2026-11-20T14:03:07",
    });
    expect(rangeOfTimes([], NOW)).toBeUndefined();
  });

  it("is a whole day, or hours of it, in either order of the phrases", () => {
    const date = { date: "2026-11-19" };
    expect(rangeOfTimes([date], NOW)).toEqual({ start: "2026-11-19T00:00:00", end: "2026-11-20T00:00:00" });
    const night = { start: "2026-11-19T22:00:00", end: "2026-11-20T05:00:00" };
    expect(rangeOfTimes([date, hours(22, 29)], NOW)).toEqual(night);
    expect(rangeOfTimes([hours(22, 29), date], NOW)).toEqual(night);
  });

  it("without a date is today if the hours have begun, and yesterday otherwise", () => {
    const from = 14 * 60 + 3;
    expect(rangeOfTimes([{ hours: { from, to: from + 60 } }], "2026-11-20T14:03:00")).toEqual({
      start: "2026-11-20T14:03:00",
      end: "2026-11-20T15:03:00",
    });
    expect(rangeOfTimes([{ hours: { from: from + 1, to: from + 60 } }], "2026-11-20T14:03:59")).toEqual({
      start: "2026-11-19T14:04:00",
      end: "2026-11-19T15:03:00",
    });
  });
});
