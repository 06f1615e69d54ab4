/**
 * What the calls of hotlists send. Apart from the words and rules that screens need, since the schemas would weigh on
 * every page that shows one of these.
 */

import * as z from "zod/mini";
import { MESSAGES } from "#app/entities/messages.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { visibleLines, visibleText } from "#app/lib/text.ts";
import {
  CASE_NUMBER_MAX,
  type EntryFields,
  NOTES_MAX,
  parseEntryPlate,
  parseEntryState,
  REASON_MAX,
} from "./entry.ts";
import { GROUP_DESCRIPTION_MAX, GROUP_NAME_MAX } from "./group.ts";
import { IMPORT_PRESETS, SAVED_PREFIX } from "./import.ts";

/** The id of a record: clients send it as text or as a number. */
export const RecordId = z.pipe(
  z.union([z.string().check(z.maxLength(200)), z.int()], { error: "An id is missing." }),
  z.transform((id: string | number) => String(id)),
);

/** A whole number, also as text. */
export const WholeNumber = z.union(
  [
    z.int(),
    z.pipe(
      z.string().check(z.regex(/^-?\d{1,15}$/)),
      z.transform((text: string) => Number(text)),
    ),
  ],
  { error: "This is a whole number." },
);

/** An optional text: absent, null or empty are the same to a phone that leaves a field alone. */
const optional = (schema: z.ZodMiniType<string, string>) =>
  z.pipe(
    z.transform((value: unknown) => value ?? ""),
    schema,
  );

const text = (max: number, what: string, clean = visibleText) =>
  optional(
    z.pipe(
      z.string().check(z.maxLength(max, `${what} has at most ${max.toLocaleString("en-US")} characters.`)),
      z.transform((value: string) => clean(value)),
    ),
  );

const word = (words: readonly string[], what: string) =>
  optional(
    z
      .string()
      .check(
        z.refine((value) => value === "" || words.includes(value), { error: `There is no such ${what}.` }),
      ),
  );

const flag = z.union([
  z.boolean(),
  z.pipe(
    z.string().check(z.regex(/^(true|false|on|1|0|)$/, "This is yes or no.")),
    z.transform((value: string) => ["true", "on", "1"].includes(value)),
  ),
]);

/** A state in any spelling, as entries hold it. */
export const EntryState = z.pipe(
  z.string().check(
    z.maxLength(80, "There is no such state."),
    z.refine((value) => parseEntryState(value) !== undefined, { error: "There is no such state." }),
  ),
  z.transform((value: string) => parseEntryState(value) ?? ""),
);

/** Fields of an entry as forms and calls send them; a plate's own number stands beside these. */
export const EntryDetails = z.object({
  state: optional(EntryState),
  reason: text(REASON_MAX, "A reason"),
  notes: text(NOTES_MAX, "A note", visibleLines),
  case_number: text(CASE_NUMBER_MAX, "A case number"),
  match_policy: z._default(z.enum(["exact", "lookalike"]), "exact"),
  state_required: z._default(flag, false),
  make: word(VEHICLE_MAKES, "make"),
  color: word(
    VEHICLE_COLORS.map(({ name }) => name),
    "color",
  ),
  body_type: word(VEHICLE_BODY_TYPES, "body type"),
  priority: z._default(z.enum(["high", "normal", "low"]), "normal"),
  /** ISO date or time, "never", or empty for the agency's policy. */
  expires: optional(
    z.string().check(
      z.maxLength(40),
      z.refine((value) => value === "" || value === "never" || Number.isFinite(Date.parse(value)), {
        error: "The expiry is no date.",
      }),
    ),
  ),
});
export type EntryDetails = z.infer<typeof EntryDetails>;

const plateNumber = z
  .string({ error: "A plate number is needed." })
  .check(z.maxLength(60, "A plate number is needed."));

/** The call of POST /hotlist/add-plate-direct (specification sections 3 and 5); what follows `group_id` is ours. */
export const AddPlate = z.extend(EntryDetails, {
  plate_number: plateNumber,
  group_id: z.pipe(
    z.pipe(
      z.transform((value: unknown) => value ?? ""),
      z.union([z.string(), z.number()]),
    ),
    z.transform((id: string | number) => String(id)),
  ),
  idempotency_key: z.optional(z.string().check(z.maxLength(64))),
});
export type AddPlate = z.infer<typeof AddPlate>;

/** A new plate of the edit form: plates[i][number|reason|notes|state|file] and ours. */
export const NewPlate = z.extend(EntryDetails, { number: plateNumber });
export type NewPlate = z.infer<typeof NewPlate>;

/** The fields of a call as an entry holds them. Gives the problem of the plate where there is one. */
export function entryOf(
  number: string,
  details: EntryDetails,
): { entry: EntryFields; problem?: undefined } | { entry?: undefined; problem: string } {
  const parsed = parseEntryPlate(number, { wildcards: true });
  if (parsed.problem !== undefined) return { problem: parsed.problem };
  const { case_number, match_policy, state_required, body_type, expires: _, ...rest } = details;
  return {
    entry: {
      ...rest,
      plate: parsed.plate,
      caseNumber: case_number,
      matchPolicy: match_policy,
      stateRequired: state_required && details.state !== "",
      bodyType: body_type,
    },
  };
}

const visible = z.transform((value: string) => visibleText(value));

/** The text fields of POST /groups/create-mobile and /groups/{id}/edit-mobile; `version` and the key are ours. */
export const GroupForm = z.object({
  group_name: z.pipe(
    z.string({ error: MESSAGES.groupNameRequired }).check(
      z.maxLength(GROUP_NAME_MAX, `A group's name has at most ${GROUP_NAME_MAX} characters.`),
      z.refine((value) => visibleText(value) !== "", { error: MESSAGES.groupNameRequired }),
    ),
    visible,
  ),
  group_description: z._default(
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
    "",
  ),
  group_members: z.pipe(
    z._default(z.string().check(z.maxLength(100_000)), ""),
    z.transform((ids: string) => [...new Set(ids.split(",").flatMap((id) => id.trim() || []))]),
  ),
  version: z.optional(z.string().check(z.regex(/^\d{1,9}$/))),
  idempotency_key: z.optional(z.string().check(z.maxLength(64))),
});
export type GroupForm = z.infer<typeof GroupForm>;

export const ImportOptions = z.object({
  preset: z._default(
    z.string().check(
      z.maxLength(100),
      z.refine(
        (value) => value.startsWith(SAVED_PREFIX) || IMPORT_PRESETS.some((preset) => preset.value === value),
        { error: "There is no such layout." },
      ),
    ),
    "odin",
  ),
  mode: z._default(z.enum(["add", "replace"], { error: "The mode is add or replace." }), "add"),
  on_conflict: z._default(z.enum(["keep", "replace"]), "keep"),
  name: z._default(z.string().check(z.maxLength(200)), "plates.csv"),
});
export type ImportOptions = z.infer<typeof ImportOptions>;

/** The call of POST /update-alert-permissions-api: hotlist_admin_{id} and hotlist_viewer_{id}, each true or false. */
export const PermissionChanges = z.record(z.string().check(z.maxLength(200)), z.boolean());

/** The form of the switch for push alerts: a check box, absent where it is off. */
export const PushSwitch = z.object({ push_alerts: z.optional(z.string()) });

/** The form in which an agency answers an invitation to a group. */
export const InvitationAnswer = z.object({ group_id: z.string(), accept: z.enum(["yes", "no"]) });
