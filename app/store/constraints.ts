// Reads which constraint aborted a transaction. To stop a whole batch (wrong version, step already done), writers
// write NULL into a NOT NULL column.

import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/**
 * Returns a value for a NOT NULL column of a new row: NULL, which aborts the batch, if the table already has `most` rows
 * for which `among` is true.
 */
export function unlessFull<T>(
  table: SQLiteTable,
  { among, most, value }: { among: SQL; most: number; value: T },
): SQL<T> {
  return sql`CASE WHEN (SELECT count(*) FROM ${table} WHERE ${among}) < ${most} THEN ${value} END`;
}

/** Returns the constraint that a failed write violated, as `table.column`; undefined for any other failure. */
export function brokenConstraint(error: unknown): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const match = /(?:NOT NULL|UNIQUE) constraint failed: (?:index ')?([\w.]+)/.exec(cause.message);
    if (match) return match[1];
  }
  return undefined;
}

/**
 * Returns whether SQLite refused a write, so that its transaction changed nothing. After any other failure, such as a lost
 * connection, the transaction may have been committed.
 */
export function isRefusedWrite(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (/\bSQLITE_[A-Z]+|constraint failed/.test(cause.message)) return true;
  return false;
}
