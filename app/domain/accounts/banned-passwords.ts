// The banned list: some 50,000 common and stolen passwords and the words of the diceware list, from a maintained
// package. Each user's row stores the list version that the password was checked against, so a newer list is checked at
// the next sign-in (CJIS IA-5(1)).

import { dictionary } from "@zxcvbn-ts/language-common";
import { bannedProblem, type PasswordNames } from "#app/entities/accounts/password-rules.ts";

/** Increase this with the package, or with a change of the rule in entities/accounts/password-rules.ts. */
export const BANNED_LIST_VERSION = "zxcvbn-common-4.1.3/1";

let words: Set<string> | undefined;

function isCommon(word: string): boolean {
  // Built on first use. Cached per isolate, since the list never changes.
  words ??= new Set([...dictionary["passwords-common"], ...dictionary["diceware-common"]]);
  return words.has(word);
}

/** Returns why the list or a name forbids this password, or undefined. */
export function banReason(password: string, names: PasswordNames): string | undefined {
  return bannedProblem(password, names, isCommon);
}
