/** Peppers by their version. The newest makes new hashes; the others still check what was made with them. */
export type Peppers = { newest: number; byVersion: ReadonlyMap<number, string> };

/**
 * Reads PASSWORD_PEPPER: `1:<old>,2:<new>`, or one text alone, which is version 1.
 * Throws where a text that begins like a version is no such list; the message holds nothing of it.
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

/** Every pepper, the newest first: what was kept under any of them is found by trying them in this order. */
export function allPeppers(text: string): string[] {
  return [...parsePeppers(text).byVersion].sort(([a], [b]) => b - a).map(([, pepper]) => pepper);
}
