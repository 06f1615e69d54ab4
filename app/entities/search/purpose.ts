/**
 * Purposes of a search. The codes are stored in the audit log (`query.purpose` of a search) and counted on the
 * transparency page; "" means none was named. Connecticut Public Act 26-14 section 13 lists permitted uses; prohibited
 * ones have no code.
 */
export const PURPOSES = [
  { code: "investigation", label: "Active criminal investigation" },
  { code: "warrant", label: "Warrant or court order" },
  { code: "missing-person", label: "Missing or endangered person" },
  { code: "stolen-vehicle", label: "Stolen vehicle or plate" },
  { code: "hit", label: "Checking a hotlist hit" },
  { code: "crash", label: "Crash or hit-and-run" },
  { code: "audit", label: "Audit, training or test" },
  { code: "other", label: "Other lawful duty" },
] as const;
export type Purpose = (typeof PURPOSES)[number]["code"];

/**
 * Returns what is wrong with a search's purpose, as text for the user, or undefined. The agency's policy requires one.
 */
export function purposeProblem(purpose: string, required: boolean): string | undefined {
  if (!required || purpose !== "") return undefined;
  return "Your agency requires a purpose for every search.";
}

/** Returns the label of a purpose; "Not stated" for unknown codes and for none. */
export function purposeLabel(code: string): string {
  return PURPOSES.find((purpose) => purpose.code === code)?.label ?? "Not stated";
}

/** What a user types to search although the justification names a prohibited purpose. */
export const CONFIRMATION_PHRASE = "I confirm that this search is lawful";
