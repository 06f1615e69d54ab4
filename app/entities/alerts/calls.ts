/** Request schemas of calls about alerts. Apart from hit.ts, so that screens do not load zod. */

import * as z from "zod/mini";
import { DISPOSITION_NOTE_MAX, DISPOSITIONS, NO_DISPOSITION } from "./hit.ts";

/** The body of POST /api/alerts/{id}/disposition. */
export const DispositionCall = z.object({
  disposition: z.nullable(
    z.enum(
      DISPOSITIONS.map(({ value }) => value),
      {
        error: "A disposition is correct, wrong-state, misread, dismissed or null.",
      },
    ),
  ),
  note: z._default(
    z
      .string()
      .check(
        z.trim(),
        z.maxLength(DISPOSITION_NOTE_MAX, `A note has at most ${DISPOSITION_NOTE_MAX} characters.`),
      ),
    "",
  ),
  /** `disposition_at` as the caller saw it: if someone else changed it since, the call fails with a conflict. */
  known: z._default(z.nullable(z.string().check(z.maxLength(40))), null),
});
export type DispositionCall = z.infer<typeof DispositionCall>;

/** The filter of a history as query text, for POST /alerts/group/{id}/find and /new. */
export const AlertFilterCall = z.object({ filter: z.string().check(z.maxLength(1000)) });

/** Returns the body of a disposition call from the fields of a form. */
export function dispositionOf({ disposition, note, known }: Record<string, string>) {
  return { disposition: disposition === NO_DISPOSITION ? null : disposition, note, known: known || null };
}
