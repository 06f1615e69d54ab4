/** Codes of the National Crime Information Center in hotlist files, and the words Odin shows for them. */

import type { VehicleBodyType, VehicleColor, VehicleMake } from "#app/entities/search/vehicle.ts";

/** The tables of codes that a layout can refer to. */
export const CODE_TABLE_NAMES = ["ncic", "ohio", "texas", "newYork", "newJersey", "iowa"] as const;
export type CodeTable = (typeof CODE_TABLE_NAMES)[number];

type Codes = { label: string; reasons: Record<string, string>; urgent: string };

const NCIC_FILES: Record<string, string> = {
  A: "Amber alert",
  B: "Stolen boat",
  C: "Supervised release",
  F: "Felony vehicle",
  H: "Protection order",
  K: "Protective interest",
  L: "Violent person",
  M: "Missing person",
  N: "Deported felon",
  P: "Stolen plate",
  R: "Stolen Canadian vehicle",
  T: "Gang or terrorist file",
  V: "Stolen vehicle",
  W: "Wanted person",
  X: "Sex offender",
};

/**
 * The reason a plate is wanted, by the codes of NCIC and of states with their own codes. `urgent` codes get priority
 * high.
 */
const CODE_TABLES = {
  ncic: { label: "NCIC file", reasons: NCIC_FILES, urgent: "AFLK" },
  ohio: {
    label: "LEADS code",
    reasons: { ...NCIC_FILES, S: "Sex offender", X: "Suspended registration" },
    urgent: "AFLK",
  },
  texas: {
    label: "TCIC file",
    reasons: {
      E: "Violent person",
      M: "Missing person",
      O: "Protection order",
      P: "Stolen plate",
      T: "Threat against peace officer",
      V: "Stolen vehicle",
      W: "Wanted person",
      X: "Sex offender",
      Y: "Child safety check",
    },
    urgent: "ET",
  },
  newYork: {
    label: "Code",
    reasons: {
      M: "Missing person",
      P: "Stolen plate",
      R: "Stolen Canadian plate",
      S: "Sex offender",
      T: "Possible terrorist",
      V: "Stolen vehicle",
      W: "Wanted person",
      X: "Suspended or falsified registration",
      Z: "Suspended driving privilege",
    },
    urgent: "",
  },
  newJersey: { label: "Code", reasons: { E: "Expired plate", S: "Suspended owner" }, urgent: "" },
  iowa: {
    label: "Code",
    reasons: {
      B: "Stolen boat",
      CNVP: "Stolen Canadian plate",
      LP: "Stolen plate",
      MP: "Missing person",
      N: "Deported felon",
      PO: "Protection order or violent person",
      SFV: "Stolen or forfeited vehicle",
      SOR: "Sex offender",
      SR: "Supervised release",
      VGT: "Gang member or terrorist",
      WP: "Wanted person",
    },
    urgent: "",
  },
} satisfies Record<CodeTable, Codes>;

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

/** Returns why a plate is wanted. A code that is not in the table is shown as is. */
export function reasonOfCode(table: CodeTable, code: string): string {
  const { reasons, label }: Codes = CODE_TABLES[table];
  const plain = code.trim().toUpperCase();
  if (plain === "") return "";
  // NCIC writes zero for the letter O.
  return reasons[plain] ?? reasons[ncicLetters(plain)] ?? `${label} ${plain}`;
}

/** Returns whether a code marks a danger to officers or others, or a child in danger. */
export function isUrgentCode(table: CodeTable, code: string): boolean {
  const plain = code.trim().toUpperCase();
  return plain.length === 1 && CODE_TABLES[table].urgent.includes(plain);
}

/**
 * Returns a code with its zeros as the letter O, which NCIC writes as zero (0H is Ohio, D0DG is Dodge). For words
 * without digits.
 */
function ncicLetters(text: string): string {
  return text.trim().toUpperCase().replaceAll("0", "O");
}

/** Returns Odin's name for a make; empty for a code that is not known. */
export function ncicMake(code: string): VehicleMake | "" {
  return MAKES[ncicLetters(code)] ?? "";
}

/** Returns Odin's name for a color; empty for two tones (`YEL/BLK`), since a camera may report either. */
export function ncicColor(code: string): VehicleColor | "" {
  return COLORS[ncicLetters(code)] ?? "";
}

/** Returns Odin's name for a body style; a plate of type MC is a motorcycle's. Empty for a code that is not known. */
export function ncicStyle(style: string, plateType: string): VehicleBodyType | "" {
  return plateType.trim().toUpperCase() === "MC" ? "Motorcycle" : (STYLES[style.trim().toUpperCase()] ?? "");
}
