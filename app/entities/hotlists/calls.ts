/**
 * Schemas of the requests of hotlists. They are separate from the types and rules that screens import, to keep the
 * scripts of pages small.
 */

import * as z from "zod/mini";
import { IdempotencyKey } from "#app/entities/idempotency-key.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { isObject } from "#app/lib/json/parse.ts";
import { clientText, optionalFlag, wordOr } from "#app/lib/json/values.ts";
import { numberText } from "#app/lib/number-text.ts";
import { beginning, visibleLines, visibleText } from "#app/lib/text.ts";
import { timeOf } from "#app/lib/time/wall-clock.ts";
import {
  CASE_NUMBER_MAX,
  type EntryFields,
  NOTES_MAX,
  parseEntryPlate,
  parseEntryState,
  REASON_MAX,
  SENT_REASON_MAX,
} from "./entry.ts";
import { GROUP_DESCRIPTION_MAX, GROUP_NAME_MAX } from "./group.ts";
import { IMPORT_PRESETS, SAVED_PREFIX } from "./import.ts";

const text = (max: number, what: string, clean = visibleText) =>
  clientText(
    z.pipe(
      z.string().check(z.maxLength(max, `${what} has at most ${numberText(max)} characters.`)),
      z.transform((value: string) => clean(value)),
    ),
  );

const word = (words: readonly string[], what: string) =>
  clientText(
    z
      .string()
      .check(
        z.refine((value) => value === "" || words.includes(value), { error: `This is not a known ${what}.` }),
      ),
  );

/** The form that finds removed plates. A form, because a plate must not be part of a URL. */
export const FindRemovedPlates = z.object({
  find: text(40, "A plate"),
  /** `next` of the page before. */
  after: z._default(z.nullable(z.string().check(z.maxLength(80))), null),
});

/** A state in any spelling. The result is the stored form (see parseEntryState). */
export const EntryState = z.pipe(
  z.string().check(
    z.maxLength(80, "This is not a known state."),
    z.refine((value) => parseEntryState(value) !== undefined, { error: "This is not a known state." }),
  ),
  z.transform((value: string) => parseEntryState(value) ?? ""),
);

/** The fields of an entry in forms and API requests, without the plate number, whose field name differs. */
export const EntryDetails = z.object({
  state: clientText(EntryState),
  reason: text(SENT_REASON_MAX, "A reason"),
  notes: text(NOTES_MAX, "A note", visibleLines),
  case_number: text(CASE_NUMBER_MAX, "A case number"),
  match_policy: wordOr("exact", z.enum(["exact", "lookalike"])),
  state_required: optionalFlag,
  make: word(VEHICLE_MAKES, "make"),
  color: word(
    VEHICLE_COLORS.map(({ name }) => name),
    "color",
  ),
  body_type: word(VEHICLE_BODY_TYPES, "body type"),
  priority: wordOr("normal", z.enum(["high", "normal", "low"])),
  /** ISO date or time, "never", or empty to use the agency's default expiry. */
  expires: clientText(
    z.string().check(
      z.maxLength(40),
      z.refine((value) => value === "" || value === "never" || timeOf(value, { edge: "end" }) !== undefined, {
        error: "The expiry is not a date.",
      }),
    ),
  ),
});
export type EntryDetails = z.infer<typeof EntryDetails>;

const NOTES_TOO_LONG = `A note has at most ${numberText(NOTES_MAX)} characters, with the part of the reason after its first ${REASON_MAX}.`;

const plateNumber = clientText(
  z.string().check(
    z.refine((value) => value !== "", { error: "A plate number is required." }),
    z.maxLength(60, "A plate number has at most 60 characters."),
  ),
);

/**
 * The body of POST /hotlist/add-plate-direct (specification sections 3 and 5). The fields after `group_id` are Odin's
 * additions.
 */
export const AddPlate = z.extend(EntryDetails, {
  plate_number: plateNumber,
  group_id: clientText(z.string()),
  idempotency_key: IdempotencyKey,
});
export type AddPlate = z.infer<typeof AddPlate>;

/** A new plate in the edit form: plates[i][number|reason|notes|state|file], and Odin's additional fields. */
export const NewPlate = z.extend(EntryDetails, { number: plateNumber });
export type NewPlate = z.infer<typeof NewPlate>;

/**
 * Returns the entry that a request describes, or what is wrong with it, and where. As in vendor files, text of a reason beyond its
 * length moves to the notes.
 */
