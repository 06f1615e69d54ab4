import type { UsStateCode } from "#app/entities/search/jurisdiction-names.ts";
import type { VehicleBodyType, VehicleColor, VehicleMake } from "#app/entities/search/vehicle.ts";
import { at } from "#app/lib/at.ts";
import { MODELS } from "./models.ts";
import { hashOf, pick, pickWeighted, type Random, randomFrom } from "./random.ts";

type Mark = "top_rack" | "back_rack" | "bumper_stickers" | "window_stickers";

export interface Vehicle {
  id: number;
  plate: string;
  state: UsStateCode;
  make: VehicleMake;
  model: string;
  bodyType: VehicleBodyType;
  color: VehicleColor;
  marks: readonly Mark[];
}

/** Vehicles that travel a lot; 1 and 3 always together, at most a minute apart. */
export const PERSONS_OF_INTEREST = [1, 3, 5, 7, 9, 11] as const;
export const CONVOY = { leader: 1, follower: 3 } as const;

/** Vehicles on the demo's watch list; while the demo runs, one of them passes a camera every minute, in turn. */
export const LIVE_WATCHED = [21, 34, 47, 60, 73, 86, 99, 112, 125, 138] as const;

const LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ";

/** Serial shapes by state: @ is a letter, # a digit, anything else is literal. The first is the current one. */
export const PLATE_SHAPES: Partial<Record<UsStateCode, readonly (readonly [string, number])[]>> = {
  CT: [
    ["@@#####", 88],
    ["###@@@", 8],
    ["#@@@@#", 4],
  ],
  MA: [
    ["#@@@##", 50],
    ["###@@#", 25],
    ["#@@###", 25],
  ],
  NY: [["@@@####", 100]],
  RI: [
    ["@@###", 50],
    ["######", 50],
  ],
  NJ: [
    ["@##@@@", 80],
    ["@@@##@", 20],
  ],
  PA: [["@@@####", 100]],
  NH: [["#######", 100]],
  VT: [["@@@###", 100]],
  ME: [["####@@", 100]],
};

const STATES: readonly (readonly [UsStateCode, number])[] = [
  ["CT", 74],
  ["MA", 8],
  ["NY", 8],
  ["RI", 3],
  ["NJ", 3],
  ["PA", 1.5],
  ["NH", 1],
  ["VT", 0.8],
  ["ME", 0.7],
];

const COLORS: readonly (readonly [VehicleColor, number])[] = [
  ["Black", 22],
  ["White", 22],
  ["Silver/Gray", 26],
  ["Blue", 10],
  ["Red", 9],
  ["Green", 2.5],
  ["Brown", 2.5],
  ["Gold/Beige", 2.5],
  ["Yellow", 1.2],
  ["Orange", 1.2],
  ["Purple", 0.6],
  ["Pink", 0.3],
];

const MARKS: readonly (readonly [Mark, number])[] = [
  ["top_rack", 0.1],
  ["back_rack", 0.05],
  ["bumper_stickers", 0.09],
  ["window_stickers", 0.08],
];

const NO_MARKS: ReadonlySet<VehicleBodyType> = new Set(["Motorcycle", "tractor-trailer"]);
const NO_ROOF_MARKS: ReadonlySet<VehicleBodyType> = new Set(["sedan-convertible", "sedan-sports"]);

const MODELS_BY_WEIGHT = MODELS.map((model) => [model, model[3]] as const);

/** Returns all vehicles of a world: the same ones for the same seed and count, each with a different plate. */
export function makeFleet({ seed, count }: { seed: number; count: number }): Vehicle[] {
  const taken = new Set<string>();
  return Array.from({ length: count }, (_, id) => {
    const random = randomFrom(hashOf(seed, 7001, id));
    const state = pickWeighted(random, STATES);
    let plate = makePlate(random, state);
    while (taken.has(plate)) plate = makePlate(random, state);
    taken.add(plate);
    const [make, model, bodyType] = pickWeighted(random, MODELS_BY_WEIGHT);
    const marks = NO_MARKS.has(bodyType)
      ? []
      : MARKS.filter(
          ([mark, share]) => random() < share && !(NO_ROOF_MARKS.has(bodyType) && mark.endsWith("rack")),
        ).map(([mark]) => mark);
    return { id, plate, state, make, model, bodyType, color: pickWeighted(random, COLORS), marks };
  });
}

function makePlate(random: Random, state: UsStateCode): string {
  const shape = pickWeighted(random, PLATE_SHAPES[state] ?? [["@@@####", 1]]);
  let plate = "";
  for (const part of shape) {
    if (part === "@") plate += pick(random, [...LETTERS]);
    else if (part === "#") plate += Math.floor(random() * 10);
    else plate += part;
  }
  // Connecticut's series began at AA and has not reached these letters: no real vehicle has such a plate.
  return shape === "@@#####" ? pick(random, [..."KLMNPRSTUVWXYZ"]) + plate.slice(1) : plate;
}

/** Characters that a camera confuses: the most likely first. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  "0": "ODQ8",
  "1": "I7",
  "2": "Z7",
  "3": "8B5",
  "4": "A9",
  "5": "S63",
  "6": "G8",
  "7": "21",
  "8": "B36",
  "9": "43",
  A: "4",
  B: "8P",
  C: "G",
  D: "0O",
  E: "F",
  F: "EP",
  G: "6C",
  H: "MK",
  I: "1",
  K: "XH",
  M: "H",
  O: "0Q",
  P: "RB",
  Q: "0O",
  R: "PK",
  S: "5",
  T: "Y",
  U: "V",
  V: "YU",
  X: "K",
  Y: "VT",
  Z: "2",
};

/** Returns the plate with one character replaced by a look-alike; unchanged if none of its characters has one. */
export function misread(random: Random, plate: string): string {
  const places = [...plate].flatMap((character, index) => (LOOK_ALIKES[character] ? [index] : []));
  if (places.length === 0) return plate;
  const place = pick(random, places);
  const doubles = LOOK_ALIKES[at(plate, place)] ?? "";
  return plate.slice(0, place) + pick(random, [...doubles]) + plate.slice(place + 1);
}
