/**
 * What a search may be for. The codes are kept in the audit log (`query.purpose` of a search) and counted on the page of
 * figures; "" means that none was named. Connecticut Public Act 26-14 section 13 lists what reads may be used for; what it
 * forbids has no code here.
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

/** What is wrong with a search's purpose, in the user's words, or undefined; whether one is needed is the agency's policy. */
export function purposeProblem(purpose: string, required: boolean): string | undefined {
  if (!required || purpose !== "") return undefined;
  return "Your agency asks for a purpose with every search.";
}

/** What a purpose is called; a code of an older version, or none, is "Not stated". */
export function purposeLabel(code: string): string {
  return PURPOSES.find((purpose) => purpose.code === code)?.label ?? "Not stated";
}
