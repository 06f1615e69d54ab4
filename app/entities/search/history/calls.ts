/** Schemas of the requests about a user's own searches. Separate from the types, which browsers load. */

import * as z from "zod/mini";
import { visibleText } from "#app/lib/text.ts";
import { AGAIN_RANGES, SAVED_NAME_MAX } from "./past-search.ts";

/** The body of POST /searches-data. A body, because a filter may contain a plate, which must not be part of a URL. */
export const FindSearches = z.object({
  find: z._default(z.string().check(z.trim(), z.maxLength(200, "A filter has at most 200 characters.")), ""),
  /** `next` of the page before. */
  after: z._default(z.nullable(z.string().check(z.maxLength(60))), null),
});
export type FindSearches = z.infer<typeof FindSearches>;

const name = z.pipe(
  z.string().check(z.maxLength(SAVED_NAME_MAX, `A name has at most ${SAVED_NAME_MAX} characters.`)),
  z.transform((value: string) => visibleText(value)),
);

/** The body of PATCH /searches/{id}: a new name ("" removes it), whether it is pinned, or both. */
export const SaveSearch = z
  .object({ name: z.optional(name), pinned: z.optional(z.boolean("pinned is true or false.")) })
  .check(
    z.refine(({ name, pinned }) => name !== undefined || pinned !== undefined, {
      error: "Send a name, pinned, or both.",
    }),
  );
export type SaveSearch = z.infer<typeof SaveSearch>;

const id = z.string().check(z.maxLength(100));

/** The fields of the screen's forms. */
export const NameSearchForm = z.object({ id, name });
export const PinSearchForm = z.object({ id });

/** Returns the range that a link asks for, or undefined for the expected one. */
export function againRangeIn(text: string | null) {
  return AGAIN_RANGES.find((range) => range === text);
}
