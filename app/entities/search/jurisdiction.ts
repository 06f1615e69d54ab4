/**
 * The vocabulary of plate jurisdictions: US states and territories, Canadian provinces, Mexican states. Hotlists,
 * reads, imports and searches all use the codes of this file; `jurisdictionOf` reads every spelling that vendors and
 * NCIC use.
 *
 * A US code has two letters (`CT`); a Canadian or Mexican one is its ISO 3166-2 code (`CA-ON`, `MX-JAL`), because
 * Canada's `CA` is California's code too. Two-letter NCIC codes are those of the NCIC license plate state (LIS) list as
 * published in NIEM (LISCodeSimpleType); AAMVA D20 has the same ones except `EM` for the State of México.
 */

import { JURISDICTION_GROUPS, type JurisdictionCode } from "./jurisdiction-names.ts";

type Country = "US" | "CA" | "MX";

/** NCIC codes that differ from Odin's. */
const NCIC_CODES: Partial<Record<JurisdictionCode, string>> = {
  NE: "NB",
  GU: "GM",
  AS: "AM",
  MP: "MK",
  "CA-NB": "NK",
  "CA-NL": "NF",
  "CA-QC": "PQ",
  "CA-SK": "SN",
  "MX-AGU": "AG",
  "MX-BCN": "BA",
  "MX-BCS": "BJ",
  "MX-CAM": "CE",
  "MX-CHP": "CI",
  "MX-CHH": "CH",
  "MX-CMX": "DF",
  "MX-COA": "CU",
  "MX-COL": "CL",
  "MX-DUR": "DO",
  "MX-MEX": "MX",
  "MX-GUA": "GU",
  "MX-GRO": "GR",
  "MX-HID": "HL",
  "MX-JAL": "JL",
  "MX-MIC": "MC",
  "MX-MOR": "MR",
  "MX-NAY": "NA",
  "MX-NLE": "NL",
  "MX-OAX": "OA",
  "MX-PUE": "PB",
  "MX-QUE": "QU",
  "MX-ROO": "QR",
  "MX-SLP": "SL",
  "MX-SIN": "SI",
  "MX-SON": "SO",
  "MX-TAB": "TB",
  "MX-TAM": "TA",
  "MX-TLA": "TL",
  "MX-VER": "VC",
  "MX-YUC": "YU",
  "MX-ZAC": "ZA",
};

/** Other names of a jurisdiction, unambiguous everywhere. */
const OTHER_NAMES: Partial<Record<JurisdictionCode, readonly string[]>> = {
  DC: ["Washington DC", "Dist of Columbia"],
  VI: ["US Virgin Islands", "USVI"],
  MP: ["CNMI", "Mariana Islands", "Commonwealth of the Northern Mariana Islands"],
  "CA-NL": ["Newfoundland", "Labrador", "Nfld"],
  "CA-NT": ["Northwest Territory", "NWT"],
  "CA-PE": ["PEI"],
  "CA-QC": ["Que"],
  "CA-ON": ["Ont"],
  "CA-AB": ["Alta"],
  "CA-SK": ["Sask"],
  "CA-YT": ["Yukon Territory", "YK"],
  "MX-BCN": ["Baja California Norte"],
  "MX-CMX": ["CDMX", "Mexico City", "Distrito Federal"],
  "MX-COA": ["Coahuila de Zaragoza"],
  "MX-MEX": ["Mexico State", "State of Mexico", "Edomex", "EM"],
  "MX-MIC": ["Michoacán de Ocampo"],
  "MX-QUE": ["Querétaro de Arteaga"],
  "MX-VER": ["Veracruz Llave", "Veracruz de Ignacio de la Llave"],
};

/** Mexican abbreviations that mean something else outside Mexico: `BC` and `NL` are Canadian, `Mich` is Michigan. */
const MEXICAN_ABBREVIATIONS: Partial<Record<JurisdictionCode, readonly string[]>> = {
  "MX-AGU": ["Ags"],
  "MX-BCN": ["BC"],
  "MX-CAM": ["Camp"],
  "MX-CHP": ["Chis"],
  "MX-CHH": ["Chih"],
  "MX-COA": ["Coah"],
  "MX-DUR": ["Dgo"],
  "MX-GUA": ["Gto"],
  "MX-HID": ["Hgo"],
  "MX-MEX": ["México"],
  "MX-MIC": ["Mich"],
  "MX-QUE": ["Qro"],
  "MX-ROO": ["QRoo"],
  "MX-TAM": ["Tamps"],
  "MX-TLA": ["Tlax"],
};

const ALL = JURISDICTION_GROUPS.flatMap((group) => [...group.jurisdictions]);

const countryOf = (code: JurisdictionCode): Country =>
  code.startsWith("CA-") ? "CA" : code.startsWith("MX-") ? "MX" : "US";

