// Asks a geocoder in Nominatim's format for the address nearest to a place. Its URL has no default: the public instance
// forbids confidential coordinates, and all sightings are confidential.

import * as z from "zod/mini";
import { readBytes } from "#app/lib/files/bodies.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";

type FoundAddress = { address: string; attribution: string };

export type Geocoder = {
  /** Returns the nearest address, or null if the geocoder knows none there. Throws Error if it does not answer. */
  nearest(place: { latitude: number; longitude: number }): Promise<FoundAddress | null>;
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

const Answer = z.object({
  error: z.optional(z.unknown()),
  display_name: z.optional(z.string()),
  licence: z.optional(z.string()),
});

/** Returns the geocoder at a configured URL, or null if none is configured. */
export function createGeocoder({ baseUrl, userAgent, allowLoopback }: GeocoderOptions): Geocoder | null {
  if (baseUrl.trim() === "") return null;
  return {
    nearest: async ({ latitude, longitude }) => {
      const problem = publicAddressProblem(baseUrl, { allowLoopback });
      if (problem) throw new Error(`GEOCODER_URL: ${problem}`);
      const query = new URLSearchParams({
        lat: latitude.toFixed(6),
        lon: longitude.toFixed(6),
        format: "jsonv2",
        zoom: ZOOM,
        addressdetails: "1",
      });
      const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/reverse?${query}`, {
        headers: { accept: "application/json", "accept-language": "en", "user-agent": userAgent },
        redirect: "manual",
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`the geocoder answered ${response.status}`);
      }
      const text = new TextDecoder().decode(await readBytes(response, LIMIT));
      const answer = Answer.safeParse(parseJson(text));
      if (!answer.success) throw new Error("the geocoder's answer is not as documented");
      const { error, display_name: address = "", licence = "" } = answer.data;
      if (error !== undefined || address.trim() === "") return null;
      return { address: address.trim().slice(0, LONGEST), attribution: licence.slice(0, LONGEST) };
    },
  };
}
