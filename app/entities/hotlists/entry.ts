/** A plate to watch: its fields, its rules, how it matches a read. Pure, safe in the browser. */

import {
  isSameJurisdiction,
  type JurisdictionContext,
  jurisdictionOf,
} from "#app/entities/search/jurisdiction.ts";
import { normalizePlate, PLATE_MAX_LENGTH } from "#app/entities/search/plate.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { timeOf } from "#app/lib/time/wall-clock.ts";

export const MATCH_POLICIES = [
  { value: "exact", label: "Exact plate" },
  { value: "lookalike", label: "Look-alike characters too" },
] as const;
export type MatchPolicy = (typeof MATCH_POLICIES)[number]["value"];

export const PRIORITIES = [
  { value: "high", label: "High" },
  { value: "normal", label: "Normal" },
  { value: "low", label: "Low" },
] as const;
export type Priority = (typeof PRIORITIES)[number]["value"];

/** An entry is shown as expiring this long before it does, and whoever added it is notified first. */
export const EXPIRY_NEAR_MS = 7 * DAY;
/** Notices to whoever added a plate: a week and a day before it expires, and when it has. */
export const EXPIRY_STAGES = ["week", "day", "expired"] as const;
export type ExpiryStage = (typeof EXPIRY_STAGES)[number];
/** Longest life of an entry before somebody must renew it. */
const EXPIRY_MAX_DAYS = 366;
/** Characters of a wildcard plate that must be given. */
const WILDCARD_MIN_FIXED = 3;

export const REASON_MAX = 300;
/** Nobody is watched for without a reason that can be read. */
export const REASON_NEEDED = "Every plate needs a reason.";
export const NOTES_MAX = 2000;
export const CASE_NUMBER_MAX = 64;

/** What an entry says, canonical. `expiresAt` null: it never expires. */
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

/** A plate of a group as GET …/details-data and …/edit-data give it (specification section 3), and our additions. */
export type HotlistPlate = {
  id: number;
  plate_number: string;
  state: string;
  reason: string;
  notes: string;
  created_at: string;
  added_by_name: string;
  added_by_agency: string;
  attachment_path: string | null;
  expires_at: string | null;
  case_number: string;
  match_policy: MatchPolicy;
  state_required: boolean;
  make: string;
  color: string;
  body_type: string;
  priority: Priority;
  revision: number;
  attachment_name: string | null;
  /** Other groups of the viewer that watch the plate too. */
  also_in: string[];
};

/**
 * The plate of an entry in canonical form, or why there is none. `*` and `?` may stand in it where `wildcards` allows.
 */
export function parseEntryPlate(
  text: string,
  options: { wildcards: boolean },
): { plate: string; problem?: undefined } | { plate?: undefined; problem: string } {
  const compact = text.replace(/[\s\-.·•]/g, "").normalize("NFKC");
  if (compact === "") return { problem: "A plate number is needed." };
  const hasWildcard = /[*?]/.test(compact);
  if (hasWildcard && !options.wildcards)
    return { problem: "Wildcards are added one by one, where Odin can say what they would hit." };
  if (!/^[\p{L}\p{N}*?]+$/u.test(compact)) return { problem: "A plate has letters and digits only." };
  const plate = compact
    .split(/([*?]+)/)
    .map((part) => (/[*?]/.test(part) ? part : normalizePlate(part)))
    .join("");
  const canonical = plate.replace(/\*+/g, "*");
  const fixed = canonical.replace(/[*?]/g, "");
  if (Array.from(fixed).length > PLATE_MAX_LENGTH || canonical.length > 20)
    return { problem: `A plate has at most ${PLATE_MAX_LENGTH} characters.` };
  if (hasWildcard && fixed.length < WILDCARD_MIN_FIXED)
    return { problem: `A plate with wildcards needs at least ${WILDCARD_MIN_FIXED} given characters.` };
  return { plate: canonical };
}

export function isWildcardPlate(plate: string): boolean {
  return /[*?]/.test(plate);
}

