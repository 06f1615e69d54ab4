import { describe, expect, it } from "vitest";
import {
  confirmationProblems,
  prohibitedIn,
  prohibitedNotice,
  prohibitedReason,
} from "#app/entities/search/prohibited-purpose.ts";
import { vagueNotice, vagueReason } from "#app/entities/search/vague-reason.ts";

const jo = { username: "jo.officer", name: "Jo Officer" };

const OWN = "It is the searcher's own name.";
const KEYS = "It is a run of neighboring keys, or one character repeated.";
const ONE_WORD = "One word is not a reason.";

describe("a justification is vague", () => {
  it.each([
    ["", "It has no words."],
    ["- ' -", "It has no words."],
    ["26-1044", "It has digits only."],
    ["Officer Jo", OWN],
    ["jo-officer", OWN],
    ["jo officer witness", undefined],
  ])("%j: %s", (text, reason) => {
    expect(vagueReason(text, jo)).toBe(reason);
  });

  it.each([
    ["jcruz7", "Ana  Cruz", "ana cruz"],
    ["jcruz7", "Ana  Cruz", "jcruz7 ana"],
    // The parts of a username are the username.
    ["j.cruz-7", "Ana Cruz", "J Cruz 7"],
    ["ana", "O’Neil-Ruiz", "o'neil-ruiz"],
  ])("if it is only the username %j or the name %j: %j", (username, name, text) => {
    expect(vagueReason(text, { username, name })).toBe(OWN);
  });

  it.each([
    // Three of one character, or three of a pair.
    ["aaa bbbb", KEYS],
    ["a1a1a1", KEYS],
    ["mkmkmk", KEYS],
    ["mkmk", ONE_WORD],
    ["mmmk", ONE_WORD],
    ["kmmm", ONE_WORD],
    ["mkmkmkp", ONE_WORD],
    ["pmkmkmk", ONE_WORD],
    // Four neighbors, or a whole word of three, rightwards or leftwards.
    ["jkl", KEYS],
    ["lkj", KEYS],
    ["poiu", KEYS],
    ["wxyz", KEYS],
    ["a4321", KEYS],
    ["asdfmqwer", KEYS],
    ["jklp", ONE_WORD],
    ["qwezrty", ONE_WORD],
    ["mkoasd", ONE_WORD],
    ["property", ONE_WORD],
    // Four of six characters are two thirds; four of seven are fewer.
    ["pbasdf", KEYS],
    ["pbkasdf", ONE_WORD],
  ])("if it is typed without thought, %j: %s", (text, reason) => {
    expect(vagueReason(text, jo)).toBe(reason);
  });

  it.each([
    ["aa bb", "“aa bb” is too vague."],
    ["pd 12", "“pd 12” is too vague."],
    ["pd 1-", "“pd 1-” is too vague."],
    ["N/A.", "“n/a.” is too vague."],
    ["jk", "“jk” is too vague."],
    ["Plate look-up", "“plate look-up” is too vague."],
    ["pd 471", "It has 2 letters, too few to say why."],
    ["pd 1-2", "It has 2 letters, too few to say why."],
    ["pd 4711", undefined],
    ["bad 471", "It has 3 letters, too few to say why."],
    ["bad 4711", undefined],
    ["bad guys", "It has 7 letters, too few to say why."],
    ["bold guys", undefined],
    ["o'neil", ONE_WORD],
    ["o’neil", ONE_WORD],
    ["re-theft", ONE_WORD],
    ["गिरफ्तारी", ONE_WORD],
  ])("if it says too little, %j: %s", (text, reason) => {
    expect(vagueReason(text, jo)).toBe(reason);
  });

  it("unless a script without spaces has at least four letters", () => {
    expect(vagueReason("调查被盗", jo)).toBeUndefined();
    expect(vagueReason("ขโมย", jo)).toBeUndefined();
    expect(vagueReason("调查被", jo)).toBe(ONE_WORD);
    expect(vagueReason("кража", jo)).toBe(ONE_WORD);
  });

  it("and quoted with at most 60 characters", () => {
    const eight = "police police police police police police police police";
    expect(vagueReason(`${eight} work`, jo)).toBe(`“${eight} work” is too vague.`);
    expect(vagueReason(`${eight} tests`, jo)).toBe(`“${eight} test…” is too vague.`);
  });

  it("with advice before the search", () => {
    expect(vagueNotice("CHECK", jo)).toBe(
      "“check” is too vague. Say why this search is needed, such as the offense or the case.",
    );
    expect(vagueNotice(" \u200b", jo)).toBe("");
    expect(vagueNotice("Stolen truck on Elm Street", jo)).toBe("");
  });
});

