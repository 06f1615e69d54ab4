/**
 * Live reads, the hotlist entries they match, and the differences between the two. Pure. The SQL in
 * store/alerts/matching.ts only finds candidates; the rules here decide.
 * A pass is one drive of a vehicle past a camera. Vendors may send several events of it, which share a pass key;
 * the event with the highest rank is shown.
 */

import type { MatchKind } from "#app/entities/alerts/hit.ts";
import {
  type EntryFields,
  entryMatches,
  foldLookalikes,
  isWildcardPlate,
  type MatchPolicy,
  vehicleMismatches,
} from "#app/entities/hotlists/entry.ts";
import { isSameJurisdiction } from "#app/entities/search/jurisdiction.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import type { ImageType } from "#app/lib/images/type.ts";
import { counted } from "#app/lib/number-text.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";

/** The owner of a read, as the sharing rules need it. */
export type ReadOrigin = {
  program: SourceProgram;
  /** The agency whose camera it was. */
  agencyId: string;
  /** The Axon integration of the read; empty for other programs. */
  integrationId: string;
};

/** What an alert shows of a read. Empty text and null mean unknown. */
export type ReadFacts = {
  plate: string;
  plateState: string;
  make: string;
  color: string;
  bodyType: string;
  /** 0-100. */
  confidence: number | null;
  capturedAt: number;
  cameraId: string;
  cameraName: string;
  latitude: number | null;
  longitude: number | null;
  vehicleImageKey: string | null;
  plateImageKey: string | null;
};

/** Where the vendor keeps the pictures of a read until Odin stores them. */
export type VendorImages = {
  program: SourceProgram;
  /** The id of the Axon integration, or the name of the Rekor agency. */
  source: string;
  vehicle: string | null;
  plate: string | null;
};

/** A picture that came with an event; each hit stores its own copy. */
export type SentImage = { kind: "vehicle" | "plate"; bytes: Uint8Array<ArrayBuffer>; type: ImageType };

/** One event of a pass. The events of a pass share its key, whatever their number and order. */
export type LiveRead = {
  origin: ReadOrigin;
  passKey: string;
  /** What this event itself reports. Events of a pass may differ, and each is matched. */
  plate: string;
  plateState: string;
  /** When this event was captured. A vehicle may still be there hours after the capture of the pass in `facts`. */
  seenAt: number;
  /** The best known facts of the pass. */
  facts: ReadFacts;
  /** Of two events of a pass, the one with the higher rank is shown. */
  rank: number;
  /** Peculiarities of the read itself, as texts for the user. */
  caveats: string[];
  vendorImages: VendorImages | null;
  sentImages: SentImage[];
};

/** An entry with the fields that an alert copies. */
export type WatchingEntry = EntryFields & {
  id: number;
  groupId: string;
  /** The agency that owns the group. */
  agencyId: string;
  createdAt: number;
  addedByName: string;
  addedByAgency: string;
};

/** A read that arrives later than this after its capture creates no alert; a search still finds it. */
const LATEST_ARRIVAL = DAY;
/**
 * Tolerance for differing clocks: a read captured this long before its entry was listed still matches; older reads do
 * not. Axon is polled repeatedly for its last minutes, so that a longer time would match past reads against every new
 * entry.
 */
const BEFORE_LISTING: Record<SourceProgram, number> = { Rekor: HOUR, Axis: HOUR, Axon: MINUTE };
/** A longer delay between capture and arrival is shown on the alert. */
const LATE = 10 * MINUTE;

/** Returns whether a read may create an alert: it is recent, and not from before the entry was listed. */
export function isTimely(
  entry: { createdAt: number },
  read: { program: SourceProgram; seenAt: number },
  now: number,
): boolean {
  const { program, seenAt } = read;
  return now - seenAt <= LATEST_ARRIVAL && seenAt >= entry.createdAt - BEFORE_LISTING[program];
}

/**
 * Returns the best way in which an entry matches an event, by the event's own plate or by the best known facts of the
 * pass; null if it does not match.
 */
export function matchKindOf(entry: EntryFields, read: LiveRead): MatchKind | null {
  const states = { plateState: read.plateState || read.facts.plateState };
  let kind: MatchKind | null = null;
  for (const said of [{ plate: read.plate, ...states }, read.facts]) {
    if (said.plate === "" || !entryMatches(entry, { plate: said.plate, state: said.plateState })) continue;
    if (isWildcardPlate(entry.plate)) return "wildcard";
    if (said.plate === entry.plate) return "exact";
    kind = "lookalike";
  }
  return kind;
}

