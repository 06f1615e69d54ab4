/** The words that a one-line search may use: the form's option lists, the agencies of the form, and known places. */

import type { AgencyGroup, AgencyOption } from "#app/entities/search/agencies.ts";
import { JURISDICTION_GROUPS } from "#app/entities/search/jurisdiction-names.ts";
import { VEHICLE_MARKS, type VehicleMark } from "#app/entities/search/query.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";

export type VocabularyEntry =
  | { kind: "color" | "make" | "body" | "state"; label: string; value: string }
  | { kind: "mark"; label: string; value: VehicleMark }
  | { kind: "agency"; label: string; options: readonly AgencyOption[] }
  /** A place after which no agency of the form is named. */
  | { kind: "place"; label: string };

export type Vocabulary = {
  /** The entries of each phrase, by `phraseKey`. */
  phrases: ReadonlyMap<string, readonly VocabularyEntry[]>;
  /** The words that announce the next ones: `make`, `agency`. */
  kinds: ReadonlyMap<string, VocabularyEntry["kind"]>;
};

/** Filler words, which have no meaning for a search. */
export const FILLERS: ReadonlySet<string> = new Set(
  "a an the with and in at on of near around by from to plate plates car cars vehicle vehicles color make state agency".split(
    " ",
  ),
);

const KINDS = new Map<string, VocabularyEntry["kind"]>([
  ["color", "color"],
  ["make", "make"],
  ["body", "body"],
  ["state", "state"],
  ["agency", "agency"],
]);

/** Everyday words for the options of the form. Words that fit several options, such as "van", are left out. */
const OTHER_WORDS: Record<string, string> = {
  silver: "Silver/Gray",
  gray: "Silver/Gray",
  grey: "Silver/Gray",
  gold: "Gold/Beige",
  beige: "Gold/Beige",
  chevy: "Chevrolet",
  vw: "Volkswagen",
  mercedes: "Mercedes-Benz",
  benz: "Mercedes-Benz",
  harley: "Harley-Davidson",
  landrover: "Land Rover",
  sedan: "sedan-standard",
  convertible: "sedan-convertible",
  wagon: "sedan-wagon",
  "station wagon": "sedan-wagon",
  "sports car": "sedan-sports",
  compact: "sedan-compact",
  truck: "truck-standard",
  pickup: "truck-standard",
  "pickup truck": "truck-standard",
  semi: "tractor-trailer",
  minivan: "van-mini",
  "mini van": "van-mini",
  "full size van": "van-full",
  "cargo van": "van-full",
  suvs: "SUV",
  motorbike: "Motorcycle",
};

/** The last words of agency names, which people leave out. */
const AGENCY_SUFFIX = / (police|department|dept|pd|sheriffs?|office|public safety|so)$/;

/** Returns the form in which phrases are compared: lower case, without accents, hyphens and punctuation at the ends. */
export function phraseKey(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/['’.]/g, "")
    .replace(/[-/_]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Returns the vocabulary of a form. `places` has a line per place, which starts with its name and a `|`. */
export function lineVocabulary(groups: readonly AgencyGroup[], places: string): Vocabulary {
  const phrases = new Map<string, VocabularyEntry[]>();
  const add = (text: string, entry: VocabularyEntry) => {
    const key = phraseKey(text);
    const before = phrases.get(key);
    const isKnown = before?.some(({ kind, label }) => kind === entry.kind && label === entry.label);
    if (key !== "" && !isKnown) phrases.set(key, [...(before ?? []), entry]);
  };
  const addOptions = (kind: "color" | "make" | "body", values: readonly string[]) => {
    for (const value of values) add(value, { kind, label: value, value });
    for (const [word, value] of Object.entries(OTHER_WORDS))
      if (values.includes(value)) add(word, { kind, label: value, value });
  };
  addOptions(
    "color",
    VEHICLE_COLORS.map(({ name }) => name),
  );
  addOptions("make", VEHICLE_MAKES);
  addOptions("body", VEHICLE_BODY_TYPES);
  for (const { key, label } of VEHICLE_MARKS) {
    add(label, { kind: "mark", label, value: key });
    add(label.replace(/s$/, ""), { kind: "mark", label, value: key });
  }
  for (const { jurisdictions } of JURISDICTION_GROUPS)
    for (const { code, name } of jurisdictions)
      for (const text of [code, name]) add(text, { kind: "state", label: name, value: code });
  addAgencies(groups, add);
  for (const line of places.split("\n")) {
    const name = line.slice(0, line.indexOf("|"));
    if (!phrases.has(phraseKey(name))) add(name, { kind: "place", label: name });
  }
  return { phrases, kinds: KINDS };
}

/** Adds programs, agencies by name with and without "Police Department", and cameras by identifier. */
function addAgencies(
  groups: readonly AgencyGroup[],
  add: (text: string, entry: VocabularyEntry) => void,
): void {
  const all = groups.flatMap(({ options }) => options);
  for (const { program, options } of groups)
    if (options.length > 0) add(program, { kind: "agency", label: `All ${program} agencies`, options });
  if (all.length > 0) add("all agencies", { kind: "agency", label: "All agencies", options: all });
  const named = new Map<string, AgencyOption[]>();
  for (const option of all) {
    for (let key = phraseKey(option.name); ; ) {
      named.set(key, [...(named.get(key) ?? []), option]);
      const shorter = key.replace(AGENCY_SUFFIX, "");
      if (shorter === key) break;
      key = shorter;
    }
    if (option.program === "Axis")
      for (const identifier of option.identifiers)
        add(identifier, {
          kind: "agency",
          label: `Camera ${identifier}`,
          options: [{ ...option, identifiers: [identifier] }],
        });
  }
  for (const [key, options] of named) {
    const label = [...new Set(options.map(({ name }) => name))].join(", ");
    add(key, { kind: "agency", label, options });
  }
}
