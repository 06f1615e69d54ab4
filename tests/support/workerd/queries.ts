/** Returns a database whose queries are counted as D1 counts them: each statement of a batch is one. */
export function queriesOf(real: D1Database) {
  const { databases, count } = queriesOfAll({ real });
  return { database: databases.real, count };
}

/** Returns databases whose queries are counted together. */
export function queriesOfAll<Name extends string>(real: Record<Name, D1Database>) {
  let queries = 0;
  const counted = (one: D1Database) =>
    new Proxy(one, {
      get(target, name) {
        // Every statement is prepared once, before it runs.
        if (name === "prepare") queries++;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const named = Object.entries<D1Database>(real).map(([name, one]) => [name, counted(one)]);
  const databases: Record<Name, D1Database> = Object.fromEntries(named);
  /** Returns how many queries the work made. */
  const count = async (work: () => Promise<unknown>): Promise<number> => {
    const before = queries;
    await work();
    return queries - before;
  };
  return { databases, count };
}

/**
 * Returns a database whose bound statements are recorded in `run`, and a function that returns the query plan of each that
 * names a text.
 */
export function plansOf(real: D1Database) {
  const run: { text: string; values: unknown[] }[] = [];
  const database = new Proxy(real, {
    get(target, name) {
      if (name === "prepare")
        return (text: string) => ({
          bind(...values: unknown[]) {
            run.push({ text, values });
            return target.prepare(text).bind(...values);
          },
        });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const plans = (named: string) =>
    Promise.all(
      run
        .filter(({ text }) => text.includes(named))
        .map(async ({ text, values }) => {
          const { results } = await real
            .prepare(`EXPLAIN QUERY PLAN ${text}`)
            .bind(...values)
            .all<{ detail: string }>();
          return { text, plan: results.map(({ detail }) => detail).join("\n") };
        }),
    );
  return { database, plans, run };
}
