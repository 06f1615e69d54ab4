// All columns with sealed (encrypted) secrets, for the rotation to a new key. A row is updated only if it still
// holds the value that was read, so that a secret changed in the meantime is never overwritten.

import { type SQL, sql } from "drizzle-orm";
import type { SealedFor } from "#app/lib/crypto/primitives.ts";
import type { ControlDb, Statement } from "./database.ts";

/** A table, its id column, the sealed column, and the field name that the seal is bound to. */
export const SEALED_COLUMNS = [
  { table: "rekor_keys", id: "id", column: "sealed_key", field: "key" },
  { table: "axon_integrations", id: "id", column: "sealed_secret", field: "secret" },
  { table: "axon_tokens", id: "integration_id", column: "sealed_token", field: "token" },
  { table: "totp_factors", id: "user_id", column: "sealed_secret", field: "secret" },
  { table: "push_devices", id: "id", column: "sealed_address", field: "address" },
  { table: "outgoing_webhooks", id: "id", column: "sealed_secret", field: "secret" },
  { table: "outgoing_webhooks", id: "id", column: "sealed_former", field: "former" },
  { table: "outgoing_webhooks", id: "id", column: "sealed_query", field: "query" },
  { table: "sign_on_providers", id: "agency_id", column: "sealed_secret", field: "secret" },
  { table: "provider_tokens", id: "id", column: "sealed_token", field: "token" },
  { table: "audit_segments", id: "object_key", column: "sealed_key", field: "key" },
  { table: "alert_segments", id: "object_key", column: "sealed_key", field: "key" },
  { table: "audit_term_keys", id: "id", column: "sealed_key", field: "key" },
] as const;
export type SealedColumn = (typeof SEALED_COLUMNS)[number];

export type SealedRow = { id: string; sealed: string };

/** Returns the owner that the sealed value of a row is bound to. */
export function sealedFor({ table, field }: SealedColumn, id: string): SealedFor {
  return { table, id, field };
}

/** Returns rows sealed with another key version, ordered by id, after the given id. */
export async function listSealedOtherwise(
  db: ControlDb,
  of: SealedColumn,
  input: { version: number; after: string; limit: number },
): Promise<SealedRow[]> {
  return db.all<SealedRow>(sql`
    SELECT ${name(of.id)} AS id, ${name(of.column)} AS sealed
    FROM ${name(of.table)}
    WHERE ${isOld(of, input.version)} AND ${name(of.id)} > ${input.after}
    ORDER BY ${name(of.id)}
    LIMIT ${input.limit}`);
}

/** Returns how many rows are sealed with another key version. */
export async function countSealedOtherwise(
  db: ControlDb,
  of: SealedColumn,
  version: number,
): Promise<number> {
  const [row] = await db.all<{ many: number }>(sql`
    SELECT count(*) AS many
    FROM ${name(of.table)}
    WHERE ${isOld(of, version)}`);
  return row?.many ?? 0;
}

/** Replaces the sealed values of rows that still have the one that was read. */
export function reseal(
  db: ControlDb,
  of: SealedColumn,
  rows: readonly { id: string; from: string; to: string }[],
): Statement {
  return db.run(sql`
    UPDATE ${name(of.table)}
    SET ${name(of.column)} = j.value ->> 'to'
    FROM json_each(${JSON.stringify(rows)}) AS j
    WHERE ${name(of.table)}.${name(of.id)} = j.value ->> 'id'
      AND ${name(of.table)}.${name(of.column)} = j.value ->> 'from'`);
}

function isOld({ column }: SealedColumn, version: number): SQL {
  const start = `v${version}.`;
  // An empty text may be left of a destroyed secret.
  return sql`${name(column)} <> '' AND substr(${name(column)}, 1, ${start.length}) <> ${start}`;
}

const name = (text: string) => sql.identifier(text);
