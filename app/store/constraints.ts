// What a transaction that failed says: which constraint held. Writers that must not proceed (another version, a step
// that was done already) write NULL into a column that takes none, so that the database itself ends the whole batch.

/** The constraint that a failed write broke, as `table.column`; undefined where it failed for another reason. */
export function brokenConstraint(error: unknown): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const match = /(?:NOT NULL|UNIQUE) constraint failed: (?:index ')?([\w.]+)/.exec(cause.message);
    if (match) return match[1];
  }
  return undefined;
}
