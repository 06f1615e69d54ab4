/**
 * Detects vague justifications. Auditors found in practice: keyboard mashing, "police business", the user's own name,
 * one word. Pure; when in doubt, accepts short but meaningful sentences.
 */

import { visibleText } from "#app/lib/text.ts";

/** Words that do not explain why this plate was needed, and stop words. */
const EMPTY_WORDS = new Set(
  (
    "a an and any as at be because by do for from had has have he her him his i in is it its me my no not of on or our " +
    "she so that the their them they this to was we were will with yes " +
    "asap asdf blah business car case check checking cop cops court criminal demo detail dept department duty duties enforcement " +
    "fyi general help idk info information inquiry inv invest investigate investigating investigation investigations " +
    "investigative job law le lawful legit legitimate lookup lpr alpr misc na nil none nothing number official ok okay only " +
    "patrol pd personal plate plates please police proactive purpose purposes query random reason reasons request required " +
    "routine run running search searching see sgt something stop stuff susp suspect suspicious test testing tests tested " +
    "thing things try tst unknown use used vehicle veh whatever why work working xx xxx"
  ).split(" "),
);

const KEYBOARD_ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890", "abcdefghijklmnopqrstuvwxyz"];

/** Scripts written without spaces: one run of letters may be a whole sentence. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

const LEAST_LETTERS = 8;

/** The user who searches; their own name is not a reason. */
export type Searcher = { username: string; name: string };

/** Returns why a justification is vague, as text for the reviewer, or undefined. */
export function vagueReason(justification: string, searcher: Searcher): string | undefined {
  const text = visibleText(justification.normalize("NFKC")).toLowerCase();
  const tokens = text.split(/[^\p{L}\p{M}\p{N}'’-]/u).filter((token) => /[\p{L}\p{N}]/u.test(token));
  const letters = Array.from(text.matchAll(/\p{L}/gu)).length;
  if (tokens.length === 0) return "It has no words.";
  if (letters === 0) return "It has digits only.";
  const own = new Set([searcher.username, ...searcher.name.split(/\s/)].map(bare));
  if (tokens.every((token) => own.has(bare(token))) || bare(text) === bare(searcher.username))
    return "It is the searcher's own name.";
  if (UNSPACED.test(text) && letters >= LEAST_LETTERS / 2) return undefined;
  const typed = tokens.filter((token) => !isRepeated(token) && !isKeyboardRun(token));
  if (typed.length === 0) return "It is a run of neighboring keys, or one character repeated.";
  // "N/A" and similar texts are split at the slash.
  const telling = typed.filter((token) => !EMPTY_WORDS.has(bare(token)) && isTelling(token));
  if (telling.length === 0) return `“${shortened(text)}” is too vague.`;
  if (tokens.length === 1) return "One word is not a reason.";
  if (letters < LEAST_LETTERS && !telling.some((token) => /\p{N}{4}/u.test(token)))
    return `It has ${letters} letters, too few to say why.`;
  return undefined;
}

/** Returns the advice shown before the search, or "". */
export function vagueNotice(justification: string, searcher: Searcher): string {
  if (visibleText(justification) === "") return "";
  const reason = vagueReason(justification, searcher);
  return reason ? `${reason} Say why this search is needed, such as the offense or the case.` : "";
}

const bare = (token: string) => token.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Returns whether a token is a word of three letters or more, or a number long enough for a case number. */
function isTelling(token: string): boolean {
  return Array.from(token.matchAll(/\p{L}/gu)).length >= 3 || /\p{N}[\p{N}-]{2,}/u.test(token);
}

/** Matches `aaaa`, `xyxyxy`, `111`: repetitions of one or two characters. */
function isRepeated(token: string): boolean {
  const key = bare(token);
  return /^(.)\1{2,}$/u.test(key) || /^(..)\1{2,}$/u.test(key);
}

/**
 * Returns whether runs of four or more neighboring keys (or letters of the alphabet) cover at least two thirds of a
 * word, or all of a short one: `asdf`, `qwerty1`, `jkl`, but not `property`.
 */
function isKeyboardRun(token: string): boolean {
  const key = bare(token);
  const covered = Math.max(coveredBy(key, false), coveredBy(key, true));
  return covered >= 3 && covered * 3 >= key.length * 2;
}

/** Returns the number of characters in runs of neighboring keys, rightwards or leftwards. */
function coveredBy(key: string, leftwards: boolean): number {
  let [covered, stretch] = [0, 1];
  for (let i = 1; i <= key.length; i++) {
    const pair = leftwards ? `${key[i]}${key[i - 1]}` : `${key[i - 1]}${key[i]}`;
    if (i < key.length && KEYBOARD_ROWS.some((row) => row.includes(pair))) {
      stretch++;
      continue;
    }
    if (stretch >= Math.min(4, key.length)) covered += stretch;
    stretch = 1;
  }
  return covered;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
