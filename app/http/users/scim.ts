// The HTTP side of SCIM (RFC 7644): its bearer token, media type, versions and error shape.

import type { AppContext } from "#app/context.ts";
import { resumeScim, type ScimClient } from "#app/domain/accounts/scim-token.ts";
import { scimProblem } from "#app/entities/users/scim/attributes.ts";
import { type ScimCall, scimBaseOf } from "#app/entities/users/scim/call.ts";
import { type ScimResource, selected } from "#app/entities/users/scim/resources.ts";
import { requireMedia, utf8Of } from "#app/http/body.ts";
import { hasVersion, noteBug, refusalHeaders } from "#app/http/responses.ts";
import { callerOf } from "#app/http/session.ts";
import { originOf } from "#app/http/single-sign-on.ts";
import { ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { readSentBytes } from "#app/lib/files/inflate.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { jsonShapeWatch } from "#app/lib/json/shape.ts";

const MEDIA = "application/scim+json";
/** The largest body in bytes: enough for the most members that a group can have. */
const BODY_LIMIT = 1024 * 1024;
const BODY_SHAPE = { containers: 25_000, commas: 60_000 };
const LONGEST_AUTHORIZATION = 200;

/** Returns the client whose token a request has. Throws AppError unauthenticated or too_many. */
export function admitScim(app: AppContext, request: Request): Promise<ScimClient> {
  const authorization = request.headers.get("authorization") ?? "";
  const isShort = authorization.length <= LONGEST_AUTHORIZATION;
  return resumeScim(app, {
    token: (isShort && /^Bearer +(\S+)$/i.exec(authorization)?.[1]) || "",
    caller: callerOf(request),
    base: scimBaseOf(originOf(app, request)),
  });
}

/** Returns the parts of a request that a change needs. */
export function scimCall(request: Request): ScimCall {
  return { ifMatch: request.headers.get("if-match"), body: () => readScimBody(request) };
}

/**
 * Returns the JSON of a body. Its texts are checked when an attribute that Odin keeps is read (`readOneValue`): texts
 * of ignored attributes may have any characters, such as the line ends of an address. Throws AppError
 * unsupported_media, too_large, or bad_request.
 */
async function readScimBody(request: Request): Promise<unknown> {
  requireMedia(request, [MEDIA, "application/json"], `Send this as ${MEDIA}.`);
  const bytes = await readSentBytes(request, BODY_LIMIT);
  const value = jsonShapeWatch(BODY_SHAPE)(bytes) ? parseJson(utf8Of(bytes)) : undefined;
  if (value === undefined)
    throw scimProblem("invalidSyntax", "The body is not JSON, or holds too many values.");
  return value;
}

/** Answers with a resource: 304 if the client has this version. */
export async function scimResource(
  request: Request,
  result: Promise<ScimResource>,
  status = 200,
): Promise<Response> {
  const resource = await result;
  const { version = "", location } = resource.meta;
  const headers = { etag: version, ...(status === 201 && { location }) };
  if (request.method === "GET" && version !== "" && hasVersion(request, version))
    return new Response(null, { status: 304, headers });
  return scimJson(selected(resource, new URL(request.url).searchParams), { status, headers });
}

/** Answers with a list, or with a description of the service. */
export async function scimDocument(result: unknown): Promise<Response> {
  return scimJson(await result);
}

/** Answers to a removal. */
export async function scimRemoved(result: Promise<void>): Promise<Response> {
  await result;
  return new Response(null, { status: 204 });
}

function scimJson(value: unknown, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers);
  headers.set("content-type", `${MEDIA}; charset=utf-8`);
  headers.set("cache-control", "no-store");
  return new Response(JSON.stringify(value), { ...init, headers });
}

/** Answers to a failure in the shape of RFC 7644 section 3.12. */
export function scimFailure(error: unknown): Response {
  const known = isAppError(error) ? error : undefined;
  const status = known ? ERROR_STATUS[known.code] : 500;
  const headers = new Headers(known && refusalHeaders(known));
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="Odin SCIM"');
  const scimType = known?.details?.scimType ?? (status === 400 ? "invalidValue" : undefined);
  const body = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: known ? known.message : noteBug(error),
  };
  return scimJson(body, { status, headers });
}
