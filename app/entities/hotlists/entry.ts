/**
 * A hotlist entry: a plate to watch, its fields, and the rules by which it matches a read. Pure, safe in the browser.
 *
 * Terms: a group (alert group) is a hotlist with its members. An entry is in force while it is on the group's current
 * list. An expired entry stays on the list but is not matched until it is renewed.
 */

import type * as z from "zod/mini";
import {
  isNoState,
  isSameJurisdiction,
  type JurisdictionContext,
  jurisdictionOf,
} from "#app/entities/search/jurisdiction.ts";
import { CONFUSED, foldingTo } from "#app/entities/search/look-alikes.ts";
import {
  alphabetProblem,
  compactPlate,
  normalizePlate,
  PLATE_MAX_LENGTH,
} from "#app/entities/search/plate.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { timeOf } from "#app/lib/time/wall-clock.ts";
import type * as answers from "./answers.ts";

/** How exactly a read must match the plate of an entry. */
export const MATCH_POLICIES = [
  { value: "exact", label: "Exact plate" },
  { value: "lookalike", label: "Look-alike characters too" },
] as const;
export type MatchPolicy = (typeof MATCH_POLICIES)[number]["value"];

/** Priorities of an entry, highest first. */
export const PRIORITIES = [
  { value: "high", label: "High" },
  { value: "normal", label: "Normal" },
  { value: "low", label: "Low" },
] as const;
export type Priority = (typeof PRIORITIES)[number]["value"];

/** An entry counts as expiring this long before its expiry. The user who added it gets the first notice then. */
export const EXPIRY_NEAR_MS = 7 * DAY;
/**
 * Stages at which the user who added a plate is notified: a week before it expires, a day before, and once it has
 * expired.
 */
export const EXPIRY_STAGES = ["week", "day", "expired"] as const;
export type ExpiryStage = (typeof EXPIRY_STAGES)[number];
/** Maximum days before an entry expires and must be renewed. */
const EXPIRY_MAX_DAYS = 366;
/** Minimum number of characters of a wildcard plate that are not wildcards. */
const WILDCARD_MIN_FIXED = 3;

/** Maximum number of characters of an entry's reason. */
export const REASON_MAX = 300;
/** Clients and vendor files may send a reason of this length; the excess moves to the notes. */
export const SENT_REASON_MAX = 1000;
/** Every watched plate needs a documented reason. */
export const REASON_NEEDED = "Every plate needs a reason.";
/** Maximum number of characters of an entry's notes. */
export const NOTES_MAX = 2000;
/** Maximum number of characters of an entry's case number. */
export const CASE_NUMBER_MAX = 64;

/** The content of an entry, in canonical form. */
export type EntryFields = {
  plate: string;
  state: string;
  reason: string;
  notes: string;
  caseNumber: string;
  matchPolicy: MatchPolicy;
  stateRequired: boolean;
  make: string;
  color: string;
  bodyType: string;
  priority: Priority;
};

/**
 * A plate of a group as GET …/details-data and …/edit-data return it (specification section 3), with Odin's additions.
 */
export type HotlistPlate = z.infer<typeof answers.HotlistPlate>;

/** A plate that is no longer on a group's list: why it was, and who added and removed it. */
export type RemovedPlate = {
  id: number;
  plate: string;
  state: string;
  reason: string;
  case_number: string;
  added_at: string;
  added_by: string;
  added_by_agency: string;
  removed_at: string;
  /** "" if the user no longer exists. */
  removed_by: string;
};

/** A page of removed plates, the latest removal first. */
export type RemovedPlates = {
  plates: RemovedPlate[];
  /** Whether this is a later page than the first. */
  older: boolean;
  /** Where the next page starts; null if there is none. */
  next: string | null;
  /** How far back a search has looked, if older plates remain and the page is not full. */
  searched_to: string | null;
};