describe("a prohibited purpose", () => {
  const found = (text: string) => prohibitedIn(text).map(({ category, matched }) => [category, matched]);

  it.each([
    ["Request came from ICE", [["immigration enforcement", "ICE"]]],
    ["SLID ON ICE", []],
    ["REQUEST FROM ICE, case 1", [["immigration enforcement", "ICE"]]],
    ["DEVICE theft", []],
    ["slid on ice", []],
    // A crime against a protected class may name it, but no other prohibited purpose.
    ["Hate crime, muslim victim", []],
    ["bias-motivated attack on jews", []],
    ["hate crime at an abortion clinic", [["reproductive or gender-affirming care", "abortion"]]],
    ["Hated by muslims", [["a protected class", "muslims"]]],
    ["personal", [["a personal purpose", "personal"]]],
    ["1. Personal!", [["a personal purpose", "1. Personal!"]]],
    ["Personnel vehicle", []],
    [
      "ICE at the\n  abortion\tprotest",
      [
        ["immigration enforcement", "ICE"],
        ["speech, assembly or the press (First Amendment)", "protest"],
        ["reproductive or gender-affirming care", "abortion"],
      ],
    ],
  ])("in %j is quoted with its category: %j", (text, matches) => {
    expect(found(text)).toEqual(matches);
  });

  it("is quoted with single spaces", () => {
    expect(found("planned\n  parenthood lot")).toEqual([
      ["reproductive or gender-affirming care", "planned parenthood"],
    ]);
  });

  it("is the reason for a review, and a notice before the search", () => {
    const text = "Abortion protest";
    const reason =
      "“protest” reads like speech, assembly or the press (First Amendment). “Abortion” reads like reproductive or gender-affirming care.";
    expect(prohibitedReason(text)).toBe(reason);
    expect(prohibitedNotice(text)).toBe(
      `${reason} Plate reads may not be used for that. Such a search needs a second confirmation and is reported for review.`,
    );
    expect(prohibitedReason("Burglary on Elm Street")).toBeUndefined();
    expect(prohibitedNotice("Burglary on Elm Street")).toBe("");
  });
});

describe("the confirmation of a prohibited purpose", () => {
  const problems = (confirmation?: string, supervisor?: string) =>
    confirmationProblems({ justification: "Immigration status check", confirmation, supervisor }, jo);
  const PHRASE = "I confirm that this search is lawful";

  it.each([
    [PHRASE, {}],
    ["  i CONFIRM that\nthis search  is lawful. ", {}],
    [undefined, { confirmation: "Type “I confirm that this search is lawful”." }],
    [`${PHRASE}..`, { confirmation: "Type “I confirm that this search is lawful”." }],
    [
      "I confirm. that this search is lawful",
      { confirmation: "Type “I confirm that this search is lawful”." },
    ],
    ["Iconfirmthatthissearchislawful", { confirmation: "Type “I confirm that this search is lawful”." }],
  ])("is the typed phrase, here %j: %j", (confirmation, expected) => {
    expect(problems(confirmation, "Lt. Dana Reyes")).toEqual(expected);
  });

  const UNNAMED = "Enter the name of the supervisor who approved this search.";
  it.each([
    ["Lee", {}],
    ["李小龍", {}],
    ["Le", { supervisor: UNNAMED }],
    ["Le 12.", { supervisor: UNNAMED }],
    [undefined, { supervisor: UNNAMED }],
    ["JO.OFFICER", { supervisor: "Name a supervisor, not yourself." }],
    ["jo  officer.", { supervisor: "Name a supervisor, not yourself." }],
    ["Joe Officer", {}],
  ])("names a supervisor other than the searcher, here %j: %j", (supervisor, expected) => {
    expect(problems(PHRASE, supervisor)).toEqual(expected);
  });

  it("is not needed for other justifications", () => {
    expect(confirmationProblems({ justification: "Burglary on Elm Street" }, jo)).toEqual({});
  });
});
