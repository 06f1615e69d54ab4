import { allPeppers } from "#app/lib/crypto/peppers.ts";

/** 32 random bytes as text are longer. Once passwords are keyed with a short one, a stolen table is easier to crack. */
const PEPPER_CHARACTERS = 32;

/** Returns why no passwords should be keyed with this setting, or undefined. */
export function pepperProblem(text: string): string | undefined {
  try {
    const [newest] = allPeppers(text);
    if (newest.length >= PEPPER_CHARACTERS) return undefined;
    return `PASSWORD_PEPPER must have at least ${PEPPER_CHARACTERS} characters.`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
