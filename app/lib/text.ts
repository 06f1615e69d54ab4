/**
 * Characters without a visible form: control, format (zero-width, direction), private-use and unassigned
 * characters, the blank Braille cell, and those that Unicode allows to ignore (joiners, variation selectors,
 * fillers).
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Matches almost every text of a vendor's read. Applying the expression above to every text would take most of the
 * time.
 */
const ONLY_VISIBLE = /^[!-~]+(?: [!-~]+)*$/;

/** Returns a text without invisible characters, trimmed; empty if nothing visible remains. */
export function visibleText(text: string): string {
  if (ONLY_VISIBLE.test(text)) return text;
  return text
    .replace(/\r?\n|\t/g, " ")
    .replace(INVISIBLE, "")
    .trim();
}

/**
 * Returns a text of several lines without invisible characters; at most one empty line stays between two others.
 */
export function visibleLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map(visibleText)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/**
 * Returns a text with A to Z in lower case, as SQLite's lower() does. Other letters stay. Otherwise the Kelvin sign,
 * which is not ASCII, would become a k, and one person's email address could become another's.
 */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * Returns a text without the characters at its end that a class contains. An expression such as `/ +$/` tries each run
 * of them from each of its characters, so that its time grows with the square of the run.
 */
export function withoutEnd(text: string, characters: RegExp): string {
  let end = text.length;
  while (end > 0 && characters.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * Returns why a text cannot be stored, as the end of a sentence, or undefined: half of a surrogate pair, which UTF-8
 * cannot represent, or a control character. Tabs and line ends are allowed with `lines`; otherwise only at the ends.
 */
export function textProblem(text: string, { lines }: { lines: boolean }): string | undefined {
  if (!text.isWellFormed()) return "contains half of a surrogate pair, which is not a character";
  const looked = lines
    ? text.replace(/[\r\n\t]/g, "")
    : withoutEnd(text.replace(/^[\r\n\t ]+/, ""), /[\r\n\t ]/);
  const control = /\p{Cc}/u.exec(looked)?.[0];
  if (control === undefined) return undefined;
  if (/[\r\n]/.test(control)) return "contains a line break";
  const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return `contains a control character (U+${code})`;
}

/**
 * Returns the text with U+FFFD for each unpaired surrogate and each control character except tabs and line ends.
 */
export function repairedText(text: string): string {
  return text.toWellFormed().replace(/(?![\r\n\t])\p{Cc}/gu, "\uFFFD");
}

/** Returns a text with its first letter in upper case. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a text cut to `length` characters, with an ellipsis if it was longer. */
export function truncated(text: string, length: number): string {
  if (text.length <= length) return text;
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}

/** Returns at most `length` code units of a text's beginning, without half of a surrogate pair at its end. */
export function beginning(text: string, length: number): string {
  return text.slice(0, length).replace(/\p{Cs}$/u, "");
}

const COLLATOR = new Intl.Collator("en", { numeric: true });

/** Returns a text that no spreadsheet runs as a formula, by a leading apostrophe (ASVS 1.2.10). */
export function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\n\0\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
}

/** Compares two names for a list: "Camera 2" comes before "Camera 10". Returns a number for `sort`. */
export function compareNames(a: string, b: string): number {
  return COLLATOR.compare(a, b);
}