/** Returns the plates of an event with look-alikes folded, the keys for finding entries. */
export function foldedPlates(read: LiveRead): string[] {
  // Most events report the same plate twice.
  const plates = new Set([read.plate, read.facts.plate]);
  plates.delete("");
  return [...new Set(Array.from(plates, foldLookalikes))];
}

/**
 * Returns the differences between entry and read as texts, worst first: reasons to verify plate and state before
 * action.
 */
export function differencesOf(entry: WatchingEntry, read: LiveRead, now: number): string[] {
  const { facts } = read;
  const words = vehicleMismatches(entry, { ...facts, state: facts.plateState }).map((mismatch) =>
    mismatch.replace(
      /^(\w)(\w*) /,
      (_, first: string, rest: string) => `${first.toUpperCase()}${rest} differs: `,
    ),
  );
  const unread =
    entry.state !== "" && facts.plateState === "" ? [`State was not read, listed ${entry.state}`] : [];
  return [
    ...plateWords(entry, facts.plate),
    ...unread,
    ...words,
    ...read.caveats,
    ...ageWords(entry, read, now),
  ];
}

function plateWords(entry: WatchingEntry, plate: string): string[] {
  if (plate === entry.plate) return [];
  if (isWildcardPlate(entry.plate)) {
    const fits = entryMatches({ ...entry, stateRequired: false }, { plate, state: "" });
    return [
      fits
        ? `Plate fits the pattern ${entry.plate}`
        : `Plate was last read as ${plate}, listed ${entry.plate}`,
    ];
  }
  if (foldLookalikes(plate) !== foldLookalikes(entry.plate))
    return [`Plate was last read as ${plate}, listed ${entry.plate}`];
  const count = Array.from(plate).filter((character, at) => character !== entry.plate[at]).length;
  const much = count === 1 ? "one look-alike" : `${count} look-alikes`;
  return [`Plate differs in ${much}: ${plate}, listed ${entry.plate}`];
}

/** A hit's plate and state as read and as listed. Empty text means unknown. */
export type MatchedPlates = { plate: string; state: string; listedPlate: string; listedState: string };

/**
 * Returns how a read matched its hotlist entry, by what the hit shows of both: `Exact`, `Exact plate, state not read`,
 * `1 character differs, other state`, `Matches AB*, no state listed`. Never `Exact` unless plate and state were read and
 * are those of the entry.
 */
export function matchText(plates: MatchedPlates): string {
  const { plate, state, listedPlate, listedState } = plates;
  const plateText = plateMatchText(plate, listedPlate);
  const stateText = stateMatchText(state, listedState);
  if (stateText !== "") return `${plateText}, ${stateText}`;
  return plateText === EXACT_PLATE ? "Exact" : plateText;
}

const EXACT_PLATE = "Exact plate";

function plateMatchText(plate: string, listed: string): string {
  if (plate === "") return "Plate not read";
  if (plate === listed) return EXACT_PLATE;
  if (isWildcardPlate(listed)) {
    const fits = (matchPolicy: MatchPolicy) =>
      entryMatches({ plate: listed, state: "", matchPolicy, stateRequired: false }, { plate, state: "" });
    if (fits("exact")) return `Matches ${listed}`;
    return fits("lookalike") ? `Matches ${listed} with look-alike characters` : "Other plate";
  }
  const characters = Array.from(listed);
  const read = Array.from(plate);
  if (read.length !== characters.length) return "Other plate";
  const count = read.filter((character, at) => character !== characters[at]).length;
  return counted(count, "character differs", "characters differ");
}

/** Returns an empty text if the state was read and is the listed one. */
function stateMatchText(state: string, listedState: string): string {
  if (listedState === "") return "no state listed";
  if (state === "") return "state not read";
  return isSameJurisdiction(state, listedState) ? "" : "other state";
}

function ageWords(entry: WatchingEntry, { seenAt }: LiveRead, now: number): string[] {
  const late = now - seenAt;
  const days = Math.floor((now - entry.createdAt) / DAY);
  return [
    ...(late >= LATE
      ? [
          `Read arrived ${late < 2 * HOUR ? `${Math.round(late / MINUTE)} minutes` : `${Math.round(late / HOUR)} hours`} late`,
        ]
      : []),
    ...(days >= 1 ? [`Entry is ${days === 1 ? "one day" : `${days} days`} old`] : []),
  ];
}
