/** Suggestions for the reason of a plate. */

/** Reasons that most agencies use. */
const COMMON = [
  "Stolen vehicle",
  "Stolen plate",
  "Wanted person",
  "Missing person",
  "AMBER Alert",
  "Felony vehicle",
] as const;

/** Most reasons that are suggested. */
export const MAX_REASONS = 12;

/** Returns the agency's own reasons, most frequent first, then common ones; each once, whatever its case. */
export function suggestedReasons(own: readonly string[]): string[] {
  const known = new Map<string, string>();
  for (const reason of [...own.map((text) => text.trim()), ...COMMON]) {
    const key = reason.toLowerCase();
    if (reason !== "" && !known.has(key)) known.set(key, reason);
  }
  return [...known.values()].slice(0, MAX_REASONS);
}
