// Carries out changes by an agency's SCIM client. Changes of one agency are serialized: a request based on an outdated
// version is retried.

import type { AppContext } from "#app/context.ts";
import { type ScimClient, scimClientNow } from "#app/domain/accounts/scim-token.ts";
import { type AuditAction, type AuditEntry, auditWho, SCIM_USERNAME } from "#app/entities/oversight/audit.ts";
import { scimProblem } from "#app/entities/users/scim/attributes.ts";
import type { ScimCall } from "#app/entities/users/scim/call.ts";
import type { ScimResource } from "#app/entities/users/scim/resources.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError, audited } from "#app/lib/errors.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { insertRefusalOnce } from "#app/store/oversight/audit.ts";
import { takeScimTurn } from "#app/store/users/scim/token.ts";

/** What a request changes, and what it answers afterwards. Without statements, nothing changes. */
export type ScimPlan<T> = { statements: Statement[]; answer: () => Promise<T> };

/** Maximum attempts at a request while others change the same agency's users and groups. */
const MAX_TRIES = 6;

/**
 * Carries out a change. The plan is made again if another request of the agency was faster. Throws the AppError of the
 * plan, unauthenticated if the token is revoked before the change is written, conflict with uniqueness, or unavailable.
 */
export async function scimChange<T>(
  app: AppContext,
  admitted: ScimClient,
  call: Partial<ScimCall>,
  plan: (client: ScimClient, body: unknown) => Promise<ScimPlan<T>>,
): Promise<T> {
  const body = await call.body?.();
  // The token may have been revoked while the body arrived.
  let client = await scimClientNow(app, admitted);
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const { statements, answer } = await plan(client, body);
    if (statements.length === 0) return answer();
    const { agencyId, tokenId: id, version } = client;
    try {
      await inOneStep(app.db, [takeScimTurn(app.db, { agencyId, id, version }), ...statements]);
      return await answer();
    } catch (error) {
      const broken = brokenConstraint(error);
      if (broken !== "scim_tokens.version") throw taken(broken) ?? error;
    }
    client = await scimClientNow(app, client);
  }
  throw new AppError("unavailable", "Too many changes at once. Try again.", { retryAfter: 1 });
}

/** Returns the error for a name that was taken since it was checked, or for a user who could not be disabled. */
function taken(constraint: string | undefined): AppError | undefined {
  if (constraint === "users.username" || constraint === "scim_users_name")
    return scimProblem("uniqueness", "This userName is taken.");
  if (constraint === "scim_groups_name") return scimProblem("uniqueness", "This displayName is taken.");
  if (constraint === "scim_users.user_name")
    return new AppError(
      "conflict",
      "The user's state cannot be changed: an agency must keep at least one administrator.",
    );
  return undefined;
}

/** Returns whether a text in an address can be the id of a user or a group. */
export function isId(text: string): boolean {
  return /^[\w.-]{1,100}$/.test(text);
}

/** Returns the audit row of something that the client did. */
export function scimEntry(
  app: AppContext,
  client: ScimClient,
  act: { action: AuditAction; object: string; detail?: Record<string, unknown> },
): AuditEntry {
  return {
    ...auditWho(null, client.caller),
    agencyId: client.agencyId,
    userId: `scim:${client.agencyId}`,
    username: SCIM_USERNAME,
    sessionId: client.tokenId,
    at: app.clock(),
    outcome: "ok",
    ...act,
  };
}

/** Writes the audit row of a refusal, once a day. Returns the error for the caller to throw. */
export async function scimRefusal(
  app: AppContext,
  client: ScimClient,
  input: { action: AuditAction; object: string; detail?: Record<string, unknown>; error: AppError },
): Promise<AppError> {
  const { action, object, detail, error } = input;
  const entry = scimEntry(app, client, { action, object, detail: { ...detail, reason: error.message } });
  await inOneStep(app.db, [insertRefusalOnce(app.db, entry, entry.at - DAY)]);
  return audited(error);
}

/** Returns a resource with its version, which changes only if its attributes change (RFC 7644 section 3.14). */
export async function versioned(resource: ScimResource): Promise<ScimResource> {
  const { meta, ...attributes } = resource;
  const hash = await sha256(JSON.stringify(attributes));
  return { ...resource, meta: { ...meta, version: `W/"${hash.slice(0, 20)}"` } };
}

/** Throws AppError precondition_failed if the client knows another version of the resource. */
export function requireVersion({ ifMatch }: Pick<ScimCall, "ifMatch">, { meta }: ScimResource): void {
  if (ifMatch === null || ifMatch.trim() === "*") return;
  const known = ifMatch.split(",").map((version) => version.trim());
  if (!known.includes(meta.version ?? ""))
    throw new AppError("precondition_failed", "The resource has changed. Read it again.");
}
