// Writes rows back into the tables of an empty database. Idempotent: existing rows stay unchanged. Rows whose parent is
// not in the backup, because it was deleted while the backup was made, are skipped and counted.

import { sql } from "drizzle-orm";
import type { ColumnPlan } from "#app/entities/operations/backup.ts";
import { at } from "#app/lib/at.ts";
import { fromHex } from "#app/lib/crypto/encoding.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import type { Layout } from "./backup-tables.ts";

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Characters. D1 accepts a bound text of 2 MB; a row larger than this is bound value by value. */
const BOUND = 1_400_000;
/** Rows per DELETE. */
const CLEARED = 5_000;

export type Target = { name: string; columns: ColumnPlan[] };

function valueAt({ as }: ColumnPlan, at: number): string {
  const value = `value ->> ${at}`;
  if (as !== "blob") return value;
  return `CASE json_type(value, '$[${at}]') WHEN 'text' THEN
    CASE substr(${value}, 1, 1) WHEN 'x' THEN unhex(substr(${value}, 2)) ELSE substr(${value}, 2) END ELSE ${value} END`;
}

/** Returns the WHERE clause that requires a row's parents, for rows of json_each. */
function parentsAreThere({ name, columns }: Target, { relations, tables }: Layout): string {
  const conditions = relations
    .filter(({ from, to }) => from === name && to !== name)
    .map(({ to, columns: pairs }) => {
      const parentKey = tables.find((table) => table.name === to)?.primaryKey ?? [];
      const own = pairs.map((pair) => `value ->> ${columns.findIndex((column) => column.name === pair.own)}`);
      const matches = pairs.map(
        (pair, n) => `parent.${quoted(pair.other ?? parentKey[n] ?? "rowid")} = ${own[n]}`,
      );
      const isNull = own.map((value) => `${value} IS NULL`);
      return `(${isNull.join(" OR ")} OR EXISTS (SELECT 1 FROM ${quoted(to)} parent WHERE ${matches.join(" AND ")}))`;
    });
  return conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
}

/** Inserts rows, each a line of JSON, into a table. Returns how many were inserted. */
export async function insertRows(
  database: D1Database,
  input: { target: Target; layout: Layout; lines: string[] },
): Promise<number> {
  const { target, layout } = input;
  const names = target.columns.map(({ name }) => quoted(name)).join(", ");
  const into = `INSERT OR IGNORE INTO ${quoted(target.name)} (${names})`;
  const values = target.columns.map(valueAt).join(", ");
  const insert = database.prepare(
    `${into} SELECT ${values} FROM json_each(?) ${parentsAreThere(target, layout)}`,
  );
  const statements = [...parcelsOf(input.lines)].map((parcel) => {
    if (parcel.length > 1 || (parcel[0]?.length ?? 0) <= BOUND) return insert.bind(`[${parcel.join(",")}]`);
    const row: unknown[] = JSON.parse(at(parcel, 0));
    const marks = row.map(() => "?").join(", ");
    return database
      .prepare(`${into} VALUES (${marks})`)
      .bind(...row.map((value, at) => decoded(value, target.columns[at])));
  });
  if (statements.length === 0) return 0;
  // Not `meta.changes`, which may include rows that triggers wrote.
  const changes = database.prepare("SELECT changes() AS n");
  // One transaction writes each page of an index once, however many rows change it.
  const results = await database.batch<{ n: number }>(statements.flatMap((one) => [one, changes]));
  return results.reduce((sum, { results: [row] }) => sum + (row?.n ?? 0), 0);
}

function decoded(value: unknown, column: ColumnPlan | undefined): unknown {
  if (column?.as !== "blob" || typeof value !== "string") return value;
  return value.startsWith("x") ? fromHex(value.slice(1)) : value.slice(1);
}

const encoder = new TextEncoder();

/** Yields groups of lines within the size that D1 accepts. */
function* parcelsOf(lines: string[]): Generator<string[]> {
  let parcel: string[] = [];
  let size = 0;
  for (const line of lines) {
    const bytes = encoder.encode(line).length;
    if (parcel.length > 0 && size + bytes > BOUND) {
      yield parcel;
      parcel = [];
      size = 0;
    }
    parcel.push(line);
    size += bytes + 1;
  }
  if (parcel.length > 0) yield parcel;
}

