/** Words of a one-line search that contain digits, as plates do, but usually mean something else. They are marked. */

import { MONTH_NAMES } from "./times.ts";

/** Models of cars and trucks whose names have a digit, without hyphens. Cannot be searched. */
const MODELS: ReadonlySet<string> = new Set(
  (
    "rav4 4runner gr86 bz4x f100 f150 f250 f350 f450 f550 e150 e250 e350 s10 cx3 cx5 cx7 cx9 cx30 cx50 cx90 mx5 " +
    "mazda2 mazda3 mazda5 mazda6 a3 a4 a5 a6 a7 a8 q3 q5 q7 q8 s4 s5 x1 x2 x3 x4 x5 x6 x7 m2 m3 m4 m5 z4 i3 i8 " +
    "c230 c240 c250 c300 e300 e320 e350 e550 glc300 glk350 ml350 gle350 gla250 rx300 rx330 rx350 es300 es330 es350 " +
    "is250 is300 is350 nx200t nx300 gs300 gs350 gx460 gx470 lx470 lx570 ct200h g35 g37 q50 q60 qx50 qx60 qx80 " +
    "xc40 xc60 xc70 xc90 s40 s60 s80 s90 v50 v60 v70 350z 370z xt4 xt5 xt6 ct4 ct5 ct6 h2 h3 k5 ev6 id4 model3 " +
    "ram1500 ram2500 ram3500 4x4 4x2 4wd 2wd 4dr 2dr 4door 2door"
  ).split(" "),
);

const BEFORE_A_NUMBER = "case|incident|exit|route|rte|rt|hwy|highway|interstate|unit|badge|pier|gate|lane";

/** What words that match these patterns may mean. They are compared in lower case. */
const RULES: readonly { pattern: RegExp; problem: string }[] = [
  {
    pattern: /^\d{1,3} (?:second|sec|minute|min|hour|hr|day|week|month|year)s?(?: ago)?(?= |$)/,
    problem: "Not understood as a time. Write “last 2 hours”, “3 days ago” or a date.",
  },
  {
    pattern: /^vans?(?= |$)/,
    problem: "Several body types are vans. Write “minivan” or “full size van”.",
  },
  {
    pattern: /^(?:next (?:\S+day|week|weekend|month)|this weekend)(?= |$)/,
    problem: "The future cannot be searched.",
  },
  {
    pattern: new RegExp(`^(?:${MONTH_NAMES}) \\d{1,4}(?= |$)|^\\d{1,2} (?:${MONTH_NAMES})(?= |$)`),
    problem: "There is no such date. Write “nov 20” or “2026-11-20”.",
  },
  {
    pattern: /^(?:between|from|at) \d{1,2}(?= |$)/,
    problem: "Not understood as a time. Add am or pm.",
  },
  { pattern: /^\d{1,2}(?::\d\d)? ?[ap]m(?= |$)/, problem: "There is no such time." },
  {
    pattern: new RegExp(`^(?:${BEFORE_A_NUMBER}) \\S*\\d\\S*`),
    problem: "Not understood.",
  },
];

/** Names of roads, and "5th". */
const ROAD_OR_ORDINAL = /^(?:(?:i|us|rt|rte|sr)-\d{1,3}|\d+(?:st|nd|rd|th))$/;

/** Returns how many of the first words are doubtful, and what to say about them; undefined if they are not. */
export function findDoubtful(words: readonly string[]): { length: number; problem: string } | undefined {
  const text = words.slice(0, 4).join(" ").toLowerCase();
  for (const { pattern, problem } of RULES) {
    const match = pattern.exec(text);
    if (match) return { length: match[0].split(" ").length, problem };
  }
  const [word = ""] = words;
  const isModel = MODELS.has(word.toLowerCase().replaceAll("-", ""));
  if (!isModel && !ROAD_OR_ORDINAL.test(word.toLowerCase())) return undefined;
  const what = isModel ? "Models cannot be searched." : "Not understood.";
  return { length: 1, problem: `${what} For a plate, write “plate ${word}”.` };
}