export function entryOf(
  number: string,
  details: EntryDetails,
):
  | { entry: EntryFields; problem?: undefined }
  | { entry?: undefined; problem: string; field: keyof NewPlate } {
  const parsed = parseEntryPlate(number, { wildcards: true });
  if (parsed.problem !== undefined) return { problem: parsed.problem, field: "number" };
  const { case_number, match_policy, state_required, body_type, expires: _, ...rest } = details;
  const reason = beginning(details.reason, REASON_MAX);
  const notes = [details.reason.slice(reason.length), details.notes].filter(Boolean).join(" ").trim();
  if (notes.length > NOTES_MAX) return { problem: NOTES_TOO_LONG, field: "notes" };
  return {
    entry: {
      ...rest,
      plate: parsed.plate,
      reason: reason.trim(),
      notes,
      caseNumber: case_number,
      matchPolicy: match_policy,
      stateRequired: state_required && details.state !== "",
      bodyType: body_type,
    },
  };
}

/** Maximum number of users that a save names as members, or whose permissions it changes. */
const MAX_USERS = 10_000;
/** The bytes that name and set both permissions of that many users. */
export const PERMISSIONS_LIMIT = MAX_USERS * 200;
/** The characters of that many ids. */
const MEMBERS_MAX = MAX_USERS * 50;
const TOO_MANY_MEMBERS = `A group has at most ${numberText(MAX_USERS)} members.`;

const visible = z.transform((value: string) => visibleText(value));

/**
 * The text fields of POST /groups/create-mobile and /groups/{id}/edit-mobile. `version` and `idempotency_key` are
 * Odin's additions.
 */
export const GroupForm = z.object({
  group_name: z.pipe(
    z.string({ error: MESSAGES.groupNameRequired }).check(
      z.maxLength(GROUP_NAME_MAX, `A group's name has at most ${GROUP_NAME_MAX} characters.`),
      z.refine((value) => visibleText(value) !== "", { error: MESSAGES.groupNameRequired }),
    ),
    visible,
  ),
  group_description: z.optional(
    z.pipe(
      z
        .string()
        .check(
          z.maxLength(
            GROUP_DESCRIPTION_MAX,
            `A description has at most ${GROUP_DESCRIPTION_MAX} characters.`,
          ),
        ),
      z.transform((value: string) => visibleLines(value)),
    ),
  ),
  group_members: z.optional(
    z
      .pipe(
        z.string().check(z.maxLength(MEMBERS_MAX, TOO_MANY_MEMBERS)),
        z.transform((ids: string) => [...new Set(ids.split(",").flatMap((id) => id.trim() || []))]),
      )
      .check(z.maxLength(MAX_USERS, TOO_MANY_MEMBERS)),
  ),
  version: z.optional(z.string().check(z.regex(/^\d{1,9}$/))),
  idempotency_key: IdempotencyKey,
});
export type GroupForm = z.infer<typeof GroupForm>;

export const ImportOptions = z.object({
  preset: z._default(
    z.string().check(
      z.maxLength(100),
      z.refine(
        (value) => value.startsWith(SAVED_PREFIX) || IMPORT_PRESETS.some((preset) => preset.value === value),
        { error: "This is not a known layout." },
      ),
    ),
    "odin",
  ),
  mode: z._default(z.enum(["add", "replace"], { error: "The mode must be add or replace." }), "add"),
  on_conflict: z._default(z.enum(["keep", "replace"]), "keep"),
  name: z._default(z.string().check(z.maxLength(200)), "plates.csv"),
});
export type ImportOptions = z.infer<typeof ImportOptions>;

/** The body of POST /update-alert-permissions-api: hotlist_admin_{id} and hotlist_viewer_{id}, each true or false. */
export const PermissionChanges = z.pipe(
  z.transform((value: unknown) => (isObject(value) ? namedPermissions(value) : value)),
  z.record(z.string().check(z.maxLength(200)), optionalFlag),
);

/** Clients send other fields of their forms too, such as a token. */
function namedPermissions(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => /^hotlist_(admin|viewer)_/.test(name)));
}

/** The push alert switch. An unchecked check box is absent from the form. */
export const PushSwitch = z.object({ push_alerts: z.optional(z.string()) });

/** The form in which an agency answers an invitation to a group. */
export const InvitationAnswer = z.object({ group_id: z.string(), accept: z.enum(["yes", "no"]) });