/** Returns the names of tables that have rows. */
export async function listFilled(database: D1Database, { tables }: Layout): Promise<string[]> {
  if (tables.length === 0) return [];
  const results = await database.batch<{ filled: number }>(
    tables.map(({ name }) => database.prepare(`SELECT EXISTS (SELECT 1 FROM ${quoted(name)}) AS filled`)),
  );
  return tables.filter((_, at) => results[at]?.results[0]?.filled === 1).map(({ name }) => name);
}

/** Deletes a batch of a table's rows. Returns false if none were left. */
export async function clearSome(database: D1Database, table: Layout["tables"][number]): Promise<boolean> {
  const key = table.key.map(quoted).join(", ");
  const name = quoted(table.name);
  const { meta } = await database
    .prepare(`
      DELETE FROM ${name}
      WHERE (${key}) IN (SELECT ${key} FROM ${name} LIMIT ${CLEARED})`)
    .run();
  return meta.changes > 0;
}

/** Returns how many rows a table has. Throws if the table does not exist. */
export async function countRows(database: D1Database, table: string): Promise<number> {
  return (await database.prepare(`SELECT count(*) AS n FROM ${quoted(table)}`).first<number>("n")) ?? 0;
}

/** Reserves ids up to these numbers, which are never assigned again. */
export async function setSequences(database: D1Database, sequences: Record<string, number>): Promise<void> {
  const entries = Object.entries(sequences);
  if (entries.length === 0) return;
  const rows = JSON.stringify(entries);
  await database.batch([
    database
      .prepare("DELETE FROM sqlite_sequence WHERE name IN (SELECT value ->> 0 FROM json_each(?))")
      .bind(rows),
    database
      .prepare("INSERT INTO sqlite_sequence (name, seq) SELECT value ->> 0, value ->> 1 FROM json_each(?)")
      .bind(rows),
  ]);
}

export type HeldKey = { id: number; agencyId: string };

/** Lists keys of held reads in a database of reads that has reads under them. */
export async function listHeldKeys(database: D1Database, keys: readonly HeldKey[]): Promise<void> {
  await database
    .prepare(`
      INSERT OR IGNORE INTO read_keys (id, agency_id, day)
      SELECT value ->> 'id', value ->> 'agencyId', NULL
      FROM json_each(?)
      WHERE EXISTS (SELECT 1 FROM sealed_reads WHERE key_id = value ->> 'id')`)
    .bind(JSON.stringify(keys))
    .run();
}

/** Returns the definitions of a database's triggers, ordered by name. */
export async function listTriggers(database: D1Database): Promise<{ name: string; sql: string }[]> {
  const { results } = await database
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    .all<{ name: string; sql: string }>();
  return results;
}

/** Returns statements that drop triggers, for the transaction that stores their definitions. */
export function dropTriggers(db: ControlDb, triggers: { name: string }[]): Statement[] {
  return triggers.map(({ name }) => db.run(sql.raw(`DROP TRIGGER IF EXISTS ${quoted(name)}`)));
}

/** Returns statements that create triggers again. */
export function putTriggers(db: ControlDb, definitions: string[]): Statement[] {
  return definitions.map((definition) => db.run(sql.raw(definition)));
}

export type IndexDefinition = { table: string; name: string; definition: string };

/** Returns the definitions of non-unique indexes. Unique ones are constraints, and stay. */
export async function listIndexes(database: D1Database): Promise<IndexDefinition[]> {
  const { results } = await database
    .prepare(`
      SELECT tbl_name AS "table", name, sql AS definition
      FROM sqlite_master
      WHERE type = 'index' AND sql LIKE 'CREATE INDEX%'
      ORDER BY name`)
    .all<IndexDefinition>();
  return results;
}

/** Drops indexes in one transaction. Idempotent. */
export async function dropIndexes(database: D1Database, indexes: { name: string }[]): Promise<void> {
  if (indexes.length === 0) return;
  await database.batch(indexes.map(({ name }) => database.prepare(`DROP INDEX IF EXISTS ${quoted(name)}`)));
}

/** Creates an index. Idempotent. */
export async function putIndex(database: D1Database, definition: string): Promise<void> {
  await database.prepare(definition.replace(/^CREATE INDEX/, "CREATE INDEX IF NOT EXISTS")).run();
}

/** Clears the full-text indexes of a database whose tables are empty. */
export async function emptyIndexes(database: D1Database): Promise<void> {
  const { results } = await database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%fts5%'")
    .all<{ name: string }>();
  for (const { name } of results)
    await database.prepare(`INSERT INTO ${quoted(name)} (${quoted(name)}) VALUES ('delete-all')`).run();
}
