import { isAppError } from "#app/lib/errors.ts";

/** Returns the SCIM keyword and the sentence of a refusal, or the result of what was accepted. Rethrows bugs. */
export function scimRefusal(act: () => unknown): unknown {
  try {
    return { accepted: act() };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return [error.details?.scimType, error.message];
  }
}
