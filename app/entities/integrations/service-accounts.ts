/** Service accounts: what an administrator enters, and what the screens show. */

import * as z from "zod/mini";
import { mayUse, type Standing } from "#app/entities/accounts/access.ts";
import {
  grantableScopes,
  SERVICE_SCOPE_NAMES,
  SERVICE_SCOPES,
  type ServiceScope,
} from "#app/entities/accounts/service-scopes.ts";
import { IdempotencyKey } from "#app/entities/idempotency-key.ts";
import { type Investigators, isInvestigator } from "#app/entities/users/policy.ts";
import { parseAddressRange, writeAddressRange } from "#app/lib/address-range.ts";
import { wholeNumberFrom } from "#app/lib/json/values.ts";
import { visibleText } from "#app/lib/text.ts";

/** Maximum number of service accounts of one agency. */
export const MAX_SERVICE_ACCOUNTS = 50;
/** Maximum days that a token works, and hours that the former one works after a rotation. */
const MAX_VALID_DAYS = 365;
const MAX_OVERLAP_HOURS = 7 * 24;
const MAX_PER_MINUTE = 3000;
/** Requests a minute that a new account may make, unless the form says otherwise. */
export const DEFAULT_PER_MINUTE = 300;
const MAX_ADDRESSES = 50;

/** How long a token may work, in days. */
export const VALID_DAYS = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "180", label: "180 days" },
  { value: "365", label: "One year" },
] as const;
/** How long a token works unless the administrator says otherwise, in days. */
export const DEFAULT_VALID_DAYS = 90;

/** How long a replaced token still works, in hours. */
export const OVERLAPS = [
  { value: "0", label: "Stops at once" },
  { value: "1", label: "Works for another hour" },
  { value: "24", label: "Works for another 24 hours" },
  { value: "72", label: "Works for another 3 days" },
  { value: "168", label: "Works for another 7 days" },
] as const;
/** How long a replaced token still works unless the administrator says otherwise, in hours. */
export const DEFAULT_OVERLAP_HOURS = 24;

const NAME_REQUIRED = "Enter a name for the service account.";
const SCOPES_REQUIRED = "Choose at least one permission.";

/** Returns why a text is not an address or a block, or undefined. */
function addressRangeProblem(text: string): string | undefined {
  const range = parseAddressRange(text);
  if (!range)
    return `“${text.slice(0, 60)}” is not an IP address or block, such as 192.0.2.0/24 or 2001:db8::/32.`;
  if (!range.isFirst)
    return `“${text}” is within the block ${writeAddressRange(range)}. Enter the block itself.`;
  return undefined;
}

const AddressRange = z.pipe(
  z.string("An address is text.").check(
    z.trim(),
    z.refine((text) => addressRangeProblem(text) === undefined, {
      error: ({ input }) => addressRangeProblem(String(input)) ?? "",
    }),
  ),
  z.transform((text: string) => {
    const range = parseAddressRange(text);
    return range ? writeAddressRange(range) : text;
  }),
);

const Addresses = z
  .array(AddressRange)
  .check(z.maxLength(MAX_ADDRESSES, `At most ${MAX_ADDRESSES} addresses.`));
const PerMinute = wholeNumberFrom(
  1,
  MAX_PER_MINUTE,
  `Calls per minute are a whole number from 1 to ${MAX_PER_MINUTE.toLocaleString("en-US")}.`,
);

/** The body of PUT /service-accounts/{id}. An account keeps the restrictions that a change omits. */
export const ServiceAccountFields = z.object({
  name: z
    .string(NAME_REQUIRED)
    .check(
      z.overwrite(visibleText),
      z.minLength(1, NAME_REQUIRED),
      z.maxLength(60, "A name has at most 60 characters."),
    ),
  scopes: z
    .array(z.enum(SERVICE_SCOPE_NAMES, "There is no such permission."), SCOPES_REQUIRED)
    .check(
      z.minLength(1, SCOPES_REQUIRED),
      z.maxLength(SERVICE_SCOPES.length, "Choose each permission only once."),
    ),
  /** Addresses that it may call from; empty for any. */
  addresses: z.optional(Addresses),
  per_minute: z.optional(PerMinute),
});
export type ServiceAccountFields = z.infer<typeof ServiceAccountFields>;

const ValidDays = z._default(
  wholeNumberFrom(1, MAX_VALID_DAYS, `A token is valid for 1 to ${MAX_VALID_DAYS} days.`),
  DEFAULT_VALID_DAYS,
);

/** The body of POST /service-accounts. */
export const NewServiceAccount = z.extend(ServiceAccountFields, {
  addresses: z._default(Addresses, []),
  per_minute: z._default(PerMinute, DEFAULT_PER_MINUTE),
  valid_days: ValidDays,
  idempotency_key: IdempotencyKey,
});
export type NewServiceAccount = z.infer<typeof NewServiceAccount>;

/** The body of POST /service-accounts/{id}/rotate. */
export const ServiceRotation = z.object({
  valid_days: ValidDays,
  overlap_hours: z._default(
    wholeNumberFrom(0, MAX_OVERLAP_HOURS, `The former token works for 0 to ${MAX_OVERLAP_HOURS} more hours.`),
    DEFAULT_OVERLAP_HOURS,
  ),
});
export type ServiceRotation = z.infer<typeof ServiceRotation>;

/** The body of POST /service-accounts/{id}/on. */
export const ServiceSwitch = z.object({ on: z.boolean("Set on to true or false.") });

/** Returns the fields of the form as the schemas expect them. */
export function serviceFieldsOf(fields: Record<string, string>, lists: Record<string, string[]>) {
  const addresses = (fields.addresses ?? "").split(/[\s,]/).filter((address) => address !== "");
  return { ...fields, scopes: lists.scopes ?? [], addresses };
}

/** The user who created the present token of a service account. */
export type ResponsibleUser = Pick<Standing, "role" | "hotlistAdmin" | "hotlistViewer"> & {
  name: string;
  disabledAt: number | null;
  deletedAt: number | null;
};

/**
 * Returns whether a user is still an active administrator who could grant these scopes. Otherwise the token that they
 * created does not work: no token outlives the rights of its responsible user.
 */
export function mayAnswerFor(
  scopes: readonly ServiceScope[],
  user: ResponsibleUser | null,
  investigators: Investigators,
): boolean {
  if (!user || user.disabledAt !== null || user.deletedAt !== null) return false;
  const { role, hotlistAdmin, hotlistViewer } = user;
  const investigator = isInvestigator(investigators, role);
  const standing = { role, hotlistAdmin, hotlistViewer, investigator, isOwner: false };
  const grantable = grantableScopes(standing);
  return mayUse("admin", standing) && scopes.every((scope) => grantable.includes(scope));
}

/** A service account as the screens show it, without its token. */
export type ServiceAccountRow = {
  id: string;
  name: string;
  scopes: ServiceScope[];
  addresses: string[];
  per_minute: number;
  token_last_four: string;
  /** "suspended": the responsible user may no longer grant its permissions. */
  state: "on" | "expired" | "disabled" | "suspended";
  /** The name of the user who created the present token. */
  responsible: string;
  created_at: number;
  created_by: string;
  rotated_at: number | null;
  expires_at: number;
  /** Until when the former token works; null if it does not. */
  former_until: number | null;
  last_used_at: number | null;
  last_used_ip: string;
  last_refused_at: number | null;
  last_refused_ip: string;
  last_refusal: string;
};
