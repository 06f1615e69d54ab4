// The addresses that vendors' webhooks post to, for an agency's administrators.

import { and, desc, eq, isNull } from "drizzle-orm";
import type { WebhookRow } from "#app/entities/integrations/settings.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { webhooks } from "#app/store/schema/integrations.ts";

/** Returns an agency's webhooks, newest first. Revoked ones stay in the list as a record. */
export async function listWebhooks(db: ControlDb, agencyId: string): Promise<WebhookRow[]> {
  const rows = await db
    .select()
    .from(webhooks)
    .where(eq(webhooks.agencyId, agencyId))
    .orderBy(desc(webhooks.createdAt), desc(webhooks.id));
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

export function insertWebhook(db: ControlDb, row: typeof webhooks.$inferInsert): Statement {
  return db.insert(webhooks).values(row);
}

/** Revokes an agency's webhook: changes one row, or none if it is revoked already. */
export function revokeWebhook(
  db: ControlDb,
  { id, agencyId, now }: { id: string; agencyId: string; now: number },
): Statement {
  return db
    .update(webhooks)
    .set({ revokedAt: now })
    .where(and(eq(webhooks.id, id), eq(webhooks.agencyId, agencyId), isNull(webhooks.revokedAt)));
}
