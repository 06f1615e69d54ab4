// Databases that sum the rows read, rows written and time that D1 reports for their statements, with an optional delay.

import { databaseThrough } from "../../../workers/wrapped-bindings.ts";

/** Sums since the start; `ms` is the time that D1 reports for its statements. */
export type D1Counts = { calls: number; rowsRead: number; rowsWritten: number; ms: number };

export const noCounts = (): D1Counts => ({ calls: 0, rowsRead: 0, rowsWritten: 0, ms: 0 });

/** Returns a database that adds its figures to `counts()`; each call waits for `slow` first. */
export function countingDatabase(
  real: D1Database,
  counts: () => D1Counts,
  slow: () => Promise<unknown> = async () => {},
): D1Database {
  return databaseThrough(withFigures(real, counts), async (work) => {
    const to = counts();
    to.calls++;
    await slow();
    const result = await work();
    for (const one of Array.isArray(result) ? result : [result]) note(to, one);
    return result;
  });
}

/** D1 reports no figures with plain rows, so statements that return them run a second time, to get the figures. */
function withFigures(real: D1Database, counts: () => D1Counts): D1Database {
  function recorded(statement: D1PreparedStatement): D1PreparedStatement {
    const bind = statement.bind.bind(statement);
    const raw = statement.raw.bind(statement);
    // The original method, because the wrapped statement's methods are delayed and counted.
    const all = statement.all.bind(statement);
    return Object.assign(statement, {
      bind: (...values: unknown[]) => recorded(bind(...values)),
      raw: async () => {
        note(counts(), await all());
        return raw();
      },
    });
  }
  return new Proxy(real, {
    get(target, key) {
      if (key === "prepare")
        return (sql: string) => {
          const statement = target.prepare(sql);
          return /^\s*(select|with)/i.test(sql) ? recorded(statement) : statement;
        };
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Adds the figures of a statement's result, if it has any. */
function note(to: D1Counts, result: unknown): void {
  const { meta } = (result ?? {}) as Partial<D1Result>;
  if (!meta || Array.isArray(result)) return;
  to.rowsRead += meta.rows_read;
  to.rowsWritten += meta.rows_written;
  to.ms += meta.duration;
}

/** Returns a function that says how many reads were opened since, which is what decrypting with AES-GCM does. */
export function countOpened(): () => number {
  let opened = 0;
  const decrypt = crypto.subtle.decrypt.bind(crypto.subtle);
  crypto.subtle.decrypt = (algorithm, key, data) => {
    if (typeof algorithm === "object" && algorithm.name === "AES-GCM") opened++;
    return decrypt(algorithm, key, data);
  };
  return () => {
    crypto.subtle.decrypt = decrypt;
    return opened;
  };
}
