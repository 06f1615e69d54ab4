// Users' choice of push alerts.

import { sql } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { pushPreferences } from "#app/store/schema/alerts.ts";

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
