/**
 * Plain words for the vehicle values of reads. Reads keep the words of the search form and of the vendors
 * (`truck-standard`); screens show these. Covers Rekor's body types, Axon's of our contract (providers/axon.ts) and Axis's
 * (entities/ingest/axis-event.ts).
 */
import { VEHICLE_COLORS, VEHICLE_MAKES } from "./vehicle.ts";

const BODY_TYPES: ReadonlyMap<string, string> = new Map([
  ["antique", "Antique"],
  ["bus", "Bus"],
  ["car", "Car"],
  ["convertible", "Convertible"],
  ["coupe", "Coupe"],
  ["hatchback", "Hatchback"],
  ["heavy-truck", "Heavy truck"],
  ["heavytruck", "Heavy truck"],
  ["minivan", "Minivan"],
  ["motorbike", "Motorcycle"],
  ["motorcycle", "Motorcycle"],
  ["pickup", "Pickup truck"],
  ["sedan", "Sedan"],
  ["sedan-compact", "Compact car"],
  ["sedan-convertible", "Convertible"],
  ["sedan-sport", "Sports car"],
  ["sedan-sports", "Sports car"],
  ["sedan-standard", "Sedan"],
  ["sedan-wagon", "Station wagon"],
  ["semi", "Tractor-trailer"],
  ["suv", "SUV"],
  ["suv-crossover", "Crossover SUV"],
  ["suv-standard", "SUV"],
  ["suv-wagon", "SUV wagon"],
  ["tractor-trailer", "Tractor-trailer"],
  ["truck", "Truck"],
  ["truck-standard", "Truck"],
  ["van", "Van"],
  ["van-full", "Full-size van"],
  ["van-mini", "Minivan"],
  ["wagon", "Station wagon"],
]);

const COLORS: ReadonlyMap<string, string> = new Map([
  ...VEHICLE_COLORS.map(({ name }) => [folded(name), name] as const),
  ["grey", "Gray"],
]);

/** Makes of the search form, and those that title case would misspell. */
const MAKES: ReadonlyMap<string, string> = new Map([
  ...VEHICLE_MAKES.map((make) => [folded(make), make] as const),
  ["am-general", "AM General"],
  ["benz", "Mercedes-Benz"],
  ["byd", "BYD"],
  ["chevy", "Chevrolet"],
  ["daf", "DAF"],
  ["ds", "DS"],
  ["gem", "GEM"],
  ["harley", "Harley-Davidson"],
  ["ktm", "KTM"],
  ["man", "MAN"],
  ["mclaren", "McLaren"],
  ["mercedes", "Mercedes-Benz"],
  ["mg", "MG"],
  ["mini-cooper", "MINI"],
  ["range-rover", "Land Rover"],
  ["rolls-royce", "Rolls-Royce"],
  ["seat", "SEAT"],
  ["ssangyong", "SsangYong"],
  ["vw", "Volkswagen"],
]);

/** Words that vendors send for "not detected". */
const NOTHING = new Set(["missing", "unknown", "none", "null", "undefined", "n-a"]);

/** Returns the body type in plain words: `Truck` for `truck-standard`; "" if none was detected. */
export const bodyTypeText = (value: string) => plain(BODY_TYPES, value);
/** Returns the color in plain words: `Silver/Gray` for `silver-gray`. */
export const colorText = (value: string) => plain(COLORS, value);
/** Returns the make as its maker writes it: `BMW` for `bmw`. */
export const makeText = (value: string) => plain(MAKES, value);

/** Returns a vehicle in plain words: `Silver/Gray, BMW, Sedan`; "" if nothing was detected. */
export function vehicleText(read: { color: string; make: string; body_type: string }): string {
  return [colorText(read.color), makeText(read.make), bodyTypeText(read.body_type)]
    .filter(Boolean)
    .join(", ");
}

function folded(value: string): string {
  return value
    .trim()
    .toLowerCase()
    .replace(/[\s_/-]+/g, "-");
}

function plain(texts: ReadonlyMap<string, string>, value: string): string {
  const key = folded(value);
  if (NOTHING.has(key)) return "";
  const text = texts.get(key);
  if (text !== undefined) return text;
  // Unknown words with capitals are already written for people.
  if (/\p{Lu}/u.test(value)) return value.replaceAll("_", " ");
  return value.replace(/[_-]+/g, " ").replace(/(?<!\S)\p{Ll}/gu, (letter) => letter.toUpperCase());
}
