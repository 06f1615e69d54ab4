import { requirePepper } from "#app/lib/crypto/peppers.ts";

/** Returns what is wrong with this setting of the password pepper; undefined if nothing is. */
export function pepperProblem(text: string): string | undefined {
  try {
    requirePepper(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
