/** Returns a database whose queries are counted as D1 counts them: each statement of a batch is one. */
export function queriesOf(real: D1Database) {
  let queries = 0;
  const database = new Proxy(real, {
    get(target, name) {
      // Every statement is prepared once, before it runs.
      if (name === "prepare") queries++;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  /** Returns how many queries the work made. */
  const count = async (work: () => Promise<unknown>): Promise<number> => {
    const before = queries;
    await work();
    return queries - before;
  };
  return { database, count };
}
