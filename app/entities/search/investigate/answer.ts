/** The answers of POST /search-places and POST /search-convoy, as they are stored for the screen. */

import type * as z from "zod/mini";
import type * as answers from "#app/entities/search/answers/investigations.ts";
import type { SourceStatus } from "#app/entities/search/query.ts";
import { numberText } from "#app/lib/number-text.ts";
import type { ConvoyRequest, PlacesRequest } from "./request.ts";

/** Maximum number of plates in an answer; those best explained by chance are left out. */
export const MAX_PLATES = 100;
/** Maximum number of reads shown per plate. */
export const MAX_EVIDENCE = 60;
/** Maximum number of reads of the given plate that a convoy search follows. */
export const MAX_ANCHORS = 200;

/** The warning with the answer of a convoy search. */
export const CONVOY_WARNING =
  "Traveling together proves nothing. People share roads, jobs and schedules. Treat each plate as a lead to verify, not as a suspect.";
/** The warning with the answer of a place search. */
export const PLACES_WARNING =
  "Being read in several places proves nothing. Treat each plate as a lead to verify, not as a suspect.";

/** A read of the evidence. `row` is its row in the result set. */
export type EvidenceRead = z.infer<typeof answers.EvidenceRead>;

type Ranked = {
  plate: string;
  /** States that were read on it, most frequent first. Several may be several vehicles. */
  states: string[];
  /** Color, make and body type as read most often. */
  vehicle: string;
  /** Base-10 logarithm of the chance of this evidence by coincidence. */
  log10_chance: number;
  /** Evidence that is not listed because there is too much of it. */
  left_out: number;
};

export type PlacePlate = Ranked & {
  /** The number of such vehicles expected by chance alone. */
  expected_by_chance: number;
  /** Indexes of places, from 0, each with its reads, newest first. */
  places: { place: number; rows: number[] }[];
};

export type ConvoyPlate = Ranked & {
  cameras: number;
  trips: number;
  pairs_found: number;
  expected_pairs: number;
  lift: number;
  /** The given plate's read, the other plate's read, and the seconds from the first to the second. */
  pairs: { anchor_row: number; row: number; seconds: number }[];
};

/** The part of every answer that precedes its plates. */
export type AnswerHead = {
  result_id: string;
  created_at: number;
  expires_at: number;
  reads: EvidenceRead[];
  /** Reads gathered from all sources to find them. */
  reads_gathered: number;
  sources: SourceStatus[];
};

type Common = AnswerHead & {
  /** Plates that meet the condition; `plates` has the first of them. */
  plates_found: number;
  /** What was left out or cut, and what limits the answer, as sentences. */
  notes: string[];
  warning: string;
};

export type PlacesAnswer = Common & {
  tool: "places";
  request: Omit<PlacesRequest, "justification">;
  plates: PlacePlate[];
};
export type ConvoyAnswer = Common & {
  tool: "convoy";
  request: Omit<ConvoyRequest, "justification">;
  /** Rows of the given plate's reads. */
  anchor_rows: number[];
  plates: ConvoyPlate[];
};
export type InvestigationAnswer = PlacesAnswer | ConvoyAnswer;
/** The request that an answer belongs to. */
export type InvestigationRequest =
  | Pick<PlacesAnswer, "tool" | "request">
  | Pick<ConvoyAnswer, "tool" | "request">;

/** Returns the chance as text: `1 in 4,200`, or `less than 1 in a billion`. */
export function chanceText(log10: number): string {
  const power = -log10;
  if (power < 0.05) return "expected by chance";
  if (power > 9) return "less than 1 in a billion";
  const odds = 10 ** power;
  return `1 in ${numberText(odds < 10 ? Math.round(odds * 10) / 10 : Number(odds.toPrecision(2)))}`;
}

/** Returns a place's name, or its number. */
export function placeName(place: { name: string }, index: number): string {
  return place.name === "" ? `Place ${index + 1}` : place.name;
}
