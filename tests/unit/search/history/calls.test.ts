import { describe, expect, it } from "vitest";
import {
  againRangeIn,
  FindSearches,
  NameSearchForm,
  PinSearchForm,
  SaveSearch,
} from "#app/entities/search/history/calls.ts";
import { expectedRange, listedSince } from "#app/entities/search/history/past-search.ts";

const problemOf = (parsed: { error?: { issues: { message: string }[] } | undefined }) =>
  parsed.error?.issues[0]?.message;

describe("a page of past searches", () => {
  it("has no filter and is the first one unless the request says otherwise", () => {
    expect(FindSearches.parse({})).toEqual({ find: "", after: null });
    expect(FindSearches.parse({ find: "  silver honda ", after: "1|2" })).toEqual({
      find: "silver honda",
      after: "1|2",
    });
    expect(FindSearches.parse({ after: null }).after).toBeNull();
  });

  it("has a filter of at most 200 characters and a cursor of at most 60", () => {
    expect(FindSearches.parse({ find: "x".repeat(200) }).find).toHaveLength(200);
    expect(problemOf(FindSearches.safeParse({ find: "x".repeat(201) }))).toBe(
      "A filter has at most 200 characters.",
    );
    expect(FindSearches.parse({ after: "x".repeat(60) }).after).toHaveLength(60);
    expect(FindSearches.safeParse({ after: "x".repeat(61) }).success).toBe(false);
  });
});

describe("the change of a past search", () => {
  it("has a name, a pin, or both", () => {
    expect(SaveSearch.parse({ name: "" })).toEqual({ name: "" });
    expect(SaveSearch.parse({ pinned: false })).toEqual({ pinned: false });
    expect(SaveSearch.parse({ name: "The thief", pinned: true })).toEqual({
      name: "The thief",
      pinned: true,
    });
    expect(problemOf(SaveSearch.safeParse({}))).toBe("Send a name, pinned, or both.");
    expect(problemOf(SaveSearch.safeParse({ pinned: "yes" }))).toBe("pinned is true or false.");
  });

  it("has a name of at most 80 characters, without invisible ones", () => {
    expect(SaveSearch.parse({ name: "x".repeat(80) }).name).toHaveLength(80);
    expect(problemOf(SaveSearch.safeParse({ name: "x".repeat(81) }))).toBe(
      "A name has at most 80 characters.",
    );
    expect(SaveSearch.parse({ name: " The\u200b thief\n" }).name).toBe("The thief");
  });

  it("from a form also has the id of the search", () => {
    expect(NameSearchForm.parse({ id: "s1", name: " a " })).toEqual({ id: "s1", name: "a" });
    expect(NameSearchForm.safeParse({ id: "s1" }).success).toBe(false);
    expect(PinSearchForm.parse({ id: "x".repeat(100) }).id).toHaveLength(100);
    expect(PinSearchForm.safeParse({ id: "x".repeat(101) }).success).toBe(false);
    expect(PinSearchForm.safeParse({}).success).toBe(false);
  });
});

describe("the range of a link that runs a search again", () => {
  it.each([
    ["now", "now"],
    ["original", "original"],
    ["later", undefined],
    ["", undefined],
    [null, undefined],
  ])("%j is %s", (text, range) => {
    expect(againRangeIn(text)).toBe(range);
  });

  it("is expected to end now if the search ended at most 15 minutes before or after it was made", () => {
    const searchedAt = Date.parse("2026-11-20T19:03:07Z");
    expect(expectedRange({ end: searchedAt - 900_000, searchedAt })).toBe("now");
    expect(expectedRange({ end: searchedAt + 900_000, searchedAt })).toBe("now");
    expect(expectedRange({ end: searchedAt - 900_001, searchedAt })).toBe("original");
    expect(expectedRange({ end: searchedAt + 900_001, searchedAt })).toBe("original");
  });
});

it("searches are listed for whole days of 24 hours before now", () => {
  expect(listedSince(Date.parse("2026-11-20T19:03:07Z"), 30)).toBe(Date.parse("2026-10-21T19:03:07Z"));
});
