// Users who can become members of an agency's groups: its own, and those of the agencies that it works with.

import { and, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { contains, isOneOf } from "#app/store/conditions.ts";
import type { ControlDb } from "#app/store/database.ts";
import { agencies, users } from "#app/store/schema/accounts.ts";
import { maySearchAxis, maySearchAxon, maySearchRekor } from "#app/store/search/permission.ts";
import { HOTLIST_USER } from "./groups.ts";

/** The agency that chooses members, and the time at which sharing is checked. */
type Asking = { agencyId: string; now: number };

const CANDIDATE = { ...HOTLIST_USER, agency: agencies.name } as const;

const BY_AGENCY_AND_NAME = [
  sql`${agencies.name} COLLATE NOCASE`,
  agencies.id,
  sql`${users.name} COLLATE NOCASE`,
  users.id,
] as const;

/**
 * Returns the condition that an agency is one that another works with: it currently shares its reads with the other, or one
 * participates in the other's group. Sharing one's own reads does not count, or an agency could list another agency's
 * users by its own decision.
 */
function worksWith({ agencyId, now }: Asking): SQL | undefined {
  const other = agencies.id;
  return and(
    ne(other, agencyId),
    or(
      maySearchAxis(other, agencyId, now),
      maySearchRekor(other, agencyId, now),
      sql`EXISTS (
        SELECT 1
        FROM axon_integrations a
        WHERE a.agency_id = ${other} AND ${maySearchAxon(sql.raw("a.id"), agencyId, now)}
      )`,
      sql`EXISTS (
        SELECT 1
        FROM alert_group_invitations v
        JOIN alert_groups g ON g.id = v.group_id
        WHERE v.state = 'accepted' AND g.archived_at IS NULL
          AND (
            (g.agency_id = ${agencyId} AND v.agency_id = ${other})
              OR (v.agency_id = ${agencyId} AND g.agency_id = ${other})
          )
      )`,
    ),
  );
}

/** Returns the condition that a user can become a member of the agency's groups. */
const isCandidate = (asking: Asking) =>
  and(isNull(users.disabledAt), or(eq(agencies.id, asking.agencyId), worksWith(asking)));

/** Returns active users of the agencies that an agency works with, by agency and name. */
export async function listRelatedUsers(db: ControlDb, asking: Asking) {
  // Query plan: each agency is looked at once, then its users by users_agency.
  return db
    .select(CANDIDATE)
    .from(agencies)
    .crossJoin(users)
    .where(and(eq(users.agencyId, agencies.id), isNull(users.disabledAt), worksWith(asking)))
    .orderBy(...BY_AGENCY_AND_NAME);
}

/** Returns whether more than this many users can become members. Stops counting there. */
export async function areCandidatesMore(db: ControlDb, asking: Asking, than: number): Promise<boolean> {
  const rows = await db
    .select({ one: sql`1` })
    .from(agencies)
    .crossJoin(users)
    .where(and(eq(users.agencyId, agencies.id), isCandidate(asking)))
    .limit(than + 1);
  return rows.length > than;
}

/** Maximum number of words of a text that are searched for: D1 binds at most 100 values. */
const MOST_WORDS = 8;

/**
 * Returns a part of the users who can become members and have every word of a text in their name, address or agency, those
 * of the own agency first. User names are compared in the own agency only: the others are not shown to it.
 */
export async function findCandidates(
  db: ControlDb,
  { find, limit, offset, ...asking }: Asking & { find: string; limit: number; offset: number },
) {
  const isOther = sql`${agencies.id} <> ${asking.agencyId}`;
  const username = sql`CASE WHEN ${isOther} THEN '' ELSE ${users.username} END`;
  const searched = sql`(${users.name} || ' ' || ${users.email} || ' ' || ${agencies.name} || ' ' || ${username})`;
  const words = find.split(/\s+/).slice(0, MOST_WORDS);
  // Query plan: each agency is looked at once, then its users by users_agency.
  return db
    .select(CANDIDATE)
    .from(agencies)
    .crossJoin(users)
    .where(
      and(
        eq(users.agencyId, agencies.id),
        isCandidate(asking),
        ...words.map((word) => contains([searched], word)),
      ),
    )
    .orderBy(isOther, ...BY_AGENCY_AND_NAME)
    .limit(limit)
    .offset(offset);
}

/** Returns those of the given users who can become members. */
export async function listCandidatesAmong(
  db: ControlDb,
  { ids, ...asking }: Asking & { ids: readonly string[] },
) {
  return db
    .select(CANDIDATE)
    .from(users)
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(and(isOneOf(users.id, ids), isCandidate(asking)));
}
