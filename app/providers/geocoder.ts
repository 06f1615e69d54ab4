// Asks a geocoder in Nominatim's format for the address nearest to a place. Its URL has no default: the public instance
// forbids confidential coordinates, and all sightings are confidential.

import * as z from "zod/mini";
import { isMappable, type Place } from "#app/entities/search/sighting.ts";
import { readBytes } from "#app/lib/files/bodies.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";

type FoundAddress = { address: string; attribution: string };
type FoundPlace = Place & { name: string };

export type Geocoder = {
  /** Returns the nearest address, or null if the geocoder knows none there. Throws Error if it does not answer. */
  nearest(place: Place): Promise<FoundAddress | null>;
  /** Returns where an address is, or null if the geocoder does not know it. Throws Error if it does not answer. */
  find(address: string): Promise<FoundPlace | null>;
};

export type GeocoderOptions = {
  baseUrl: string;
  /** Product name and a contact, as Nominatim's usage policy requires. */
  userAgent: string;
  allowLoopback: boolean;
};

/** Building level (specification section 9). */
const ZOOM = "18";
const PATIENCE_MS = 5000;
const LIMIT = 64 * 1024;
const LONGEST = 300;
/** Nominatim's error for a place without an address. */
const NO_ADDRESS = "Unable to geocode";

const Answer = z.object({
  error: z.optional(z.unknown()),
  display_name: z.optional(z.string()),
  licence: z.optional(z.string()),
});

const Places = z.array(z.object({ lat: z.string(), lon: z.string(), display_name: z.string() }));

/** Returns the geocoder at a configured URL, or null if none is configured. */
export function createGeocoder({ baseUrl, userAgent, allowLoopback }: GeocoderOptions): Geocoder | null {
  if (baseUrl.trim() === "") return null;
  async function ask(path: string, params: Record<string, string>): Promise<unknown> {
    const problem = publicAddressProblem(baseUrl, { allowLoopback });
    if (problem) throw new Error(`GEOCODER_URL: ${problem}`);
    const query = new URLSearchParams({ ...params, format: "jsonv2" });
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/${path}?${query}`, {
      headers: { accept: "application/json", "accept-language": "en", "user-agent": userAgent },
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the geocoder answered ${response.status}`);
    }
    return parseJson(new TextDecoder().decode(await readBytes(response, LIMIT)));
  }
  return {
    find: async (address) => {
      const answer = Places.safeParse(await ask("search", { q: address, limit: "1", countrycodes: "us,ca" }));
      if (!answer.success) throw new Error("the geocoder's answer is not as documented");
      const [found] = answer.data;
      const [latitude, longitude] = [Number(found?.lat), Number(found?.lon)];
      if (!found || !isMappable(latitude, longitude)) return null;
      return { name: found.display_name.slice(0, LONGEST), latitude, longitude };
    },
    nearest: async ({ latitude, longitude }) => {
      const answer = Answer.safeParse(
        await ask("reverse", {
          lat: latitude.toFixed(6),
          lon: longitude.toFixed(6),
          zoom: ZOOM,
          addressdetails: "1",
        }),
      );
      if (!answer.success) throw new Error("the geocoder's answer is not as documented");
      const { error, display_name: address = "", licence = "" } = answer.data;
      if (error === NO_ADDRESS) return null;
      // Addresses are stored for months, so an error of the service must not count as "no address".
      if (error !== undefined || address.trim() === "")
        throw new Error("the geocoder's answer is not as documented");
      return { address: address.trim().slice(0, LONGEST), attribution: licence.slice(0, LONGEST) };
    },
  };
}
