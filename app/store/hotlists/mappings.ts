// Layouts of hotlist files that agencies have saved by name.

import { and, asc, eq, sql } from "drizzle-orm";
import type { HotlistLayout, SavedMapping } from "#app/entities/hotlists/layout.ts";
import { compareNames } from "#app/lib/text.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { unlessFull } from "#app/store/constraints.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { hotlistMappings } from "#app/store/schema/hotlists.ts";

type MappingKey = { id: string; agencyId: string };

function toMapping(row: typeof hotlistMappings.$inferSelect): SavedMapping {
  const { id, name, layout, createdAt } = row;
  return { id, name, layout: layout as HotlistLayout, created_at: isoTime(createdAt) };
}

/** Returns the mappings of an agency by name. */
export async function listMappings(db: ControlDb, agencyId: string): Promise<SavedMapping[]> {
  const rows = await db.query.hotlistMappings.findMany({
    where: eq(hotlistMappings.agencyId, agencyId),
    orderBy: [asc(hotlistMappings.nameKey)],
  });
  rows.sort((a, b) => compareNames(a.name, b.name));
  return rows.map(toMapping);
}

/** Returns a mapping; undefined if it belongs to another agency. */
export async function findMapping(
  db: ControlDb,
  { id, agencyId }: MappingKey,
): Promise<SavedMapping | undefined> {
  const row = await db.query.hotlistMappings.findFirst({
    where: and(eq(hotlistMappings.id, id), eq(hotlistMappings.agencyId, agencyId)),
  });
  return row && toMapping(row);
}

const keyOf = (name: string) => name.toLowerCase();

/**
 * Inserts a mapping. The batch fails on `hotlist_mappings.agency_id` if the agency has a mapping with that name, and on
 * `hotlist_mappings.created_at` if it already has `most` mappings.
 */
export function insertMapping(
  db: ControlDb,
  row: { id: string; agencyId: string; name: string; layout: HotlistLayout; at: number; by: string },
  most: number,
): Statement {
  const { id, agencyId, name, layout, at, by } = row;
  const among = sql`agency_id = ${agencyId}`;
  const createdAt = unlessFull(hotlistMappings, { among, most, value: at });
  return db
    .insert(hotlistMappings)
    .values({ id, agencyId, name, nameKey: keyOf(name), layout, createdAt, createdBy: by });
}

/** Renames a mapping. The batch fails as in insertMapping. */
export function renameMapping(db: ControlDb, { id, agencyId }: MappingKey, name: string): Statement {
  return db
    .update(hotlistMappings)
    .set({ name, nameKey: keyOf(name) })
    .where(and(eq(hotlistMappings.id, id), eq(hotlistMappings.agencyId, agencyId)));
}

/** Deletes a mapping of this agency; changes nothing if it is another agency's. */
export function removeMapping(db: ControlDb, { id, agencyId }: MappingKey): Statement {
  return db
    .delete(hotlistMappings)
    .where(and(eq(hotlistMappings.id, id), eq(hotlistMappings.agencyId, agencyId)));
}
