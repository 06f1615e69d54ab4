import { describe, expect, it } from "vitest";
import { findDoubtful } from "#app/entities/search/line/doubtful.ts";

describe("doubtful words of a line", () => {
  it.each([
    ["2 hours", 2],
    ["2 hours ago", 3],
    ["90 second", 2],
    ["90 secs", 2],
    ["5 min", 2],
    ["5 minutes ago", 3],
    ["1 hr", 2],
    ["999 days", 2],
    ["1 week", 2],
    ["2 months ago", 3],
    ["3 years", 2],
    ["2 hours agone", 2],
  ])("%j are called no time", (text, length) => {
    expect(findDoubtful(text.split(" "))).toEqual({
      length,
      problem: "Not understood as a time. Write “last 2 hours”, “3 days ago” or a date.",
    });
  });

  it.each([
    ["next friday", 2, "The future cannot be searched."],
    ["NEXT week", 2, "The future cannot be searched."],
    ["next month on", 2, "The future cannot be searched."],
    ["next weekend", 2, "The future cannot be searched."],
    ["this weekend", 2, "The future cannot be searched."],
    ["vans ct", 1, "Several body types are vans. Write “minivan” or “full size van”."],
    ["feb 30", 2, "There is no such date. Write “nov 20” or “2026-11-20”."],
    ["30 february", 2, "There is no such date. Write “nov 20” or “2026-11-20”."],
    ["may 2026", 2, "There is no such date. Write “nov 20” or “2026-11-20”."],
    ["between 5", 2, "Not understood as a time. Add am or pm."],
    ["from 12 to 3", 2, "Not understood as a time. Add am or pm."],
    ["at 9", 2, "Not understood as a time. Add am or pm."],
    ["13pm", 1, "There is no such time."],
    ["0 am", 2, "There is no such time."],
    ["8:75pm", 1, "There is no such time."],
    ["case 26-1044", 2, "Not understood."],
    ["Route A7x", 2, "Not understood."],
    ["hwy 9", 2, "Not understood."],
    ["lane 2", 2, "Not understood."],
    ["i-95", 1, "Not understood. For a plate, write “plate i-95”."],
    ["US-1 north", 1, "Not understood. For a plate, write “plate US-1”."],
    ["rte-66", 1, "Not understood. For a plate, write “plate rte-66”."],
    ["sr-520", 1, "Not understood. For a plate, write “plate sr-520”."],
    ["1st", 1, "Not understood. For a plate, write “plate 1st”."],
    ["22nd", 1, "Not understood. For a plate, write “plate 22nd”."],
    ["103rd", 1, "Not understood. For a plate, write “plate 103rd”."],
    ["9TH", 1, "Not understood. For a plate, write “plate 9TH”."],
    ["rav4", 1, "Models cannot be searched. For a plate, write “plate rav4”."],
    ["F-150 red", 1, "Models cannot be searched. For a plate, write “plate F-150”."],
    ["2door", 1, "Models cannot be searched. For a plate, write “plate 2door”."],
  ])("%j are explained", (text, length, problem) => {
    expect(findDoubtful(text.split(" "))).toEqual({ length, problem });
  });

  it.each([
    "",
    "1000 hours",
    "2 hourly",
    "last 2 hours",
    "next day",
    "next year",
    "feb 20261",
    "february",
    "123 feb",
    "x12 feb",
    "at 123",
    "between five",
    "13pmx",
    "013pm",
    "case",
    "case abc",
    "briefcase 12",
    "route",
    "i-1234",
    "i95",
    "xi-95",
    "i-95x",
    "9thx",
    "x9th",
    "th",
    "8b4",
    "rav",
  ])("%j are not doubtful", (text) => {
    expect(findDoubtful(text.split(" "))).toBeUndefined();
  });

  it("do not exist in an empty line", () => {
    expect(findDoubtful([])).toBeUndefined();
  });
});
