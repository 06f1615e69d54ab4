// Webhooks as those who post to them know them: by the secret. Only its hash is kept.

import { sql } from "drizzle-orm";
import type { ControlDb } from "#app/store/database.ts";

export type Webhook = {
  id: string;
  agencyId: string;
  agencyName: string;
  lastReadAt: number | null;
  lastRefusedAt: number | null;
};

/** The Rekor webhook that opens to one of these secrets (SHA-256, hexadecimal) and is not revoked, or null. */
export async function findRekorWebhook(db: ControlDb, secretHashes: string[]): Promise<Webhook | null> {
  const [webhook] = await db.all<Webhook>(sql`select d.id, d.agency_id as agencyId, a.name as agencyName,
      d.last_read_at as lastReadAt, d.last_refused_at as lastRefusedAt
    from json_each(${JSON.stringify(secretHashes)}) as h cross join doors as d on d.secret_hash = h.value
    join agencies as a on a.id = d.agency_id where d.revoked_at is null and d.program = 'rekor' limit 1`);
  return webhook ?? null;
}

/** Notes what a webhook last sent: a read, a heartbeat, a test, or something that was refused and why. */
export async function touchWebhook(
  db: ControlDb,
  id: string,
  seen:
    | { readAt: number }
    | { heartbeatAt: number }
    | { testAt: number }
    | { refusedAt: number; refusal: string },
): Promise<void> {
  if ("readAt" in seen) await db.run(sql`update doors set last_read_at = ${seen.readAt} where id = ${id}`);
  else if ("heartbeatAt" in seen)
    await db.run(sql`update doors set last_heartbeat_at = ${seen.heartbeatAt} where id = ${id}`);
  else if ("testAt" in seen)
    await db.run(sql`update doors set last_test_at = ${seen.testAt} where id = ${id}`);
  else
    await db.run(
      sql`update doors set last_refused_at = ${seen.refusedAt}, last_refusal = ${seen.refusal} where id = ${id}`,
    );
}
