/** Response schemas of the export endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { described, named } from "#app/lib/json/named-schema.ts";

export const MapSnapshot = named("MapSnapshot", z.object({ map_data_uri: z.string() }));

export const ExportSummary = named(
  "ExportSummary",
  z.object({
    message: described("Why it failed, as a text for the user.", z.string()),
    id: z.string(),
    name: described("The name of the downloaded file.", z.string()),
    createdAt: z.number(),
    kind: z.enum(["pdf", "zip"]),
    state: z.enum(["failed", "queued", "running", "ready", "cancelled"]),
    justification: z.string(),
    caseNumber: z.string(),
    records: z.number(),
    done: described("Records written so far.", z.number()),
    missing: described("Images that are not in the file.", z.number()),
    bytes: z.number(),
    sha256: z.string(),
    finishedAt: z.nullable(z.number()),
    expiresAt: z.number(),
  }),
  "An export as its exporter sees it.",
);

export const Exports = z.array(ExportSummary);

const VerificationKey = named(
  "VerificationKey",
  z.object({ version: z.number(), algorithm: z.string(), pem: z.string() }),
);

export const VerificationKeys = z.array(VerificationKey);
