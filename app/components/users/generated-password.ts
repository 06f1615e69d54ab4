const GROUPS = ["abcdefghjkmnpqrstuvwxyz", "ACDEFGHJKLMNPQRTUVWXY", "34679"] as const;
const ALL = GROUPS.join("");

function pick(from: string): string {
  // Numbers beyond the last whole multiple are drawn again, so that no letter is likelier than another.
  const limit = Math.floor(2 ** 32 / from.length) * from.length;
  for (;;) {
    const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
    if (number < limit) return from[number % from.length] as string;
  }
}

/** A random password in groups, with every kind of character that the rules ask for. */
export function generatedPassword(): string {
  const letters = [...GROUPS.map(pick), ...Array.from({ length: 13 }, () => pick(ALL))];
  const order = letters.map((letter) => ({
    letter,
    at: pick("0123456789abcdef") + pick("0123456789abcdef"),
  }));
  order.sort((a, b) => (a.at < b.at ? -1 : 1));
  const text = order.map(({ letter }) => letter).join("");
  return (text.match(/.{4}/g) ?? []).join("-");
}
