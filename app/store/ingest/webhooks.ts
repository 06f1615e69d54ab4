// The addresses that vendors' webhooks post to, for an agency's administrators and for incoming posts. A post is
// matched by the secret in its address, of which only the hash is stored.

import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { WebhookRow } from "#app/entities/integrations/settings.ts";
import { contains } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { webhooks } from "#app/store/schema/integrations.ts";

type Row = typeof webhooks.$inferSelect;

function webhookOf(row: Row): WebhookRow {
  return {
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
  };
}

/** Webhooks of an agency: those in use, or the revoked ones, whose name or secret's last four characters contain a text. */
type WebhookFilter = { agencyId: string; revoked: boolean; find: string };

const isListed = ({ agencyId, revoked, find }: WebhookFilter) =>
  and(
    eq(webhooks.agencyId, agencyId),
    revoked ? isNotNull(webhooks.revokedAt) : isNull(webhooks.revokedAt),
    contains([webhooks.name, webhooks.secretLast4], find),
  );

/** Returns how many webhooks of an agency there are. */
export async function countWebhooks(db: ControlDb, filter: WebhookFilter): Promise<number> {
  return db.$count(webhooks, isListed(filter));
}

/** Returns a part of an agency's webhooks: those in use newest first, or the revoked ones from the last revoked one. */
export async function listWebhooks(
  db: ControlDb,
  { limit, offset, ...filter }: WebhookFilter & { limit: number; offset: number },
): Promise<WebhookRow[]> {
  const rows = await db
    .select()
    .from(webhooks)
    .where(isListed(filter))
    .orderBy(desc(filter.revoked ? webhooks.revokedAt : webhooks.createdAt), desc(webhooks.id))
    .limit(limit)
    .offset(offset);
  return rows.map(webhookOf);
}

/** Returns one of an agency's webhooks, revoked or not. */
export async function findWebhook(
  db: ControlDb,
  { id, agencyId }: { id: string; agencyId: string },
): Promise<WebhookRow | undefined> {
  const row = await db.query.webhooks.findFirst({
    where: and(eq(webhooks.id, id), eq(webhooks.agencyId, agencyId)),
  });
  return row && webhookOf(row);
}

/** Inserts a webhook. The batch fails if the hash of its secret is in use. */
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

export type Webhook = {
  id: string;
  agencyId: string;
  agencyName: string;
  lastReadAt: number | null;
  lastRefusedAt: number | null;
};

/** Returns the Rekor webhook that has one of these secrets (SHA-256, hexadecimal) and is not revoked, or null. */
export async function findRekorWebhook(db: ControlDb, secretHashes: string[]): Promise<Webhook | null> {
  const [webhook] = await db.all<Webhook>(sql`SELECT d.id, d.agency_id AS agencyId, a.name AS agencyName,
      d.last_read_at AS lastReadAt, d.last_refused_at AS lastRefusedAt
    FROM json_each(${JSON.stringify(secretHashes)}) AS h
    CROSS JOIN doors AS d ON d.secret_hash = h.value
    JOIN agencies AS a ON a.id = d.agency_id
    WHERE d.revoked_at IS NULL AND d.program = 'rekor'
    LIMIT 1`);
  return webhook ?? null;
}

/** Records what a webhook last received: a read, a heartbeat, a test, or something that was refused and why. */
export async function touchWebhook(
  db: ControlDb,
  id: string,
  seen:
    | { readAt: number }
    | { heartbeatAt: number }
    | { testAt: number }
    | { refusedAt: number; refusal: string },
): Promise<void> {
  if ("readAt" in seen) await db.run(sql`UPDATE doors SET last_read_at = ${seen.readAt} WHERE id = ${id}`);
  else if ("heartbeatAt" in seen)
    await db.run(sql`UPDATE doors SET last_heartbeat_at = ${seen.heartbeatAt} WHERE id = ${id}`);
  else if ("testAt" in seen)
    await db.run(sql`UPDATE doors SET last_test_at = ${seen.testAt} WHERE id = ${id}`);
  else
    await db.run(
      sql`UPDATE doors SET last_refused_at = ${seen.refusedAt}, last_refusal = ${seen.refusal} WHERE id = ${id}`,
    );
}
