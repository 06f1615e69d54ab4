// The addresses that vendors' webhooks post to, as an agency's administrators make and revoke them.

import { and, desc, eq, isNull } from "drizzle-orm";
import type { DoorRow } from "#app/entities/integrations/settings.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { doors } from "#app/store/schema/integrations.ts";

/** An agency's doors, the newest first; revoked ones stay in the list as a record. */
export async function listDoors(db: ControlDb, agencyId: string): Promise<DoorRow[]> {
  const rows = await db
    .select()
    .from(doors)
    .where(eq(doors.agencyId, agencyId))
    .orderBy(desc(doors.createdAt), desc(doors.id));
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    last_four: row.secretLast4,
    created_at: row.createdAt,
    revoked_at: row.revokedAt,
    last_read_at: row.lastReadAt,
    last_heartbeat_at: row.lastHeartbeatAt,
    last_test_at: row.lastTestAt,
    last_refused_at: row.lastRefusedAt,
    last_refusal: row.lastRefusal,
  }));
}

export function insertDoor(db: ControlDb, row: typeof doors.$inferInsert): Statement {
  return db.insert(doors).values(row);
}

/** Revokes a living door of this agency: a row or none. */
export function revokeDoor(
  db: ControlDb,
  { id, agencyId, now }: { id: string; agencyId: string; now: number },
): Statement {
  return db
    .update(doors)
    .set({ revokedAt: now })
    .where(and(eq(doors.id, id), eq(doors.agencyId, agencyId), isNull(doors.revokedAt)));
}