const localCode = (code: JurisdictionCode) => code.replace(/^..-/, "");

/** Returns lower case without accents, spaces and punctuation; in texts as short as a code, zero becomes letter O. */
function folded(text: string): string {
  const plain = text
    .normalize("NFD")
    .toLowerCase()
    .replaceAll("&", "and")
    .replace(/[\p{M}\p{P}\p{S}\s]/gu, "");
  return plain.length <= 3 ? plain.replaceAll("0", "o") : plain;
}

type Spellings = ReadonlyMap<string, JurisdictionCode>;

/** Returns a table in which the first meaning of a spelling wins. */
function tableOf(...parts: (readonly [string, JurisdictionCode])[][]): Spellings {
  const table = new Map<string, JurisdictionCode>();
  for (const [spelling, code] of parts.flat())
    if (!table.has(folded(spelling))) table.set(folded(spelling), code);
  return table;
}

const codes = ALL.map(({ code }) => [localCode(code), code] as const);
const names = ALL.flatMap(({ code, name }) =>
  [name, ...(OTHER_NAMES[code] ?? [])].map((word) => [word, code] as const),
);
const ncicCodes = ALL.map(({ code }) => [NCIC_CODES[code] ?? localCode(code), code] as const);
const abbreviations = ALL.flatMap(({ code }) =>
  (MEXICAN_ABBREVIATIONS[code] ?? []).map((word) => [word, code] as const),
);

/** Without context, US codes come before Canadian ones. `MX` and `MEX` are left out: they may mean the country. */
const ANYWHERE = tableOf(
  codes.filter(([local]) => local !== "MEX"),
  names,
  ncicCodes.filter(([code]) => code !== "MX"),
);
const IN_NCIC = tableOf(ncicCodes, [...ANYWHERE]);
const WITHIN: Record<Country, Spellings> = { US: within("US"), CA: within("CA"), MX: within("MX") };

function within(country: Country): Spellings {
  const own = [codes, names, abbreviations, ncicCodes].map((part) =>
    part.filter(([, code]) => countryOf(code) === country),
  );
  return tableOf(...own);
}

/** A map and no object: the text may be the name of a property that every object has. */
const COUNTRIES: ReadonlyMap<string, Country> = new Map<string, Country>([
  ["us", "US"],
  ["usa", "US"],
  ["ca", "CA"],
  ["can", "CA"],
  ["canada", "CA"],
  ["mx", "MX"],
  ["mex", "MX"],
  ["mexico", "MX"],
]);

/** Returns the country that a text names (`us`, `USA`, `can`), or undefined. */
export function plateCountry(text: string): "US" | "CA" | "MX" | undefined {
  return COUNTRIES.get(folded(text));
}

export type JurisdictionContext = {
  /** The text is an NCIC code: `NB` is Nebraska, `NL` Nuevo León, `GU` Guanajuato, `MX` the State of México. */
  ncic?: boolean;
  /** The country that the sender names with the text. */
  country?: "US" | "CA" | "MX" | undefined;
};

/** What forms, files and vendors write for no state. `NA` alone is the NCIC code of Nayarit. */
const NO_STATE = new Set(["n/a", "n.a.", "n.a", "none", "null", "undefined", "unk", "unknown"]);

/** Returns whether a text means that there is no state: empty, dashes, `N/A`, `Unknown`. */
export function isNoState(text: string): boolean {
  const plain = text.trim().toLowerCase();
  return NO_STATE.has(plain) || /^[-–—]*$/.test(plain);
}

/**
 * Returns the code of a jurisdiction in any spelling: `CT`, `us-ct`, `0H`, `ca-on`, `Ontario`, `new_york`, `mx-jal`. A
 * country prefix overrides the context. Returns undefined for unknown texts; Odin's own codes are returned unchanged.
 */
export function jurisdictionOf(
  text: string,
  context: JurisdictionContext = {},
): JurisdictionCode | undefined {
  if (text.length > 80 || isNoState(text)) return undefined;
  const plain = text.trim().replaceAll(".", "");
  const prefixed = /^([a-z]{2,3})[\s_:/-]+(.*)$/i.exec(plain);
  const country = prefixed && COUNTRIES.get(prefixed[1]?.toLowerCase() ?? "");
  if (country) return WITHIN[country].get(folded(prefixed[2] ?? ""));
  if (context.country) return WITHIN[context.country].get(folded(plain));
  return (context.ncic ? IN_NCIC : ANYWHERE).get(folded(plain));
}

/** Returns whether two codes mean the same jurisdiction, including codes stored before this vocabulary (`ON`). */
export function isSameJurisdiction(one: string, other: string): boolean {
  return one === other || (jurisdictionOf(one) ?? one) === (jurisdictionOf(other) ?? other);
}
