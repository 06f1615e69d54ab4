// Maps the words of the search form to those of Rekor and Axon, and back. Rekor's words come from its own applications;
// its full list of makes is not public. Axon's are those of our own contract (see axon.ts). Unknown words are shown
// title-cased.

import { jurisdictionOf } from "#app/entities/search/jurisdiction.ts";
import type { JurisdictionCode } from "#app/entities/search/jurisdiction-names.ts";
import {
  SEARCHED_MAKES,
  VEHICLE_BODY_TYPES,
  VEHICLE_COLORS,
  type VehicleBodyType,
  type VehicleColor,
  type VehicleMake,
} from "#app/entities/search/vehicle.ts";
import { capitalized, truncated } from "#app/lib/text.ts";

/** The vendor's words for each of ours; the first is the usual one, an empty list means that there is none. */
export type WordTable<Word extends string> = Readonly<Record<Word, readonly string[]>>;

export const REKOR_COLORS: WordTable<VehicleColor> = {
  Black: ["black"],
  Blue: ["blue"],
  Brown: ["brown"],
  "Gold/Beige": ["gold-beige"],
  Green: ["green"],
  Orange: ["orange"],
  Pink: ["pink"],
  Purple: ["purple"],
  Red: ["red"],
  "Silver/Gray": ["silver-gray"],
  White: ["white"],
  Yellow: ["yellow"],
};

export const REKOR_BODY_TYPES: WordTable<VehicleBodyType> = {
  "sedan-standard": ["sedan-standard"],
  "sedan-convertible": ["sedan-convertible"],
  "sedan-wagon": ["sedan-wagon"],
  "sedan-sports": ["sedan-sports"],
  "sedan-compact": ["sedan-compact"],
  SUV: ["suv-standard", "suv-crossover", "suv-wagon"],
  "truck-standard": ["truck-standard"],
  "tractor-trailer": ["tractor-trailer"],
  "van-full": ["van-full"],
  "van-mini": ["van-mini"],
  Motorcycle: ["motorcycle"],
};

export const AXON_COLORS: WordTable<VehicleColor> = {
  Black: ["black"],
  Blue: ["blue"],
  Brown: ["brown"],
  "Gold/Beige": [],
  Green: ["green"],
  Orange: [],
  Pink: [],
  Purple: [],
  Red: ["red"],
  "Silver/Gray": ["silver", "gray"],
  White: ["white"],
  Yellow: ["yellow"],
};

export const AXON_BODY_TYPES: WordTable<VehicleBodyType> = {
  "sedan-standard": ["sedan"],
  "sedan-convertible": ["convertible"],
  "sedan-wagon": ["wagon"],
  "sedan-sports": ["coupe"],
  "sedan-compact": ["hatchback"],
  SUV: ["suv"],
  "truck-standard": ["pickup"],
  "tractor-trailer": ["semi"],
  "van-full": ["van"],
  "van-mini": ["minivan"],
  Motorcycle: ["motorcycle"],
};

/** Spellings that are accepted but never sent: `sedan-sport` of older Rekor agents, British grey. */
const ALSO_UNDERSTOOD: ReadonlyMap<string, string> = new Map([
  ["sedan-sport", "sedan-sports"],
  ["grey", "gray"],
]);

/** Words that vendors send for "not detected". */
const NOTHING = new Set(["", "missing", "unknown", "none", "null", "undefined", "n-a"]);

const folded = (word: string) => {
  const key = word
    .trim()
    .toLowerCase()
    .replace(/[\s_/]+/g, "-");
  return ALSO_UNDERSTOOD.get(key) ?? key;
};

function reversed<Word extends string>(
  words: readonly Word[],
  table: WordTable<Word>,
): ReadonlyMap<string, Word> {
  return new Map(words.flatMap((word) => table[word].map((theirs) => [folded(theirs), word] as const)));
}

const COLOR_NAMES = VEHICLE_COLORS.map((color) => color.name);
const rekorColors = reversed(COLOR_NAMES, REKOR_COLORS);
const rekorBodyTypes = reversed(VEHICLE_BODY_TYPES, REKOR_BODY_TYPES);
// Axon's reads may have colors that its search does not accept, under their plain names.
const axonColors = new Map([
  ...reversed(COLOR_NAMES, AXON_COLORS),
  ...COLOR_NAMES.map((name) => [folded(name), name] as const),
]);
const axonBodyTypes = reversed(VEHICLE_BODY_TYPES, AXON_BODY_TYPES);
const makes = new Map<string, VehicleMake>(SEARCHED_MAKES.map((make) => [folded(make), make]));

/** `Silver/Gray` for Rekor's `silver-gray`; unknown words title-cased; "" if Rekor detected none. */
export const colorFromRekor = (word: string) => ours(rekorColors, word);
/** `SUV` for Rekor's `suv-crossover`; unknown words (`antique`) title-cased; "" if Rekor detected none. */
export const bodyTypeFromRekor = (word: string) => ours(rekorBodyTypes, word);
/** `Silver/Gray` for Axon's `silver` and `gray`; unknown words title-cased. */
export const colorFromAxon = (word: string) => ours(axonColors, word);
/** `sedan-sports` for Axon's `coupe`; unknown words title-cased. */
export const bodyTypeFromAxon = (word: string) => ours(axonBodyTypes, word);
/** `Mercedes-Benz` for `mercedes-benz`, `mercedes benz` and similar; unknown makes title-cased. */
export const makeFromVendor = (word: string) => ours(makes, word);

/** A make in Rekor's form: lower case, words joined by hyphens. */
export const makeForRekor = (make: VehicleMake) => folded(make);
/** A make in the form of our Axon contract: lower case, words separated by spaces. */
export const makeForAxon = (make: VehicleMake) => make.toLowerCase();

function ours(table: ReadonlyMap<string, string>, word: string): string {
  const key = folded(word);
  if (NOTHING.has(key)) return "";
  return table.get(key) ?? titleCased(word);
}

function titleCased(word: string): string {
  const words = word
    .trim()
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((part) => part !== "");
  return truncated(words.map(capitalized).join(" "), 40);
}

/** A region in Rekor's form: `us-ct` for CT, `ca-on` for CA-ON. */
export const regionForRekor = (state: JurisdictionCode) =>
  (state.includes("-") ? state : `us-${state}`).toLowerCase();

/**
 * Returns the code of a Rekor region: `CT` for `us-ct` and `ct`, `CA-ON` for `ca-on`. Regions of other countries keep
 * their country (`DE-BY`). Returns "" if the text is not a region.
 */
export function stateFromRekor(region: string): string {
  const known = jurisdictionOf(region);
  if (known !== undefined) return known;
  const code = region.trim().toUpperCase();
  return /^[A-Z]{2}-[A-Z]{2,3}$/.test(code) ? code.replace(/^US-/, "") : "";
}

/** Returns a state code from Axon's: `ct`, `CT` and `US-CT` are CT; other short codes are unchanged. */
export function stateFromAxon(text: string): string {
  const known = jurisdictionOf(text);
  if (known !== undefined) return known;
  const code = text.trim().toUpperCase().replace(/^US-/, "");
  return /^[A-Z]{2}(-[A-Z]{2,3})?$/.test(code) ? code : "";
}