/** Returns the plate of an entry in canonical form, or the problem with it. `wildcards` allows `*` and `?`. */
export function parseEntryPlate(
  text: string,
  options: { wildcards: boolean },
): { plate: string; problem?: undefined } | { plate?: undefined; problem: string } {
  const compact = compactPlate(text);
  if (compact === "") return { problem: "A plate number is required." };
  const hasWildcard = /[*?]/.test(compact);
  if (hasWildcard && !options.wildcards)
    return { problem: "Add wildcard plates one at a time, so that Odin can preview what they match." };
  if (!/^[\p{L}\p{N}*?]+$/u.test(compact)) return { problem: "A plate can contain only letters and digits." };
  const plate = compact
    .split(/([*?]+)/)
    .map((part) => (/[*?]/.test(part) ? part : normalizePlate(part)))
    .join("");
  const mistaken = alphabetProblem(plate);
  if (mistaken) return { problem: mistaken };
  const canonical = plate.replace(/\*+/g, "*");
  const fixed = canonical.replace(/[*?]/g, "");
  if (Array.from(fixed).length > PLATE_MAX_LENGTH || canonical.length > 20)
    return { problem: `A plate has at most ${PLATE_MAX_LENGTH} characters.` };
  if (hasWildcard && fixed.length < WILDCARD_MIN_FIXED)
    return { problem: `A plate with wildcards needs at least ${WILDCARD_MIN_FIXED} other characters.` };
  return { plate: canonical };
}

/** Returns whether a plate has `*` or `?`. */
export function isWildcardPlate(plate: string): boolean {
  return /[*?]/.test(plate);
}

/**
 * Returns the state of an entry as stored: a known code, or empty. Codes of other places are kept (`DE-BY` of a read,
 * NCIC's two-letter codes for tribes, foreign countries and the US government). `XX`, which cameras send for an unknown
 * state, is not stored, because no read would match it. Returns undefined for any other text.
 */
export function parseEntryState(text: string, context?: JurisdictionContext): string | undefined {
  const known = jurisdictionOf(text, context);
  if (known !== undefined) return known;
  if (isNoState(text)) return "";
  const code = text.trim().toUpperCase();
  if (code === "XX") return "";
  return /^(?!(US|CA|MX)-)[A-Z]{2}(-[A-Z]{2,3})?$/.test(code) ? code : undefined;
}

/**
 * Returns when an entry expires, in milliseconds since 1970; null means never. An empty `requested` expiry follows the
 * agency's policy of `policyDays`, where 0 means never. A date without a time zone is in `zone` (IANA) and includes the
 * whole day. Throws RangeError if it is not a date, is in the past, or is too far ahead.
 */
export function expiryOf(
  requested: string,
  input: { now: number; policyDays: number; zone: string },
): number | null {
  const { now, policyDays, zone } = input;
  if (requested === "never") return null;
  if (requested === "") return policyExpiry({ now, policyDays });
  const at = timeOf(requested, { zone, edge: "end" });
  if (at === undefined) throw new RangeError("The expiry is not a date.");
  if (!(at > now)) throw new RangeError("The expiry is in the past.");
  if (at > now + (EXPIRY_MAX_DAYS + 2) * DAY)
    throw new RangeError(`An entry must expire within ${EXPIRY_MAX_DAYS} days. You can renew it later.`);
  return at;
}

/**
 * Returns when an entry without its own expiry expires by the agency's policy, in milliseconds since 1970; null means
 * never.
 */
export function policyExpiry({ now, policyDays }: { now: number; policyDays: number }): number | null {
  return policyDays === 0 ? null : now + policyDays * DAY;
}

/** Parts of a group's list by expiry. Expired entries stay on the list and are not matched. */
export const LIST_PARTS = [
  { value: "in-force", label: "Active" },
  { value: "near", label: "Expires soon" },
  { value: "expired", label: "Expired" },
] as const;
export type ListPart = (typeof LIST_PARTS)[number]["value"];

