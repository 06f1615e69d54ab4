// Remembers what a logout token ends while a sign-in of the same session may still be completed: the session does not
// exist yet when the token arrives, so it cannot be ended.

import { sha256 } from "#app/lib/crypto/primitives.ts";
import type { MayHaveEnded } from "#app/store/accounts/sign-on-sessions.ts";

type Provider = { agencyId: string; issuer: string };
type Named = { subject: string | null; session: string | null };

/** Returns the ids of what a logout token ends: the provider's session, or all sign-ins of a person. */
export function endedIds(provider: Provider, { subject, session }: Named): Promise<string[]> {
  const ids = [];
  if (session !== null) ids.push(idOf(provider, "session", session));
  // The provider did not name its session at the sign-in, but names the person now.
  if (subject !== null) ids.push(idOf(provider, session === null ? "person" : "unnamed", subject));
  return Promise.all(ids);
}

/**
 * Returns the ids under which a logout would end a sign-in whose completion began at `since`. A session that the
 * provider ended earlier stays ended; a person may sign in again.
 */
export async function idsOfSignOn(
  provider: Provider,
  { subject, session, since }: { subject: string; session: string | null; since: number },
): Promise<MayHaveEnded[]> {
  return [
    { id: await idOf(provider, "person", subject), since },
    session === null
      ? { id: await idOf(provider, "unnamed", subject), since }
      : { id: await idOf(provider, "session", session), since: 0 },
  ];
}

async function idOf({ agencyId, issuer }: Provider, kind: string, name: string): Promise<string> {
  return `ended:${await sha256(JSON.stringify([agencyId, issuer, kind, name]))}`;
}
