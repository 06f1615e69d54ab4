// The banned list: some 50,000 common and stolen passwords and the words of the diceware list, from a maintained
// package. Its version is kept with every user, so that a newer list is compared at the next sign-in (CJIS IA-5(1)).

import { dictionary } from "@zxcvbn-ts/language-common";
import { bannedProblem, type PasswordNames } from "#app/entities/accounts/password-rules.ts";

/** To be raised with the package, or with the rule of entities/accounts/password-rules.ts. */
export const BANNED_LIST_VERSION = "zxcvbn-common-4.1.3/1";

let words: Set<string> | undefined;

function isCommon(word: string): boolean {
  // Built at the first question; a list that never changes may be kept by the isolate.
  words ??= new Set([...dictionary["passwords-common"], ...dictionary["diceware-common"]]);
  return words.has(word);
}

/** Why the list or a name forbids this password, or undefined. */
export function banned(password: string, names: PasswordNames): string | undefined {
  return bannedProblem(password, names, isCommon);
}
