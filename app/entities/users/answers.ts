/** Response schemas of the user endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { SessionSummary } from "#app/entities/accounts/answers.ts";
import { described, named } from "#app/lib/json/named-schema.ts";

export const ManagedUser = named(
  "ManagedUser",
  z.object({
    id: z.string(),
    username: z.string(),
    name: z.string(),
    email: z.string(),
    role: z.enum(["admin", "user"]),
    department: described("The agency's name. The specification's table calls it department.", z.string()),
    agency_id: z.string(),
    created_at: z.number(),
    last_sign_in_at: z.nullable(z.number()),
    locked: z.boolean(),
    lock: described(
      "The lock on the account: since when, what it blocks, and the addresses of the failed attempts.",
      z.nullable(
        z.object({
          at: z.number(),
          applies_to: z.enum(["everyone", "unknown devices"]),
          addresses: z.array(z.string()),
        }),
      ),
    ),
    disabled: z.nullable(z.enum(["administrator", "disuse", "identity provider"])),
    temporary_password: z.boolean(),
    second_factor: z.boolean(),
    sessions: z.number(),
    is_self: described("The viewer's own account. Users cannot manage themselves.", z.boolean()),
    is_owner: described("The product's owner. Only the owner can manage this account.", z.boolean()),
  }),
  "A user as shown to administrators and the owner.",
);

export const AgencyPolicy = named(
  "AgencyPolicy",
  z.object({
    second_factor_required: z.boolean(),
    idle_minutes: z.number(),
    absolute_minutes: z.number(),
    password_max_age_days: described("0 means never.", z.number()),
    search_limit_days: z.number(),
    retention_days: z.number(),
    record_retention_days: z.number(),
    audit_retention_days: z.number(),
    hotlist_expiry_days: described(
      "Days after which a hotlist entry without its own expiry expires; 0 means never.",
      z.number(),
    ),
    result_lifetime_minutes: z.number(),
    case_number_required: z.boolean(),
    purpose_required: z.boolean(),
    investigators: described(
      "Who may use the privileged searches of /investigate.",
      z.enum(["none", "admins", "everyone"]),
    ),
    investigations_per_day: described("Privileged searches per user within 24 hours.", z.number()),
    time_zone: described("The agency's time zone, one of TIME_ZONES.", z.string()),
  }),
  "An agency's policy. The owner sets it; every rule reads it from here.",
);

const AgencyWithPolicy = named(
  "AgencyWithPolicy",
  z.object({ id: z.string(), name: z.string(), users: z.number(), policy: AgencyPolicy }),
  "An agency as shown to the owner.",
);

export const OwnerData = named(
  "OwnerData",
  z.object({ users: z.array(ManagedUser), agencies: z.array(AgencyWithPolicy) }),
);

export const AdminData = named("AdminData", z.object({ users: z.array(ManagedUser) }));

export const AddedUser = named(
  "AddedUser",
  z.object({ msg: z.string(), id: z.string(), valid_until: z.number() }),
);

export const PasswordSet = named(
  "PasswordSet",
  z.object({
    username: z.string(),
    temporary_password: z.string(),
    valid_until: z.number(),
    msg: z.string(),
  }),
);

const notice = z.optional(
  described("What the caller should do next. Missing if there is nothing.", z.string()),
);

export const RoleChanged = named(
  "RoleChanged",
  z.object({ msg: z.string(), role: z.enum(["admin", "user"]), notice }),
);

export const AccountChanged = named("AccountChanged", z.object({ msg: z.string(), notice }));

export const UserSessions = named(
  "UserSessions",
  z.object({
    sessions: z.array(SessionSummary),
    total: described("How many there are, also if the call limits how many it returns.", z.number()),
  }),
);

export const RowProblem = named(
  "RowProblem",
  z.object({ line: z.number(), reason: z.string() }),
  "A problem of a row in an uploaded file. `line` is where the row starts.",
);

const TemporaryPassword = named(
  "TemporaryPassword",
  z.object({ username: z.string(), temporary_password: z.string(), valid_until: z.number() }),
  "A temporary password. Only the response that creates it contains it, and the response to a repeated upload of the same file.",
);

export const UsersUploaded = named(
  "UsersUploaded",
  z.union([
    z.object({ problems: z.array(RowProblem) }),
    z.object({ problems: z.tuple([]), users: z.array(TemporaryPassword), valid_until: z.number() }),
  ]),
);