/** Maximum number of entries that one request renews. The audit row lists each of them. */
export const RENEW_AT_ONCE = 1000;

export type ExpiryState = "none" | "later" | "near" | "expired";

/** Returns how soon an entry expires, from times in epoch milliseconds; "near" within EXPIRY_NEAR_MS. */
export function expiryState(expiresAt: number | null, now: number): ExpiryState {
  if (expiresAt === null) return "none";
  if (expiresAt <= now) return "expired";
  return expiresAt - now <= EXPIRY_NEAR_MS ? "near" : "later";
}

/**
 * The confused characters without L. Only searches treat L as 1: in a hotlist it would cause stops for a witness's
 * mistake.
 */
const LOOKALIKES = CONFUSED.map((set) => set.replace("L", ""));

/** Every character that can be confused with another. */
export const LOOKALIKE_CHARACTERS: ReadonlySet<string> = new Set(LOOKALIKES.join(""));

/**
 * Returns a plate with each look-alike replaced by the first of its set. Plates that a camera can confuse fold to the
 * same text.
 */
export const foldLookalikes = foldingTo(LOOKALIKES);

export type EntryMatch = Pick<EntryFields, "plate" | "state" | "matchPolicy" | "stateRequired">;

/**
 * Returns whether an entry matches a read's plate and state. An unread state matches unless the entry requires the
 * state.
 */
export function entryMatches(entry: EntryMatch, read: { plate: string; state: string }): boolean {
  if (entry.stateRequired && !isSameJurisdiction(read.state, entry.state)) return false;
  const fold = entry.matchPolicy === "lookalike" ? foldLookalikes : (plate: string) => plate;
  return matchesPlate(fold(entry.plate), fold(read.plate));
}

function matchesPlate(pattern: string, plate: string): boolean {
  if (!isWildcardPlate(pattern)) return pattern === plate;
  let reachable = new Set([0]);
  for (const character of pattern) {
    const next = new Set<number>();
    for (const at of reachable) {
      if (character === "*") for (let to = at; to <= plate.length; to++) next.add(to);
      else if (at < plate.length && (character === "?" || plate[at] === character)) next.add(at + 1);
    }
    reachable = next;
  }
  return reachable.has(plate.length);
}

/**
 * Returns the differences between a read and the known vehicle, as phrases for the alert. A mismatch is a reason for
 * the officer to check again, not to ignore the alert.
 */
export function vehicleMismatches(
  entry: Pick<EntryFields, "state" | "make" | "color" | "bodyType">,
  read: { state: string; make: string; color: string; bodyType: string },
): string[] {
  const differs = (known: string, seen: string) =>
    known !== "" && seen !== "" && known.toLowerCase() !== seen.toLowerCase();
  const otherState = differs(entry.state, read.state) && !isSameJurisdiction(entry.state, read.state);
  return [
    ...(otherState ? [`state ${read.state}, listed ${entry.state}`] : []),
    ...(differs(entry.make, read.make) ? [`make ${read.make}, listed ${entry.make}`] : []),
    ...(differs(entry.color, read.color) ? [`color ${read.color}, listed ${entry.color}`] : []),
    ...(differs(entry.bodyType, read.bodyType) ? [`body ${read.bodyType}, listed ${entry.bodyType}`] : []),
  ];
}

/**
 * Returns a 52-bit hash of an entry's content, without its plate, state and expiry. Imports compare it to find changes.
 */
export function entryDigest(entry: EntryFields): number {
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  const take = (value: string) => {
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x85ebca6b) + 0x9e3779b9;
    }
    low = Math.imul(low ^ 0x1f, 0x01000193);
    high = Math.imul(high ^ 0x1f, 0xc2b2ae35);
  };
  take(entry.reason);
  take(entry.notes);
  take(entry.caseNumber);
  take(entry.matchPolicy);
  take(entry.stateRequired ? "1" : "");
  take(entry.make);
  take(entry.color);
  take(entry.bodyType);
  take(entry.priority);
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}
