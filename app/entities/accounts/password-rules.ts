/** The requirements of a password as the screens list them (specification section 5); the server decides finally. */
export const PASSWORD_REQUIREMENTS = [
  { key: "length", label: "At least 8 characters", holds: (text: string) => Array.from(text).length >= 8 },
  { key: "upper", label: "An upper-case letter", holds: (text: string) => /\p{Lu}/u.test(text) },
  { key: "lower", label: "A lower-case letter", holds: (text: string) => /\p{Ll}/u.test(text) },
  { key: "digit", label: "A digit", holds: (text: string) => /\p{Nd}/u.test(text) },
  {
    key: "special",
    label: "A special character",
    holds: (text: string) => /[^\p{L}\p{N}\p{M}\p{C}]/u.test(text),
  },
] as const;

/** Longer ones are refused before they are hashed; passphrases of any sensible length fit. */
const PASSWORD_MAX_LENGTH = 512;

/** How many of a user's last passwords may not be chosen again. */
export const PASSWORD_HISTORY = 10;

/** What must be left of a password when a banned word or a name is taken out of it. */
const LEAST_OWN = 8;

/** Names that a password may not be made of: those of the user, the agency and the product. */
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
/** Without the digits and signs that people put before and after a word. */
const core = (text: string) => text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");

/** The first requirement that a password does not meet, as a sentence, or undefined. */
export function shapeProblem(password: string): string | undefined {
  if (password.length > PASSWORD_MAX_LENGTH)
    return `A password has at most ${PASSWORD_MAX_LENGTH} characters.`;
  const missing = PASSWORD_REQUIREMENTS.filter((requirement) => !requirement.holds(password));
  if (missing.length === 0) return undefined;
  const words = missing.map(({ label }) => label.charAt(0).toLowerCase() + label.slice(1));
  return `The password needs ${new Intl.ListFormat("en").format(words)}.`;
}

/**
 * Why a password is banned, or undefined (CJIS IA-5(1)(a): common words, repetitions, names of user and service).
 * `isCommon` knows the list, in lower case.
 */
export function bannedProblem(
  password: string,
  names: PasswordNames,
  isCommon: (word: string) => boolean,
): string | undefined {
  const text = plain(password);
  if (new Set(text).size < 5) return "The password repeats too few characters.";
  const spelled = spelledOut(text);
  for (const candidate of new Set([text, spelled, core(text), core(spelled), core(spelledOut(core(text)))])) {
    if (candidate.length >= 4 && text.length - candidate.length < LEAST_OWN && isCommon(candidate)) {
      return "The password is on the list of common and stolen passwords.";
    }
  }
  for (const variant of [text, spelled]) {
    let rest = variant;
    for (const name of wordsOf(names)) rest = rest.replaceAll(name, "");
    if (rest !== variant && rest.length < LEAST_OWN)
      return "The password is little more than a name: yours, your agency's or the product's.";
  }
  return undefined;
}

/** The words of the names, longest first, so that a word within another does not hide it. */
function wordsOf({ username, name, email, agency }: PasswordNames): string[] {
  const [mailbox = ""] = email.split("@");
  const words = [
    username,
    mailbox,
    ...[username, name, agency].flatMap((text) => text.split(/[^\p{L}\p{N}]+/u)),
  ];
  const distinct = new Set(["odin", ...words.map(plain)].filter((word) => word.length >= 3));
  return [...distinct].sort((a, b) => b.length - a.length);
}
