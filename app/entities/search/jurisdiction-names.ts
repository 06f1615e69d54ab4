/**
 * Plate jurisdictions by code and name, for selects and texts. Separate from the spellings in `jurisdiction.ts`, so
 * that screens load only the names.
 */

/** Fifty states by name and two-letter code, in the order of the state select (specification section 2, /search). */
export const US_STATES = [
  { code: "AL", name: "Alabama" },
  { code: "AK", name: "Alaska" },
  { code: "AZ", name: "Arizona" },
  { code: "AR", name: "Arkansas" },
  { code: "CA", name: "California" },
  { code: "CO", name: "Colorado" },
  { code: "CT", name: "Connecticut" },
  { code: "DE", name: "Delaware" },
  { code: "FL", name: "Florida" },
  { code: "GA", name: "Georgia" },
  { code: "HI", name: "Hawaii" },
  { code: "ID", name: "Idaho" },
  { code: "IL", name: "Illinois" },
  { code: "IN", name: "Indiana" },
  { code: "IA", name: "Iowa" },
  { code: "KS", name: "Kansas" },
  { code: "KY", name: "Kentucky" },
  { code: "LA", name: "Louisiana" },
  { code: "ME", name: "Maine" },
  { code: "MD", name: "Maryland" },
  { code: "MA", name: "Massachusetts" },
  { code: "MI", name: "Michigan" },
  { code: "MN", name: "Minnesota" },
  { code: "MS", name: "Mississippi" },
  { code: "MO", name: "Missouri" },
  { code: "MT", name: "Montana" },
  { code: "NE", name: "Nebraska" },
  { code: "NV", name: "Nevada" },
  { code: "NH", name: "New Hampshire" },
  { code: "NJ", name: "New Jersey" },
  { code: "NM", name: "New Mexico" },
  { code: "NY", name: "New York" },
  { code: "NC", name: "North Carolina" },
  { code: "ND", name: "North Dakota" },
  { code: "OH", name: "Ohio" },
  { code: "OK", name: "Oklahoma" },
  { code: "OR", name: "Oregon" },
  { code: "PA", name: "Pennsylvania" },
  { code: "RI", name: "Rhode Island" },
  { code: "SC", name: "South Carolina" },
  { code: "SD", name: "South Dakota" },
  { code: "TN", name: "Tennessee" },
  { code: "TX", name: "Texas" },
  { code: "UT", name: "Utah" },
  { code: "VT", name: "Vermont" },
  { code: "VA", name: "Virginia" },
  { code: "WA", name: "Washington" },
  { code: "WV", name: "West Virginia" },
  { code: "WI", name: "Wisconsin" },
  { code: "WY", name: "Wyoming" },
] as const;

export type UsStateCode = (typeof US_STATES)[number]["code"];

const US_TERRITORIES = [
  { code: "DC", name: "District of Columbia" },
  { code: "PR", name: "Puerto Rico" },
  { code: "VI", name: "Virgin Islands" },
  { code: "GU", name: "Guam" },
  { code: "AS", name: "American Samoa" },
  { code: "MP", name: "Northern Mariana Islands" },
] as const;

const CANADIAN_PROVINCES = [
  { code: "CA-AB", name: "Alberta" },
  { code: "CA-BC", name: "British Columbia" },
  { code: "CA-MB", name: "Manitoba" },
  { code: "CA-NB", name: "New Brunswick" },
  { code: "CA-NL", name: "Newfoundland and Labrador" },
  { code: "CA-NS", name: "Nova Scotia" },
  { code: "CA-NT", name: "Northwest Territories" },
  { code: "CA-NU", name: "Nunavut" },
  { code: "CA-ON", name: "Ontario" },
  { code: "CA-PE", name: "Prince Edward Island" },
  { code: "CA-QC", name: "Quebec" },
  { code: "CA-SK", name: "Saskatchewan" },
  { code: "CA-YT", name: "Yukon" },
] as const;

const MEXICAN_STATES = [
  { code: "MX-AGU", name: "Aguascalientes" },
  { code: "MX-BCN", name: "Baja California" },
  { code: "MX-BCS", name: "Baja California Sur" },
  { code: "MX-CAM", name: "Campeche" },
  { code: "MX-CHP", name: "Chiapas" },
  { code: "MX-CHH", name: "Chihuahua" },
  { code: "MX-CMX", name: "Ciudad de México" },
  { code: "MX-COA", name: "Coahuila" },
  { code: "MX-COL", name: "Colima" },
  { code: "MX-DUR", name: "Durango" },
  { code: "MX-MEX", name: "Estado de México" },
  { code: "MX-GUA", name: "Guanajuato" },
  { code: "MX-GRO", name: "Guerrero" },
  { code: "MX-HID", name: "Hidalgo" },
  { code: "MX-JAL", name: "Jalisco" },
  { code: "MX-MIC", name: "Michoacán" },
  { code: "MX-MOR", name: "Morelos" },
  { code: "MX-NAY", name: "Nayarit" },
  { code: "MX-NLE", name: "Nuevo León" },
  { code: "MX-OAX", name: "Oaxaca" },
  { code: "MX-PUE", name: "Puebla" },
  { code: "MX-QUE", name: "Querétaro" },
  { code: "MX-ROO", name: "Quintana Roo" },
  { code: "MX-SLP", name: "San Luis Potosí" },
  { code: "MX-SIN", name: "Sinaloa" },
  { code: "MX-SON", name: "Sonora" },
  { code: "MX-TAB", name: "Tabasco" },
  { code: "MX-TAM", name: "Tamaulipas" },
  { code: "MX-TLA", name: "Tlaxcala" },
  { code: "MX-VER", name: "Veracruz" },
  { code: "MX-YUC", name: "Yucatán" },
  { code: "MX-ZAC", name: "Zacatecas" },
] as const;

/** All jurisdictions in the order of a select: the fifty states first, then the other groups. */
export const JURISDICTION_GROUPS = [
  { label: "States", jurisdictions: US_STATES },
  { label: "District and territories", jurisdictions: US_TERRITORIES },
  { label: "Canada", jurisdictions: CANADIAN_PROVINCES },
  { label: "Mexico", jurisdictions: MEXICAN_STATES },
] as const;

export type JurisdictionCode = (typeof JURISDICTION_GROUPS)[number]["jurisdictions"][number]["code"];

const NAMES = new Map<string, string>(
  JURISDICTION_GROUPS.flatMap(({ jurisdictions }) => jurisdictions.map(({ code, name }) => [code, name])),
);

/** Returns the name of a code, or the code itself if it is unknown. */
export function jurisdictionName(code: string): string {
  return NAMES.get(code) ?? code;
}
