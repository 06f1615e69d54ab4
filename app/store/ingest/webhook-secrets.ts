// Webhooks, found by the secret in their address. Only its hash is stored.

import { sql } from "drizzle-orm";
import type { ControlDb } from "#app/store/database.ts";

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
