// How lists are searched for a text.

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
