/** Password requirements as the screens list them (specification section 5). The server makes the final decision. */
export const PASSWORD_REQUIREMENTS = [
  { key: "length", label: "At least 8 characters", holds: (text: string) => Array.from(text).length >= 8 },
  { key: "upper", label: "An uppercase letter", holds: (text: string) => /\p{Lu}/u.test(text) },
  { key: "lower", label: "A lowercase letter", holds: (text: string) => /\p{Ll}/u.test(text) },
  { key: "digit", label: "A digit", holds: (text: string) => /\p{Nd}/u.test(text) },
  {
    key: "special",
    label: "A special character",
    holds: (text: string) => /[^\p{L}\p{N}\p{M}\p{C}]/u.test(text),
  },
] as const;

/** Longer passwords are refused before hashing, to limit the cost. Passphrases of any sensible length are shorter. */
const PASSWORD_MAX_LENGTH = 512;

/** How many of a user's last passwords cannot be reused. */
export const PASSWORD_HISTORY = 10;

/** Characters of a password that must remain when a banned word or a name is removed from it. */
const MIN_REMAINING = 8;

/** Names that a password must not be based on: those of the user, the agency and the product. */
export type PasswordNames = { username: string; name: string; email: string; agency: string };

const LOOKALIKES: Record<string, string> = {
  "0": "o",
  "1": "l",
  "!": "i",
  "3": "e",
  "4": "a",
  "@": "a",
  "5": "s",
  $: "s",
  "7": "t",
  "8": "b",
};

const plain = (text: string) => text.normalize("NFKC").toLowerCase();
const spelledOut = (text: string) => text.replace(/[01!34@5$78]/g, (sign) => LOOKALIKES[sign] ?? sign);
/** Removes the digits and symbols that users put before and after a word. */
const core = (text: string) => text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");

/** Returns the requirements that a password does not meet, as a sentence, or undefined. */
export function shapeProblem(password: string): string | undefined {
  if (password.length > PASSWORD_MAX_LENGTH)
    return `A password can have at most ${PASSWORD_MAX_LENGTH} characters.`;
  const missing = PASSWORD_REQUIREMENTS.filter((requirement) => !requirement.holds(password));
  if (missing.length === 0) return undefined;
  const words = missing.map(({ label }) => label.charAt(0).toLowerCase() + label.slice(1));
  return `The password needs ${new Intl.ListFormat("en").format(words)}.`;
}

/**
 * Returns why a password is banned, or undefined (CJIS IA-5(1)(a): common words, repetitions, names of user and
 * service). `isCommon` looks up a lowercase word in the list.
 */
export function bannedProblem(
  password: string,
  names: PasswordNames,
  isCommon: (word: string) => boolean,
): string | undefined {
  const text = plain(password);
  if (new Set(text).size < 5) return "The password uses too few different characters.";
  const spelled = spelledOut(text);
  for (const candidate of new Set([text, spelled, core(text), core(spelled), core(spelledOut(core(text)))])) {
    if (candidate.length >= 4 && text.length - candidate.length < MIN_REMAINING && isCommon(candidate)) {
      return "The password is on the list of common and stolen passwords.";
    }
  }
  for (const variant of [text, spelled]) {
    let rest = variant;
    for (const name of wordsOf(names)) rest = rest.replaceAll(name, "");
    if (rest !== variant && rest.length < MIN_REMAINING)
      return "The password is too close to a name: yours, your agency's or the product's.";
  }
  return undefined;
}

/** Returns the words of the names, longest first, so that a word within another does not hide it. */
function wordsOf({ username, name, email, agency }: PasswordNames): string[] {
  const [mailbox = ""] = email.split("@");
  const words = [
    username,
    mailbox,
    ...[username, name, agency].flatMap((text) => text.split(/[^\p{L}\p{N}]/u)),
  ];
  const distinct = new Set(["odin", ...words.map(plain)].filter((word) => word.length >= 3));
  return [...distinct].sort((a, b) => b.length - a.length);
}
