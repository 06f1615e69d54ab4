/** Response schemas of the past-reads endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { named } from "#app/lib/json/named-schema.ts";

export const PastRead = named(
  "PastRead",
  z.object({
    plate: z.string(),
    state: z.string(),
    timestamp: z.string(),
    camera_name: z.string(),
    agency: z.string(),
    source_program: z.literal("Axis"),
    make: z.string(),
    color: z.string(),
    body_type: z.string(),
    latitude: z.nullable(z.number()),
    longitude: z.nullable(z.number()),
    confidence: z.nullable(z.number()),
  }),
);

export const PastReads = named(
  "PastReads",
  z.object({ days: z.number(), more: z.boolean(), reads: z.array(PastRead) }),
  "Newest first. `more`: there may be others. Rekor and Axon keep their own reads, which only a search returns.",
);
