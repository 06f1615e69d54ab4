import type * as z from "zod/mini";
import type * as answers from "#app/entities/search/answers/search.ts";
import { JURISDICTION_GROUPS } from "./jurisdiction-names.ts";

/** The address of a read, or the nearest known place instead. */
export type NearestAddress = z.infer<typeof answers.NearestAddress>;

const COUNTRY = /^(United States( of America)?|USA?)$/;
const HOUSE_NUMBER = /^\d[\dA-Za-z/-]{0,7}$/;
const ZIP_CODE = /^\d{5}(-\d{4})?$/;
/** Parts of the geocoder's address that people do not write in addresses. */
const COUNTY = / (County|Parish|Planning Region|Census Area|Municipality)$/;

const CODES = new Map<string, string>(
  JURISDICTION_GROUPS.flatMap((group) =>
    group.jurisdictions.map(({ code, name }) => [name.toLowerCase(), code]),
  ),
);

/**
 * Returns an address as people write it, `533 Maple Ave, Hartford, CT 06605`, from the geocoder's long form
 * (`533, Maple Ave, Hartford, Connecticut, 06605, United States`). Counties are left out, and so are neighborhoods
 * when a house number names the building. Any other text is returned unchanged.
 */
export function addressText(long: string): string {
  const parts = long.split(",").map((part) => part.trim());
  if (!COUNTRY.test(parts.pop() ?? "")) return long;
  const zip = ZIP_CODE.test(parts.at(-1) ?? "") ? (parts.pop() ?? "") : "";
  const code = CODES.get(parts.pop()?.toLowerCase() ?? "");
  if (code === undefined) return long;
  const named = parts.filter((part) => part !== "" && !COUNTY.test(part));
  const number = named.findIndex((part) => HOUSE_NUMBER.test(part));
  const state = zip === "" ? code : `${code} ${zip}`;
  // A house number needs a street and a city behind it.
  if (number < 0 || number + 2 >= named.length) return [...named, state].join(", ");
  const street = `${named[number]} ${named[number + 1]}`;
  return [...named.slice(0, number), street, named.at(-1), state].join(", ");
}
