import { requirePepper } from "#app/lib/crypto/peppers.ts";

/** Returns why no passwords should be keyed with this setting, or undefined. */
export function pepperProblem(text: string): string | undefined {
  try {
    requirePepper(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
