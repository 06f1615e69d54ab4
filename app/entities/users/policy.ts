import * as z from "zod/mini";
import type { Role } from "#app/entities/accounts/access.ts";
import { wholeNumberFrom } from "#app/lib/json/values.ts";
import type * as answers from "./answers.ts";

/** An agency's policy. The owner sets it; every rule reads it from here. */
export type AgencyPolicy = z.infer<typeof answers.AgencyPolicy>;

/** Which users of an agency may search many places and convoys. */
export const INVESTIGATORS = [
  { value: "none", label: "No one" },
  { value: "admins", label: "Administrators" },
  { value: "everyone", label: "Everyone" },
] as const;
export type Investigators = (typeof INVESTIGATORS)[number]["value"];

/** Returns whether a user with a role may search many places and convoys. */
export function isInvestigator(investigators: Investigators, role: Role): boolean {
  return investigators === "everyone" || (investigators === "admins" && role === "admin");
}

type NumberRule = {
  key: {
    [key in keyof AgencyPolicy]: AgencyPolicy[key] extends number ? key : never;
  }[keyof AgencyPolicy];
  label: string;
  unit: "minutes" | "days" | "searches";
  least: number;
  most: number;
  hint: string;
};

/**
 * The numbers of a policy with their limits. CJIS allows 30 idle minutes, 12 hours in total, and a year per password.
 */
export const POLICY_NUMBERS: readonly NumberRule[] = [
  {
    key: "idle_minutes",
    label: "Session ends when unused for",
    unit: "minutes",
    least: 5,
    most: 30,
    hint: "CJIS allows at most 30 minutes.",
  },
  {
    key: "absolute_minutes",
    label: "Session always ends after",
    unit: "minutes",
    least: 30,
    most: 720,
    hint: "CJIS allows at most 12 hours, 720 minutes.",
  },
  {
    key: "password_max_age_days",
    label: "Passwords expire after",
    unit: "days",
    least: 0,
    most: 365,
    hint: "0 means never. CJIS requires a change every year.",
  },
  {
    key: "search_limit_days",
    label: "Longest range of one search",
    unit: "days",
    least: 1,
    most: 90,
    hint: "Longer ranges are refused before any source is searched.",
  },
  {
    key: "retention_days",
    label: "Reads from own cameras are kept for",
    unit: "days",
    least: 1,
    most: 90,
    hint: "Older reads are purged. Connecticut allows 21 days.",
  },
  {
    key: "record_retention_days",
    label: "Hits and hotlist history are kept for",
    unit: "days",
    least: 30,
    most: 1825,
    hint: "Hits without their images, plates removed from a list, finished imports.",
  },
  {
    key: "audit_retention_days",
    label: "The audit log is kept for",
    unit: "days",
    least: 365,
    most: 3650,
    hint: "CJIS requires at least one year.",
  },
  {
    key: "hotlist_expiry_days",
    label: "Hotlist entries expire after",
    unit: "days",
    least: 0,
    most: 365,
    hint: "0 means never. Applies to new entries without an expiry date. The user who added them is notified a week and a day before.",
  },
  {
    key: "result_lifetime_minutes",
    label: "Search results are kept for",
    unit: "minutes",
    least: 5,
    most: 1440,
    hint: "They are then purged, unless they were exported.",
  },
  {
    key: "investigations_per_day",
    label: "Place and convoy searches per user and day",
    unit: "searches",
    least: 1,
    most: 200,
    hint: "Further ones are refused until 24 hours after the first.",
  },
];

/** The switches of a policy. */
export const POLICY_SWITCHES = [
  {
    key: "second_factor_required",
    label: "Second factor required for everyone",
    hint: "Users without one must set it up before they can use anything else. Unless they signed in within the last ten minutes, their sessions end.",
  },
  {
    key: "case_number_required",
    label: "Case number required for every search",
    hint: "A search without one is refused.",
  },
  {
    key: "purpose_required",
    label: "Purpose required for every search",
    hint: "A search without one is refused.",
  },
] as const;

