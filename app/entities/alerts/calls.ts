/** What calls about alerts send. Apart from alert.ts, since no screen checks them and a schema weighs. */

import * as z from "zod/mini";
import { DISPOSITION_NOTE_MAX, DISPOSITIONS, type Disposition, NO_DISPOSITION } from "./hit.ts";

/** What POST /api/alerts/{id}/disposition takes. */
export const DispositionCall = z.object({
  disposition: z.nullable(
    z.enum(DISPOSITIONS.map(({ value }) => value) as [Disposition, ...Disposition[]], {
      error: "A disposition is correct, wrong-state, misread, dismissed or null.",
    }),
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
  /** `disposition_at` as the caller saw it: who decides on what somebody else has decided meanwhile is told. */
  known: z._default(z.nullable(z.string().check(z.maxLength(40))), null),
});
export type DispositionCall = z.infer<typeof DispositionCall>;

/** The filter of a history as the text of a query, of POST /alerts/group/{id}/find and /new. */
export const AlertFilterCall = z.object({ filter: z.string().check(z.maxLength(1000)) });

/** The same call as the fields of a form. */
export function dispositionOf({ disposition, note, known }: Record<string, string>) {
  return { disposition: disposition === NO_DISPOSITION ? null : disposition, note, known: known || null };
}
