// Users' hotlist permissions, and their choice of push alerts.

import { sql } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { pushPreferences } from "#app/store/schema/alerts.ts";

/** A permission that is null stays as it is. */
export type FlagChange = { id: string; hotlistAdmin: boolean | null; hotlistViewer: boolean | null };

/** Sets the permissions of users of one agency. Ids of other agencies' users are ignored. */
export function updateHotlistFlags(
  db: ControlDb,
  input: { agencyId: string; changes: FlagChange[] },
): Statement {
  return db.run(sql`
    UPDATE users
    SET hotlist_admin = coalesce(j.value ->> 'hotlistAdmin', hotlist_admin),
      hotlist_viewer = coalesce(j.value ->> 'hotlistViewer', hotlist_viewer)
    FROM json_each(${JSON.stringify(input.changes)}) AS j
    WHERE users.id = j.value ->> 'id' AND users.agency_id = ${input.agencyId}
  `);
}

export async function findPushPreference(db: ControlDb, userId: string): Promise<boolean> {
  const row = await db.query.pushPreferences.findFirst({
    where: sql`${pushPreferences.userId} = ${userId}`,
  });
  return row?.enabled ?? false;
}

export function savePushPreference(
  db: ControlDb,
  input: { userId: string; enabled: boolean; at: number },
): Statement {
  return db
    .insert(pushPreferences)
    .values({ userId: input.userId, enabled: input.enabled, changedAt: input.at })
    .onConflictDoUpdate({
      target: pushPreferences.userId,
      set: { enabled: input.enabled, changedAt: input.at },
    });
}
