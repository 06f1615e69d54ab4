// Layouts of hotlist files that agencies have described once, by name.

import { and, asc, eq, sql } from "drizzle-orm";
import type { HotlistLayout, SavedMapping } from "#app/entities/hotlists/layout.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { hotlistMappings } from "#app/store/schema/hotlists.ts";

type MappingKey = { id: string; agencyId: string };

function toMapping(row: typeof hotlistMappings.$inferSelect): SavedMapping {
  const { id, name, layout, createdAt } = row;
  return { id, name, layout: layout as HotlistLayout, created_at: isoTime(createdAt) };
}

/** The mappings of an agency by name. */
export async function listMappings(db: ControlDb, agencyId: string): Promise<SavedMapping[]> {
  const rows = await db.query.hotlistMappings.findMany({
    where: eq(hotlistMappings.agencyId, agencyId),
    orderBy: [asc(hotlistMappings.nameKey)],
  });
  return rows.map(toMapping);
}

/** One mapping of an agency; undefined where it is another agency's. */
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

/** Breaks the batch (`hotlist_mappings.agency_id`) where the agency has a mapping of that name. */
export function insertMapping(
  db: ControlDb,
  row: { id: string; agencyId: string; name: string; layout: HotlistLayout; at: number; by: string },
): Statement {
  const { id, agencyId, name, layout, at, by } = row;
  return db
    .insert(hotlistMappings)
    .values({ id, agencyId, name, nameKey: keyOf(name), layout, createdAt: at, createdBy: by });
}

/** Renames a mapping. Breaks the batch as insertMapping does. */
export function renameMapping(db: ControlDb, { id, agencyId }: MappingKey, name: string): Statement {
  return db
    .update(hotlistMappings)
    .set({ name, nameKey: keyOf(name) })
    .where(and(eq(hotlistMappings.id, id), eq(hotlistMappings.agencyId, agencyId)));
}

export function removeMapping(db: ControlDb, { id, agencyId }: MappingKey): Statement {
  return db
    .delete(hotlistMappings)
    .where(and(eq(hotlistMappings.id, id), eq(hotlistMappings.agencyId, agencyId)));
}

/** How many mappings an agency has. */
export async function countMappings(db: ControlDb, agencyId: string): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)` })
    .from(hotlistMappings)
    .where(eq(hotlistMappings.agencyId, agencyId));
  return row?.count ?? 0;
}
