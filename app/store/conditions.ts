// Conditions of queries.

import { or, type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * Returns the condition that one of the columns contains a text, or undefined for "". SQLite's `lower` knows ASCII only, so
 * that other letters are compared as they were typed, in lower case and in upper case.
 */
export function contains(columns: readonly SQLWrapper[], text: string): SQL | undefined {
  if (text === "") return undefined;
  const forms = new Set([text, text.toLowerCase(), text.toUpperCase()]);
  return or(
    ...columns.flatMap((column) =>
      [...forms].map((form) => sql`instr(lower(${column}), lower(${form})) > 0`),
    ),
  );
}

/** Returns the condition that a column is one of these values. D1 binds at most 100, so they are bound as one JSON text. */
export function isOneOf(column: SQLWrapper, values: readonly string[]): SQL {
  return sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/**
 * Returns the condition that something unchanged since `since` should be tried again: it has not been tried since then,
 * or the last try was at least as long ago as the pause before it. Each pause is twice the one before, up to `most` ms.
 */
export function isDueAgain({
  since,
  triedAt,
  now,
  most,
}: {
  since: SQLWrapper;
  triedAt: SQLWrapper;
  now: number;
  most: number;
}): SQL {
  return sql`(${triedAt} <= ${since} OR ${now} - ${triedAt} >= min(${triedAt} - ${since}, ${most}))`;
}
