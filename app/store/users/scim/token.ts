// The SCIM token of an agency. It is stored as its hash.

import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { scimTokens } from "#app/store/schema/scim.ts";

export type ScimTokenRow = typeof scimTokens.$inferSelect;

/** Returns the token with this SHA-256, whose row says the agency that it acts for, or undefined. */
export async function findScimToken(db: ControlDb, tokenHash: string): Promise<ScimTokenRow | undefined> {
  const [row] = await db.select().from(scimTokens).where(eq(scimTokens.tokenHash, tokenHash));
  return row;
}

/** Returns an agency's token, or undefined if it has none. */
export async function findScimTokenOf(db: ControlDb, agencyId: string): Promise<ScimTokenRow | undefined> {
  const [row] = await db.select().from(scimTokens).where(eq(scimTokens.agencyId, agencyId));
  return row;
}

/** Stores the agency's token in the place of any former one, which no longer works. */
export function saveScimToken(db: ControlDb, row: Omit<ScimTokenRow, "lastUsedAt" | "version">): Statement {
  const { agencyId, ...token } = row;
  return db
    .insert(scimTokens)
    .values(row)
    .onConflictDoUpdate({
      target: scimTokens.agencyId,
      set: { ...token, lastUsedAt: null, version: sql`version + 1` },
    });
}

/** Deletes an agency's token, which no longer works. Users and groups that it managed stay. */
export function removeScimToken(db: ControlDb, agencyId: string): Statement {
  return db.delete(scimTokens).where(eq(scimTokens.agencyId, agencyId));
}

/** Records that a token was used, at most once in `everyMs`. */
export async function touchScimToken(
  db: ControlDb,
  input: { agencyId: string; id: string; now: number; everyMs: number },
): Promise<void> {
  const { agencyId, id, now, everyMs } = input;
  await db
    .update(scimTokens)
    .set({ lastUsedAt: now })
    .where(
      and(
        eq(scimTokens.agencyId, agencyId),
        eq(scimTokens.id, id),
        or(isNull(scimTokens.lastUsedAt), lt(scimTokens.lastUsedAt, now - everyMs)),
      ),
    );
}

/**
 * Makes a batch the next change of the agency's users and groups. Breaks the constraint on `scim_tokens.version` if
 * another change or another token came in the meantime, or the token was revoked.
 */
export function takeScimTurn(
  db: ControlDb,
  input: Pick<ScimTokenRow, "agencyId" | "id" | "version">,
): Statement {
  const { agencyId, id, version } = input;
  const next = sql<number>`(
    SELECT version + 1
    FROM ${scimTokens}
    WHERE agency_id = ${agencyId} AND id = ${id} AND version = ${version}
  )`;
  // An insert, because an update of a missing row succeeds. If the row exists, only its version changes.
  return db
    .insert(scimTokens)
    .values({ agencyId, id, tokenHash: "", createdAt: 0, createdBy: "", version: next })
    .onConflictDoUpdate({ target: scimTokens.agencyId, set: { version: sql`excluded.version` } });
}

/**
 * Fails a batch in the same way if the agency's groups have changed since they were read, or its token was revoked.
 * Changes nothing.
 */
export function requireScimGroupsUnchanged(
  db: ControlDb,
  { agencyId, version }: Pick<ScimTokenRow, "agencyId" | "version">,
): Statement {
  // An insert that violates NOT NULL, because an update of a missing row succeeds.
  return db.run(sql`
    INSERT INTO ${scimTokens} (agency_id, id, token_hash, created_at, created_by, version)
    SELECT ${agencyId}, '', '', 0, '', NULL
    WHERE NOT EXISTS (
      SELECT 1
      FROM ${scimTokens}
      WHERE agency_id = ${agencyId} AND version = ${version}
    )
  `);
}
