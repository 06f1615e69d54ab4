/**
 * A live read, the entries that watch for it, and what of the two does not fit. Pure; the SQL beside it
 * (store/alerts/matching.ts) only finds entries that could match, what does is decided here.
 */

import {
  type EntryFields,
  entryMatches,
  foldLookalikes,
  isWildcardPlate,
  vehicleMismatches,
} from "#app/entities/hotlists/entry.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";

/** Whose read it is, as the rules of sharing ask. */
export type ReadOrigin = {
  program: SourceProgram;
  /** The agency whose camera it was. */
  agencyId: string;
  /** The Axon integration that it came through; empty elsewhere. */
  integrationId: string;
};

/** What an alert shows of a read. Empty text and null: not known. */
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

/** Where the pictures of a read are with its vendor, until they are stored here. */
export type VendorImages = {
  program: SourceProgram;
  /** The Axon integration, or the Rekor agency by its name. */
  source: string;
  vehicle: string | null;
  plate: string | null;
};

/** Pictures that came with an event; each hit of it has its own. */
export type SentImage = { kind: "vehicle" | "plate"; bytes: Uint8Array<ArrayBuffer>; type: string };

/** One event of a pass before a camera. Events of a pass share the key, whatever their number and order. */
export type LiveRead = {
  origin: ReadOrigin;
  passKey: string;
  /** What this event itself says; a later one may say otherwise, and each of them counts. */
  plate: string;
  plateState: string;
  /** The best that is known of the pass. */
  facts: ReadFacts;
  /** Which of two events of a pass is shown: the higher one. */
  rank: number;
  /** What is odd about the read itself, in words. */
  caveats: string[];
  vendorImages: VendorImages | null;
  sentImages: SentImage[];
};

export type MatchKind = "exact" | "lookalike" | "wildcard";

/** An entry with what an alert copies of it. */
export type WatchingEntry = EntryFields & {
  id: number;
  groupId: string;
  /** The agency that owns the group. */
  agencyId: string;
  createdAt: number;
  addedByName: string;
  addedByAgency: string;
};

/** A read that arrives later than this after it was taken is history: it is found by a search and wakes nobody. */
const LATEST_ARRIVAL = DAY;
/**
 * Clocks differ: a read taken this long before its entry was listed still counts. Older ones are past reads. Axon is asked
 * for its last minutes again and again, which would make past reads of every new entry hits.
 */
const BEFORE_LISTING: Record<SourceProgram, number> = { Rekor: HOUR, Axis: HOUR, Axon: MINUTE };
/** Later than this is worth telling. */
const LATE = 10 * MINUTE;

/** Whether a read is one to wake somebody for: taken of late, and not before the entry was listed. */
export function isTimely(
  entry: { createdAt: number },
  read: { program: SourceProgram; capturedAt: number },
  now: number,
): boolean {
  const { program, capturedAt } = read;
  return now - capturedAt <= LATEST_ARRIVAL && capturedAt >= entry.createdAt - BEFORE_LISTING[program];
}

/** How an entry matches an event of a pass, at best: by what it says itself, or by what is known of the pass. Null: not at all. */
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

/** The plates, with look-alikes folded, under which entries for an event are looked for. */
export function foldedPlates(read: LiveRead): string[] {
  // Most events say the same plate twice.
  const plates = read.plate === read.facts.plate ? [read.plate] : [read.plate, read.facts.plate];
  return [...new Set(plates.filter((plate) => plate !== "").map(foldLookalikes))];
}

/** What does not fit, in words, worst first: reasons to verify plate and state before action. */
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
    ...ageWords(entry, facts, now),
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

function ageWords(entry: WatchingEntry, { capturedAt }: ReadFacts, now: number): string[] {
  const late = now - capturedAt;
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
