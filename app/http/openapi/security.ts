// The credentials and permissions of a call, in the terms of OpenAPI.

import { type Access, isOpen } from "#app/entities/accounts/access.ts";
import { missingPermission } from "#app/entities/accounts/missing-permission.ts";
import { SERVICE_SCOPE_NAMES, serviceCall } from "#app/entities/accounts/service-scopes.ts";
import type { ApiAccess } from "#app/entities/integrations/open-api.ts";
import type { RouteOptions } from "#app/http/access.ts";
import type { Endpoint } from "#app/http/endpoint.ts";

type Called = Pick<Endpoint, "access" | "method" | "path">;

export const SECURITY_SCHEMES: Record<string, Record<string, string>> = {
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-odin",
    description: "The session of a browser, set by `POST /login`.",
  },
  token: {
    type: "http",
    scheme: "bearer",
    description: 'The session of a program: the `token` of `POST /login` with `"client": "api"`.',
  },
  service: {
    type: "http",
    scheme: "bearer",
    description: "The token of a service account whose permissions include the call.",
  },
  scim: {
    type: "http",
    scheme: "bearer",
    description:
      "The SCIM token of an agency, for its identity provider. An administrator of the agency creates it.",
  },
};

/** A session of either kind, which most calls accept. */
export const SESSION_SECURITY: Record<string, string[]>[] = [{ session: [] }, { token: [] }];

/** Returns the credentials that a call accepts: a session, a service account's token as well, a SCIM token, or none. */
export function securityOf(called: Called): Record<string, string[]>[] {
  const { access } = called;
  if (isOpen(access)) return [];
  if (access === "scim") return [{ scim: [] }];
  return personOf(called) ? [...SESSION_SECURITY, { service: [] }] : SESSION_SECURITY;
}

/** Returns whether a service account that makes a call names a person; undefined if it cannot make the call. */
export function personOf({ method, path }: Called): "required" | "optional" | undefined {
  const call = serviceCall(`${method} ${path}`, SERVICE_SCOPE_NAMES);
  return call && (call.forPerson ? "required" : "optional");
}

/** Returns who may call, for people: the permission that a call needs. */
export function accessOf(access: Access, options: RouteOptions): ApiAccess {
  return {
    level: access,
    permission: permissionOf(access),
    recent_sign_in: options.stepUp ?? false,
  };
}

function permissionOf(access: Access): string {
  if (access === "public" || access === "local") return "None";
  if (access === "webhook") return "A secret of the sender";
  if (access === "scim") return "SCIM token of the agency";
  return missingPermission(access)?.missing_permission ?? "Any signed-in user";
}
