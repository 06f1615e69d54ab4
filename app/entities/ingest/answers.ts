/** Response schemas of the camera and webhook endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { NamedAgency } from "#app/entities/integrations/answers.ts";
import { described, named } from "#app/lib/json/named-schema.ts";

export const RekorCamera = named(
  "RekorCamera",
  z.object({
    camera_id: z.string(),
    camera_name: z.string(),
    site_name: z.string(),
    corrected_latitude: described(
      "The corrected location, or the vendor's if it was not corrected.",
      z.nullable(z.number()),
    ),
    corrected_longitude: z.nullable(z.number()),
    agency_id: z.nullable(z.string()),
    is_manual: z.boolean(),
    corrected_at: described(
      "When someone last corrected it or removed the correction, in milliseconds since 1970.",
      z.nullable(z.number()),
    ),
    vendor_latitude: z.nullable(z.number()),
    vendor_longitude: z.nullable(z.number()),
    last_read_at: z.nullable(z.number()),
    last_heartbeat_at: z.nullable(z.number()),
    silent: described("The camera has been quiet for longer than is usual for it.", z.boolean()),
  }),
  "A row of GET /rekor-cameras (specification section 3), with the vendor's own values.",
);

export const RekorCameras = z.array(RekorCamera);

export const AgencyNames = z.array(NamedAgency);

export const ShownAddress = named(
  "ShownAddress",
  z.object({ id: z.string(), address: z.string(), msg: z.string() }),
  "An address with its secret, for the only response that contains it.",
);

export const ReadTaken = named(
  "ReadTaken",
  z.union([
    z.object({ id: z.nullable(z.string()) }),
    z.object({
      ids: described(
        "One for each event of the list, null if it was refused or is a heartbeat.",
        z.array(z.nullable(z.string())),
      ),
      refused: z.array(z.object({ position: described("From 1.", z.number()), error: z.string() })),
    }),
  ]),
);

export const RekorTaken = named("RekorTaken", z.object({ taken: z.literal(true) }));

export const CameraHealth = named(
  "CameraHealth",
  z.object({
    camera_id: z.string(),
    camera_name: z.string(),
    source_program: z.enum(["Rekor", "Axon", "Axis"]),
    last_read_at: z.nullable(z.string()),
    last_heartbeat_at: z.nullable(z.string()),
    usual_gap_ms: z.nullable(z.number()),
    silent: z.boolean(),
  }),
  "A row of GET /camera-health.",
);

export const CameraHealthList = z.array(CameraHealth);