/** Time zones that an agency can choose: one for each distinct set of clock rules in the United States. */
export const TIME_ZONES = [
  { value: "America/New_York", label: "Eastern" },
  { value: "America/Chicago", label: "Central" },
  { value: "America/Denver", label: "Mountain" },
  { value: "America/Phoenix", label: "Arizona" },
  { value: "America/Los_Angeles", label: "Pacific" },
  { value: "America/Anchorage", label: "Alaska" },
  { value: "Pacific/Honolulu", label: "Hawaii" },
  { value: "America/Puerto_Rico", label: "Puerto Rico, U.S. Virgin Islands" },
  { value: "Pacific/Guam", label: "Guam" },
] as const;

/**
 * Retention of a new agency in days (Connecticut Public Act 26-14 section 13). Only the demo's agencies start with
 * more.
 */
export const FIRST_RETENTION_DAYS = 21;

/** The defaults of the columns of `agencies`, which also apply to audit rows without an agency. */
export const DEFAULT_POLICY: AgencyPolicy = {
  second_factor_required: false,
  idle_minutes: 30,
  absolute_minutes: 720,
  password_max_age_days: 365,
  search_limit_days: 90,
  retention_days: 90,
  record_retention_days: 365,
  audit_retention_days: 730,
  hotlist_expiry_days: 0,
  result_lifetime_minutes: 60,
  case_number_required: false,
  purpose_required: false,
  investigators: "admins",
  investigations_per_day: 20,
  time_zone: "America/New_York",
};

const whole = ({ label, unit, least, most }: NumberRule) =>
  wholeNumberFrom(least, most, `${label}: a whole number of ${unit} from ${least} to ${most}.`);
function ruleOf(key: NumberRule["key"]): NumberRule {
  const rule = POLICY_NUMBERS.find((rule) => rule.key === key);
  if (!rule) throw new Error(`The policy number ${key} has no rule.`);
  return rule;
}

/** Names that look the same count as the same: administrators choose agencies by name when they share reads. */
const AgencyName = z.string("Enter the agency's name.").check(
  z.overwrite((name) => name.trim().replaceAll(/\s+/g, " ")),
  z.minLength(2, "Enter the agency's name."),
  z.maxLength(120, "A name can have at most 120 characters."),
  z.regex(/^[^\p{C}]*$/u, "A name cannot contain invisible characters."),
);

/** The body of POST /owner/agencies. */
export const NewAgency = z.object({ name: AgencyName });
export type NewAgency = z.infer<typeof NewAgency>;

/** The body of PUT /owner/agencies/{id}. */
export const AgencyChange = z.object({
  name: AgencyName,
  policy: z.object({
    second_factor_required: z.boolean(),
    idle_minutes: whole(ruleOf("idle_minutes")),
    absolute_minutes: whole(ruleOf("absolute_minutes")),
    password_max_age_days: whole(ruleOf("password_max_age_days")),
    search_limit_days: whole(ruleOf("search_limit_days")),
    retention_days: whole(ruleOf("retention_days")),
    record_retention_days: whole(ruleOf("record_retention_days")),
    audit_retention_days: whole(ruleOf("audit_retention_days")),
    hotlist_expiry_days: whole(ruleOf("hotlist_expiry_days")),
    result_lifetime_minutes: whole(ruleOf("result_lifetime_minutes")),
    case_number_required: z.boolean(),
    purpose_required: z.boolean(),
    investigators: z.enum(
      INVESTIGATORS.map(({ value }) => value),
      "Choose who may search many places and convoys.",
    ),
    investigations_per_day: whole(ruleOf("investigations_per_day")),
    time_zone: z.string("Choose a time zone.").check(
      z.refine((value) => TIME_ZONES.some((zone) => zone.value === value), {
        error: "Choose a time zone.",
      }),
    ),
  }),
});
export type AgencyChange = z.infer<typeof AgencyChange>;

/**
 * Returns the owner's form as that body. An empty number becomes NaN, which the schema refuses; an absent switch is
 * off.
 */
export function agencyChangeOf(fields: Record<string, string>) {
  const numbers = POLICY_NUMBERS.map(({ key }) => {
    const text = fields[key]?.trim();
    return [key, text ? Number(text) : Number.NaN];
  });
  const switches = POLICY_SWITCHES.map(({ key }) => [key, key in fields]);
  const policy = Object.fromEntries([
    ...numbers,
    ...switches,
    ["time_zone", fields.time_zone],
    ["investigators", fields.investigators],
  ]);
  return { name: fields.name, policy };
}

/** An agency as shown to the owner. */
export type AgencyWithPolicy = { id: string; name: string; users: number; policy: AgencyPolicy };
