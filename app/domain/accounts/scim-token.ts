// Calls of an agency's identity provider by SCIM. The token identifies the agency, which is the tenant of everything
// the provider reads and changes.

import type { AppContext } from "#app/context.ts";
import type { Caller } from "#app/entities/accounts/actor.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { countEvents, type Rate } from "#app/lib/rate-limit.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { findScimToken, findScimTokenOf, touchScimToken } from "#app/store/users/scim/token.ts";

/** The identity provider of an agency. */
export type ScimClient = {
  agencyId: string;
  tokenId: string;
  version: number;
  caller: Caller;
  /** The address of /scim/v2. */
  base: string;
};

/** The prefix of every token, by which a leaked token is recognized. */
export const SCIM_TOKEN_START = "odin_scim_";
const TOKEN = new RegExp(`^${SCIM_TOKEN_START}[\\w-]{43}$`);

/** Microsoft Entra ID asks for at least 25 requests a second. */
const SCIM_RATE: Rate = { policy: "scim", burst: 500, perSecond: 25 };

const invalidToken = () => new AppError("unauthenticated", "The bearer token is missing or not valid.");

/**
 * Returns the client of a token and counts the call. A wrong token is neither counted nor logged, so that no one can lock
 * the client out or fill the log. Throws AppError unauthenticated or too_many.
 */
export async function resumeScim(
  app: AppContext,
  { token, caller, base }: { token: string; caller: Caller; base: string },
): Promise<ScimClient> {
  const row = TOKEN.test(token) ? await findScimToken(app.db, await sha256(token)) : undefined;
  if (!row) throw invalidToken();
  const { agencyId, id, version, lastUsedAt } = row;
  const now = app.clock();
  countEvents(app, { source: `scim:${agencyId}`, rate: SCIM_RATE });
  if ((lastUsedAt ?? 0) <= now - MINUTE) await touchScimToken(app.db, { agencyId, id, now, everyMs: MINUTE });
  return { agencyId, tokenId: id, version, caller, base };
}

/** Returns a client as it is now. Throws AppError unauthenticated if its token was revoked or replaced. */
export async function scimClientNow(app: AppContext, client: ScimClient): Promise<ScimClient> {
  const row = await findScimTokenOf(app.db, client.agencyId);
  if (row?.id !== client.tokenId) throw invalidToken();
  return { ...client, version: row.version };
}
