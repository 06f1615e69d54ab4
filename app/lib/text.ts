/**
 * Control, format (zero-width, direction), private-use and unassigned characters, the blank Braille cell, and whatever
 * Unicode says may be left out of the picture (joiners, variation selectors, fillers): nothing that a reader sees.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A text without what nobody can see, its ends trimmed: empty where a reader would see nothing. */
export function visibleText(text: string): string {
  return text
    .replace(/\r?\n|\t/g, " ")
    .replace(INVISIBLE, "")
    .trim();
}

/** A text of several lines without what nobody can see; at most one empty line stays between two others. */
export function visibleLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map(visibleText)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Whether a text holds control characters other than line ends and tabs. */
export function hasControlCharacters(text: string): boolean {
  return /[\p{Cc}]/u.test(text.replace(/[\r\n\t]/g, ""));
}

/** A text cut to so many characters, with an ellipsis where it was longer. */
export function truncated(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
