// The requests and responses of SCIM calls. Their bodies are those of RFC 7643 and RFC 7644, to which the document only
// refers.

import * as z from "zod/mini";
import { type EndpointFacts, file } from "#app/http/about.ts";
import { ScimFailure } from "./failures.ts";

const MEDIA = "application/scim+json";
const RESOURCE = { [MEDIA]: "The resource (RFC 7643)." };
const LIST = { [MEDIA]: "A list response (RFC 7644 section 3.4.2)." };
const VERSION = { etag: "The version of the resource." };

const FAILURE: EndpointFacts = { failure: ScimFailure, failureMedia: MEDIA };
const SENT: EndpointFacts = {
  ...FAILURE,
  file: { [MEDIA]: "The resource or the operations.", "application/json": "The same." },
};

const text = () => z.optional(z.string());
const Selection = { attributes: text(), excludedAttributes: text() };
const ListQuery = z.object({ filter: text(), startIndex: text(), count: text(), ...Selection });

/** The answer and the further facts of each kind of call. */
export const SCIM_DOCUMENTED = [file({ [MEDIA]: "What the service says about itself." }), FAILURE] as const;
export const SCIM_LISTED = [file(LIST), { ...FAILURE, query: ListQuery }] as const;
export const SCIM_FOUND = [
  file(RESOURCE, { headers: VERSION, bare: { 304: "The caller has this version." } }),
  { ...FAILURE, query: z.object(Selection) },
] as const;
export const SCIM_CREATED = [file(RESOURCE, { status: 201, headers: VERSION }), SENT] as const;
export const SCIM_REPLACED = [file(RESOURCE, { headers: VERSION }), SENT] as const;
export const SCIM_REMOVED = [file({}, { bare: { 204: "It was removed." } }), FAILURE] as const;
