/** Codes of the National Crime Information Center as hotlist files use them, in our words. */

import type { VehicleBodyType, VehicleColor, VehicleMake } from "./vehicle.ts";

/** File codes of a vehicle extract: why the plate is wanted. */
const FILE_CODES: Record<string, string> = {
  A: "Amber alert",
  F: "Felony vehicle",
  W: "Wanted person",
  V: "Stolen vehicle",
  P: "Stolen plate",
  M: "Missing person",
  C: "Supervised release",
  H: "Protection order",
  K: "Protective interest",
  L: "Violent person",
  R: "Stolen Canadian vehicle",
  T: "Gang or terrorist file",
  X: "Sex offender",
};

const HIGH = new Set(["A", "F", "L", "K"]);

const MAKES: Record<string, VehicleMake> = {
  ACUR: "Acura",
  AUDI: "Audi",
  BMW: "BMW",
  BUIC: "Buick",
  CADI: "Cadillac",
  CHEV: "Chevrolet",
  CHRY: "Chrysler",
  DODG: "Dodge",
  FORD: "Ford",
  GMC: "GMC",
  HOND: "Honda",
  HYUN: "Hyundai",
  INFI: "Infiniti",
  JAGU: "Jaguar",
  JEEP: "Jeep",
  KIA: "Kia",
  LEXS: "Lexus",
  LINC: "Lincoln",
  MAZD: "Mazda",
  MITS: "Mitsubishi",
  NISS: "Nissan",
  PONI: "Pontiac",
  PONT: "Pontiac",
  STRN: "Saturn",
  SUBA: "Subaru",
  SUZI: "Suzuki",
  TOYT: "Toyota",
  VOLK: "Volkswagen",
  VOLV: "Volvo",
  YAMA: "Yamaha",
};

const COLORS: Record<string, VehicleColor> = {
  AME: "Purple",
  BGE: "Gold/Beige",
  BLK: "Black",
  BLU: "Blue",
  BRO: "Brown",
  BRZ: "Brown",
  COM: "Silver/Gray",
  CPR: "Brown",
  CRM: "Gold/Beige",
  DBL: "Blue",
  DGR: "Green",
  GLD: "Gold/Beige",
  GRN: "Green",
  GRY: "Silver/Gray",
  LAV: "Purple",
  LBL: "Blue",
  LGR: "Green",
  MAR: "Red",
  MVE: "Purple",
  ONG: "Orange",
  PLE: "Purple",
  PNK: "Pink",
  RED: "Red",
  SIL: "Silver/Gray",
  TAN: "Gold/Beige",
  TEA: "Blue",
  TPE: "Gold/Beige",
  TRQ: "Blue",
  WHI: "White",
  YEL: "Yellow",
};

const STYLES: Record<string, VehicleBodyType> = {
  CV: "sedan-convertible",
  MC: "Motorcycle",
  SW: "sedan-wagon",
};

/** Why an extract's row is wanted; a code that is not known is shown as it is. */
export function ncicReason(code: string): string {
  return FILE_CODES[code] ?? `NCIC file ${code}`;
}

export function ncicIsUrgent(code: string): boolean {
  return HIGH.has(code);
}

/** NCIC writes zero for the letter O (0H is Ohio, D0DG is Dodge): for words that have no digits. */
export function ncicLetters(text: string): string {
  return text.trim().toUpperCase().replaceAll("0", "O");
}

export function ncicMake(code: string): VehicleMake | "" {
  return MAKES[ncicLetters(code)] ?? "";
}

/** Our word for a colour; of two tones (`YEL/BLK`) none, since either may be what a camera sees. */
export function ncicColor(code: string): VehicleColor | "" {
  return COLORS[ncicLetters(code)] ?? "";
}

export function ncicStyle(style: string, plateType: string): VehicleBodyType | "" {
  return plateType.trim().toUpperCase() === "MC" ? "Motorcycle" : (STYLES[style.trim().toUpperCase()] ?? "");
}
