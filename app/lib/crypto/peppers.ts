/** Peppers by version. The newest makes new hashes; the others still verify older hashes. */
export type Peppers = { newest: number; byVersion: ReadonlyMap<number, string> };

/**
 * Parses PASSWORD_PEPPER: `1:<old>,2:<new>`, or a single text, which is version 1. Throws if a text that begins
 * like a version is not such a list; the message contains no part of it.
 */
export function parsePeppers(text: string): Peppers {
  if (!/^\d+:/.test(text)) return { newest: 1, byVersion: new Map([[1, text]]) };
  const byVersion = new Map<number, string>();
  for (const part of text.split(",")) {
    const [, digits = "", pepper = ""] = /^\s*(\d{1,4}):(\S+)\s*$/.exec(part) ?? [];
    const version = Number(digits);
    if (version < 1 || pepper === "" || byVersion.has(version))
      throw new Error("PASSWORD_PEPPER must be one text, or a list like 1:<text>,2:<text>");
    byVersion.set(version, pepper);
  }
  return { newest: Math.max(...byVersion.keys()), byVersion };
}

/**
 * A text for 32 random bytes is longer. Once passwords are keyed with a short pepper, a stolen table is easier to
 * crack.
 */
const PEPPER_CHARACTERS = 32;

/** Throws Error if passwords should not be keyed with this setting. Former peppers may be short: they only verify. */
export function requirePepper(text: string): void {
  const [newest] = allPeppers(text);
  if (newest.length >= PEPPER_CHARACTERS) return;
  throw new Error(`PASSWORD_PEPPER must have at least ${PEPPER_CHARACTERS} characters.`);
}

/** Returns every pepper, newest first. */
export function allPeppers(text: string): [string, ...string[]] {
  const { newest, byVersion } = parsePeppers(text);
  const older = [...byVersion].filter(([version]) => version !== newest).sort(([a], [b]) => b - a);
  return [byVersion.get(newest) ?? "", ...older.map(([, pepper]) => pepper)];
}
