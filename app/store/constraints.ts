// Reads which constraint aborted a transaction. To stop a whole batch (wrong version, step already done), writers
// write NULL into a NOT NULL column.

/** Returns the constraint that a failed write violated, as `table.column`; undefined for any other failure. */
export function brokenConstraint(error: unknown): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const match = /(?:NOT NULL|UNIQUE) constraint failed: (?:index ')?([\w.]+)/.exec(cause.message);
    if (match) return match[1];
  }
  return undefined;
}
