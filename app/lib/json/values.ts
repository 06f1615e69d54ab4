/** Schemas of values as clients send them: the same field may be absent, null, a text or a number. */

import * as z from "zod/mini";
import { numberFromText } from "#app/lib/number-text.ts";
import { visibleText } from "#app/lib/text.ts";

/** A text, or a number as its digits. An absent or null value becomes an empty text. */
const anyText = z.pipe(
  z.nullish(z.union([z.string(), z.number()])),
  z.transform((value: string | number | null | undefined) => String(value ?? "")),
);

/**
 * Returns the schema of a text that `schema` checks. An absent or null value, which clients send for an empty field,
 * becomes an empty text.
 */
export function clientText<S extends z.ZodMiniType<unknown, string>>(schema: S) {
  return z.pipe(anyText, schema);
}

/** Returns the schema of a name: without invisible characters, so that names that look the same are the same. */
export function nameText(missing: string, most: number) {
  return z
    .string(missing)
    .check(
      z.overwrite(visibleText),
      z.minLength(1, missing),
      z.maxLength(most, `At most ${most} characters.`),
    );
}

/** Returns the schema of a field that may be absent. Null counts as absent. */
export function optionalField<T>(schema: z.ZodMiniType<T>) {
  return z.optional(
    z.pipe(
      z.nullable(schema),
      z.transform((value: T | null) => value ?? undefined),
    ),
  );
}

/** Returns the schema of a word that `schema` checks. An absent, null or empty value becomes `usual`. */
export function wordOr<W extends string>(usual: W, schema: z.ZodMiniType<W>) {
  return z.pipe(
    z.nullish(z.union([z.literal(""), schema])),
    z.transform((value: "" | W | null | undefined): W => value || usual),
  );
}

/** A boolean: true, 1, or the text of a form or query. */
export const flag = z.pipe(
  z
    .union([z.boolean(), z.string(), z.number()])
    .check(z.refine((value) => /^(true|false|on|off|1|0)$/.test(String(value)))),
  z.transform((value: boolean | string | number) => /^(true|on|1)$/.test(String(value))),
);

/** A boolean. An absent, null or empty value means false. */
export const optionalFlag = z.pipe(
  z.nullish(z.union([z.literal(""), flag])),
  z.transform((value: boolean | "" | null | undefined) => value || false),
);

/** The id of a record: text, or a number from clients that store ids as numbers. */
export const idText = (error: string, most: number) =>
  z.pipe(
    z.pipe(z.union([z.string(error), z.int(error)], error), z.transform(String)),
    z.string().check(z.trim(), z.maxLength(most, error)),
  );
/** The id of a record as clients send it: at most 200 characters, and possibly empty. */
export const RecordId = idText("An id is missing.", 200);

/** A whole number, as a number or as text. */
export const WholeNumber = z.union([
  z.int(),
  z.pipe(
    z.string().check(z.regex(/^-?\d{1,15}$/)),
    z.transform((text: string) => Number(text)),
  ),
]);

/** Returns the schema of a whole number from `least` to `most`, as a number or as text. */
export const wholeNumberFrom = (least: number, most: number, error: string) =>
  z.pipe(
    z.transform(numberFromText),
    z
      .number(error)
      .check(z.refine((value) => Number.isInteger(value) && value >= least && value <= most, { error })),
  );
