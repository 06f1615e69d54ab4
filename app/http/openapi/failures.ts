// The common shape of failures, and the failures that each endpoint can return.

import * as z from "zod/mini";
import { isForPrograms, isOpen, needsUser } from "#app/entities/accounts/access.ts";
import {
  type ApiComponents,
  type ApiContent,
  type ApiResponse,
  componentName,
  type JsonSchema,
  type Reference,
  shared,
} from "#app/entities/integrations/open-api.ts";
import type { About } from "#app/http/about.ts";
import type { Endpoint } from "#app/http/endpoint.ts";
import { ERROR_STATUS, type ErrorCode } from "#app/lib/errors.ts";
import { described, named } from "#app/lib/json/named-schema.ts";
import { jsonSchemaOf } from "./schemas.ts";

const CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];
const MESSAGE = "Why the call failed, for the user. `msg`, `message` and `error` have the same text.";

/** The body of every failure (responses.ts). Some calls add fields, which their descriptions name. */
export const ApiError = named(
  "Error",
  z.looseObject({
    msg: described(MESSAGE, z.string()),
    message: z.string(),
    error: z.string(),
    code: described(
      "Absent if the failure is a bug of Odin, or if the address does not take the method.",
      z.optional(z.enum(CODES)),
    ),
    request_id: described("The id of the request in the log.", z.optional(z.string())),
    field: described("The field that the message is about.", z.optional(z.string())),
    problems: described(
      "Messages by field, if several are wrong.",
      z.optional(z.record(z.string(), z.string())),
    ),
    phrase: described("What `confirmation` has to be.", z.optional(z.string())),
    not_found: described("Records that do not exist, by position from 1.", z.optional(z.array(z.int()))),
    missing_permission: described("The permission that the caller lacks.", z.optional(z.string())),
    granted_by: described("Who can grant it.", z.optional(z.string())),
  }),
  "The answer to every failure.",
);

/** The failure of an uploaded file: every problem by its line. */
export const UploadFailure = named(
  "UploadFailure",
  z.extend(ApiError, {
    problems: z.optional(z.array(z.object({ line: z.int(), reason: z.string() }))),
  }),
);

/** The failure of a back-channel logout, in the form of OpenID Connect, or any other. */
export const LogoutFailure = named(
  "LogoutFailure",
  z.union([z.object({ error: z.literal("invalid_request"), error_description: z.string() }), ApiError]),
);

/** The failure of a SCIM call (RFC 7644 section 3.12). */
export const ScimFailure = named(
  "ScimFailure",
  z.object({
    schemas: z.array(z.string()),
    status: z.string(),
    scimType: z.optional(z.string()),
    detail: z.string(),
  }),
);

const MEANING: Record<string, string> = {
  400: "A field or parameter is missing or not as documented.",
  401: "The session, the token or the secret is missing or not valid.",
  403: "The caller may not do this, or has to confirm their identity first (`step_up_required`).",
  404: "It does not exist, or the caller may not see it.",
  409: "Someone else changed it in the meantime, or it exists already.",
  410: "It was purged.",
  413: "The body is too large.",
  415: "The body has another media type than the call takes.",
  429: "Too many calls. `Retry-After` says when the next may succeed.",
  503: "Odin or a system behind it is unavailable. `Retry-After` says when to try again, if known.",
};

type Described = Pick<Endpoint, "method" | "path" | "access" | "options" | "body"> & { about: About };

/** Returns the statuses of the failures that a table entry leads to. All others are documented as `default`. */
function statusesOf({ method, path, access, options, body, about }: Described): number[] {
  const { query, json, form, file } = about.more;
  const needsPermission = needsUser(access) && access !== "signed-in";
  const hasBody = body !== undefined || [json, form, file].some((one) => one !== undefined);
  return [
    ...(hasBody || query ? [400] : []),
    ...(isForPrograms(access) || (needsUser(access) && !options.withoutSession) ? [401] : []),
    // Writes from other sites are refused, and so are users without the permission.
    ...(method !== "GET" || needsPermission || options.stepUp ? [403] : []),
    ...(path.includes(":") ? [404] : []),
    ...(method !== "GET" && !isOpen(access) ? [409] : []),
    ...(hasBody ? [413, 415] : []),
    429,
    503,
  ];
}

/** Returns the failures of an endpoint by status. Failures of the same shape become components to which it refers. */
export function failuresOf(endpoint: Described, components: ApiComponents): Record<string, Reference> {
  const { failure = ApiError, failureMedia = "application/json" } = endpoint.about.more;
  const schema: JsonSchema =
    failure === "text" ? { type: "string" } : jsonSchemaOf(failure, components.schemas);
  const content: ApiContent = { [failure === "text" ? "text/plain" : failureMedia]: { schema } };
  const shape = failure === "text" ? "Text" : (componentName(schema) ?? "");
  const headers = { "Retry-After": { description: "Seconds.", schema: { type: "integer" } as JsonSchema } };
  const one = (status: string): [string, Reference] => {
    const mayWait = status === "429" || status === "503";
    const value: ApiResponse = {
      description: MEANING[status] ?? "Any other failure.",
      ...(mayWait && { headers }),
      content,
    };
    const name = `${shape === "Error" ? "E" : shape}${status}`;
    return [status, shared(components.responses, { kind: "responses", name, value })];
  };
  return Object.fromEntries([...statusesOf(endpoint).map(String), "default"].map(one));
}
