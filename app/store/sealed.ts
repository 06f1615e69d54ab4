// Every column that holds a sealed secret, in one list, so that all of them move to a new key. A row is changed only
// where it still holds what was read: a secret that was given anew meanwhile is never put back.

import { type SQL, sql } from "drizzle-orm";
import type { SealedFor } from "#app/lib/crypto/primitives.ts";
import type { ControlDb, Statement } from "./database.ts";

/** A table, the column of its id, the sealed column, and the field that its seal names. */
export const SEALED_COLUMNS = [
  { table: "rekor_keys", id: "id", column: "sealed_key", field: "key" },
  { table: "axon_integrations", id: "id", column: "sealed_secret", field: "secret" },
  { table: "axon_tokens", id: "integration_id", column: "sealed_token", field: "token" },
  { table: "totp_factors", id: "user_id", column: "sealed_secret", field: "secret" },
  { table: "push_devices", id: "id", column: "sealed_address", field: "address" },
  { table: "provider_tokens", id: "id", column: "sealed_token", field: "token" },
] as const;
export type SealedColumn = (typeof SEALED_COLUMNS)[number];

export type SealedRow = { id: string; sealed: string };

export function sealedFor({ table, field }: SealedColumn, id: string): SealedFor {
  return { table, id, field };
}

/** Rows that are sealed with another version than this one, by id, after the given one. */
export async function listSealedOtherwise(
  db: ControlDb,
  of: SealedColumn,
  input: { version: number; after: string; limit: number },
): Promise<SealedRow[]> {
  return db.all<SealedRow>(sql`select ${name(of.id)} as id, ${name(of.column)} as sealed
    from ${name(of.table)} where ${isOld(of, input.version)} and ${name(of.id)} > ${input.after}
    order by ${name(of.id)} limit ${input.limit}`);
}

/** How many rows are sealed with another version than this one. */
export async function countSealedOtherwise(
  db: ControlDb,
  of: SealedColumn,
  version: number,
): Promise<number> {
  const [row] = await db.all<{ many: number }>(
    sql`select count(*) as many from ${name(of.table)} where ${isOld(of, version)}`,
  );
  return row?.many ?? 0;
}

/** Puts another seal on a row that still has the one that was read. */
export function reseal(
  db: ControlDb,
  of: SealedColumn,
  row: { id: string; from: string; to: string },
): Statement {
  return db.run(sql`update ${name(of.table)} set ${name(of.column)} = ${row.to}
    where ${name(of.id)} = ${row.id} and ${name(of.column)} = ${row.from}`);
}

function isOld({ column }: SealedColumn, version: number): SQL {
  const start = `v${version}.`;
  return sql`${name(column)} is not null and substr(${name(column)}, 1, ${start.length}) <> ${start}`;
}

const name = (text: string) => sql.identifier(text);
