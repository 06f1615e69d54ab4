/** Response schemas of the hotlist import endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { described, named } from "#app/lib/json/named-schema.ts";

const ImportIssue = named(
  "ImportIssue",
  z.object({
    kind: z.enum(["conflicting", "rejected", "repeated"]),
    line: z.number(),
    plate: z.string(),
    reason: z.string(),
  }),
);

export const ImportStatus = named(
  "ImportStatus",
  z.object({
    rows: z.number(),
    added: z.number(),
    unchanged: z.number(),
    conflicting: z.number(),
    removed: z.number(),
    rejected: z.number(),
    repeated: z.number(),
    id: z.string(),
    group_id: z.string(),
    file_name: z.string(),
    size: z.number(),
    offset: described("Bytes read so far.", z.number()),
    preset: z.string(),
    layout_name: described(
      "Name of the layout that the file is read with; empty until it is known.",
      z.string(),
    ),
    ignored_columns: described(
      "Headings that are not known: their columns are not read.",
      z.array(z.string()),
    ),
    mode: z.enum(["replace", "add"]),
    on_conflict: z.enum(["replace", "keep"]),
    state: z.enum([
      "failed",
      "ready",
      "cancelled",
      "reading",
      "mapping",
      "comparing",
      "renewing",
      "applied",
      "cancelling",
    ]),
    message: z.string(),
    started_by: z.string(),
    created_at: z.string(),
    applied_at: z.nullable(z.string()),
    issues: z.array(ImportIssue),
  }),
);

export const LatestImport = named("LatestImport", z.object({ import: z.nullable(ImportStatus) }));

const HotlistLayout = named(
  "HotlistLayout",
  z.object({
    kind: z.enum(["fixed", "delimited"]),
    delimiter: described("Null if the kind is fixed.", z.nullable(z.enum([",", ";", "\t", "|", ":", " "]))),
    header: described("Number of leading lines that are not entries.", z.number()),
    parts: described(
      "If several parts have the same field, the first that is not empty counts.",
      z.array(
        z.object({
          column: z.optional(z.number()),
          from: z.optional(z.number()),
          to: z.optional(z.number()),
          field: z.enum([
            "body",
            "match",
            "state",
            "caseNumber",
            "plate",
            "reason",
            "notes",
            "make",
            "color",
            "priority",
            "expiry",
            "effective",
            "model",
            "year",
            "plateType",
            "info",
          ]),
          rest: z.optional(described("The column and everything after it.", z.boolean())),
          after: z.optional(
            described(
              "Starts after the first of these texts; the part is empty if none occurs.",
              z.array(z.string()),
            ),
          ),
          before: z.optional(
            described(
              "Ends before the first of these texts; the part is empty if none occurs.",
              z.array(z.string()),
            ),
          ),
          beforeDigit: z.optional(described("Ends before the first digit.", z.boolean())),
          word: z.optional(
            described("One word of the value by index. Words are separated by single spaces.", z.number()),
          ),
          when: z.optional(
            described(
              "The part applies only if another place has one of these values, or contains a text.",
              z.object({
                column: z.optional(z.number()),
                from: z.optional(z.number()),
                to: z.optional(z.number()),
                is: z.optional(z.array(z.string())),
                contains: z.optional(z.string()),
              }),
            ),
          ),
          text: z.optional(described("A constant that replaces the value.", z.string())),
          prefix: z.optional(z.string()),
          codes: z.optional(
            described(
              "The value is a code of this table.",
              z.enum(["ncic", "iowa", "ohio", "texas", "newYork", "newJersey"]),
            ),
          ),
          label: z.optional(described("Label of an `info` part in the notes.", z.string())),
        }),
      ),
    ),
    state: z.optional(described("Defaults for rows without their own state or reason.", z.string())),
    reason: z.optional(z.string()),
    skip: z.optional(
      described("Header and footer lines begin with one of these texts.", z.array(z.string())),
    ),
    ncic: z.optional(
      described("The file follows NCIC: its state codes, and zero for the letter O.", z.boolean()),
    ),
    dates: z.optional(z.enum(["mdy", "dmy"])),
    reasonNeeded: z.optional(described("A row without a reason is rejected.", z.boolean())),
    reasonMax: z.optional(z.number()),
    minLength: z.optional(described("Shorter lines are rejected.", z.number())),
    headings: z.optional(
      described(
        "The heading line of the file that a mapping was saved for. Files with the same line are recognized.",
        z.array(z.string()),
      ),
    ),
  }),
);

const SavedMapping = named(
  "SavedMapping",
  z.object({ id: z.string(), name: z.string(), layout: HotlistLayout, created_at: z.string() }),
  "A mapping that an agency has saved.",
);

export const Mappings = named("Mappings", z.object({ mappings: z.array(SavedMapping) }));

export const MappingRenamed = named("MappingRenamed", z.object({ mapping: SavedMapping }));
