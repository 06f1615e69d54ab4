/**
 * Schemas of the requests of the mapping step. They are separate from the layout types, to keep the scripts of pages
 * small.
 */

import * as z from "zod/mini";
import { nonEmpty } from "#app/lib/at.ts";
import { visibleText } from "#app/lib/text.ts";
import { parseEntryState } from "./entry.ts";
import {
  DATE_ORDERS,
  DELIMITERS,
  LAYOUT_FIELDS,
  LAYOUT_HEADER_MAX,
  LAYOUT_PARTS_MAX,
  MAPPING_NAME_MAX,
} from "./layout.ts";
import { layoutProblem } from "./mapping.ts";
import { CODE_TABLE_NAMES } from "./ncic.ts";

const values = <Value extends string>(options: readonly { value: Value }[]) =>
  nonEmpty(options.map(({ value }) => value));
const text = (max: number) => z.optional(z.string().check(z.maxLength(max)));
const texts = z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(60))).check(z.maxLength(20)));
const character = z.optional(z.int().check(z.gte(-1000), z.lte(10_000)));
const place = { column: z.optional(z.int().check(z.gte(0), z.lte(1000))), from: character, to: character };

const Part = z.strictObject({
  ...place,
  field: z.enum(values(LAYOUT_FIELDS)),
  rest: z.optional(z.boolean()),
  after: texts,
  before: texts,
  beforeDigit: z.optional(z.boolean()),
  word: character,
  when: z.optional(z.strictObject({ ...place, is: texts, contains: text(60) })),
  text: text(60),
  prefix: text(60),
  codes: z.optional(z.enum(CODE_TABLE_NAMES)),
  label: text(60),
});

/** A layout as checked data. It contains no code or expressions, so the cost of a layout is bounded by its size. */
export const Layout = z
  .strictObject({
    kind: z.enum(["delimited", "fixed"]),
    delimiter: z.nullable(z.enum(values(DELIMITERS))),
    header: z.int().check(z.gte(0), z.lte(LAYOUT_HEADER_MAX)),
    parts: z.array(Part).check(z.maxLength(LAYOUT_PARTS_MAX)),
    state: z.optional(
      z.string().check(
        z.maxLength(40),
        z.refine((value) => parseEntryState(value) !== undefined, { error: "This is not a known state." }),
      ),
    ),
    reason: text(300),
    skip: texts,
    ncic: z.optional(z.boolean()),
    dates: z.optional(z.enum(values(DATE_ORDERS))),
    reasonNeeded: z.optional(z.boolean()),
    reasonMax: z.optional(z.int().check(z.gte(1), z.lte(1000))),
    minLength: z.optional(z.int().check(z.gte(0), z.lte(10_000))),
    headings: z.optional(z.array(z.string().check(z.maxLength(100))).check(z.maxLength(1000))),
  })
  .check(
    z.refine((layout) => (layout.kind === "fixed") === (layout.delimiter === null), {
      error: "A delimited layout needs a delimiter. A fixed-width layout has none.",
    }),
    z.refine((layout) => layoutProblem(layout) === undefined, {
      error: "A mapping needs a plate and a reason.",
    }),
  );

const mappingName = z.pipe(
  z.string().check(
    z.maxLength(MAPPING_NAME_MAX, `A name has at most ${MAPPING_NAME_MAX} characters.`),
    z.refine((value) => visibleText(value) !== "", { error: "Enter a name." }),
  ),
  z.transform((value: string) => visibleText(value)),
);

/** The body of POST /groups/{id}/import/{import}/mapping. `save_as` also saves the mapping under that name. */
export const MapImport = z.object({ layout: Layout, save_as: z.optional(mappingName) });
export type MapImport = z.infer<typeof MapImport>;

/** The body of PATCH /hotlist/mappings/{id}. */
export const RenameMapping = z.object({ name: mappingName });