/**
 * The state of an entry as it is stored: a code of our vocabulary, or empty. Codes of other places are kept (`DE-BY` of a
 * read, NCIC's two letters for tribes, foreign countries and the US government). Undefined for any other text.
 */
export function parseEntryState(text: string, context?: JurisdictionContext): string | undefined {
  const known = jurisdictionOf(text, context);
  if (known !== undefined) return known;
  const code = text.trim().toUpperCase();
  return code === "" || /^(?!(US|CA|MX)-)[A-Z]{2}(-[A-Z]{2,3})?$/.test(code) ? code : undefined;
}

/**
 * When an entry expires, in milliseconds since 1970; null means never. An empty wish follows the agency's policy, which
 * is 0 where entries do not expire by default. A wish without a zone is in `zone` (IANA), and a day is the whole day there.
 * Throws RangeError where the wish is no date, lies in the past or too far ahead.
 */
export function expiryOf(
  wish: string,
  input: { now: number; policyDays: number; zone: string },
): number | null {
  const { now, policyDays, zone } = input;
  if (wish === "never") return null;
  if (wish === "") return policyExpiry({ now, policyDays });
  const at = timeOf(wish, { zone, edge: "end" });
  if (at === undefined) throw new RangeError("The expiry is no date.");
  if (!(at > now)) throw new RangeError("The expiry lies in the past.");
  if (at > now + (EXPIRY_MAX_DAYS + 2) * DAY)
    throw new RangeError(`An entry expires within ${EXPIRY_MAX_DAYS} days and may be renewed.`);
  return at;
}

/** When an entry without an end of its own expires by the agency's policy; null means never. */
export function policyExpiry({ now, policyDays }: { now: number; policyDays: number }): number | null {
  return policyDays === 0 ? null : now + policyDays * DAY;
}

/** Parts of a group's list by their expiry; what has expired stays on the list and is not matched. */
export const LIST_PARTS = [
  { value: "in-force", label: "In force" },
  { value: "near", label: "Expires soon" },
  { value: "expired", label: "Expired" },
] as const;
export type ListPart = (typeof LIST_PARTS)[number]["value"];

/** Most entries that one act renews: each stands in its audit row. */
export const RENEW_AT_ONCE = 1000;

export type ExpiryState = "none" | "later" | "near" | "expired";

export function expiryState(expiresAt: number | null, now: number): ExpiryState {
  if (expiresAt === null) return "none";
  if (expiresAt <= now) return "expired";
  return expiresAt - now <= EXPIRY_NEAR_MS ? "near" : "later";
}

/** Characters that cameras take for each other (OCR equivalence sets of the field). */
const LOOKALIKES = ["0ODQ", "1I", "2Z", "5S", "8B", "6G"];
const FOLD = new Map(
  LOOKALIKES.flatMap((set) => Array.from(set, (character) => [character, set[0] as string])),
);

/** Every character that another may be taken for. */
export const LOOKALIKE_CHARACTERS: ReadonlySet<string> = new Set(FOLD.keys());

/** A plate with each look-alike written as the first of its set: equal for plates that a camera may confuse. */
export function foldLookalikes(plate: string): string {
  let folded = "";
  for (const character of plate) folded += FOLD.get(character) ?? character;
  return folded;
}

export type EntryMatch = Pick<EntryFields, "plate" | "state" | "matchPolicy" | "stateRequired">;

/** Whether a read's plate and state are what an entry watches for. An unread state fits unless it is required. */
export function entryMatches(entry: EntryMatch, read: { plate: string; state: string }): boolean {
  if (entry.stateRequired && !isSameJurisdiction(read.state, entry.state)) return false;
  const fold = entry.matchPolicy === "lookalike" ? foldLookalikes : (plate: string) => plate;
  return fitsPlate(fold(entry.plate), fold(read.plate));
}

function fitsPlate(pattern: string, plate: string): boolean {
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

/** What of a read does not fit what is known of the vehicle, in words: a reason to look twice, not to look away. */
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

/** A number of 52 bits that is another where anything that an entry says is another (its plate and expiry apart). */
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
