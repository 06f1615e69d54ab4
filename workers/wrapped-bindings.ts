// Databases, buckets and queues with every call going through a function that may delay it or make it fail.

/** Makes one call to a binding. */
type Through = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns a database whose calls go through `call`. A batch is one call. */
export function databaseThrough(real: D1Database, call: Through): D1Database {
  // A batch takes only real statements, so their methods are replaced instead of hidden behind a proxy.
  function wrapped(statement: D1PreparedStatement): D1PreparedStatement {
    for (const name of ["all", "run", "raw", "first"]) {
      const original: unknown = Reflect.get(statement, name);
      if (typeof original !== "function") continue;
      Reflect.set(statement, name, (...values: unknown[]) =>
        call(async () => original.apply(statement, values)),
      );
    }
    const bind = statement.bind.bind(statement);
    Reflect.set(statement, "bind", (...values: unknown[]) => wrapped(bind(...values)));
    return statement;
  }

  return new Proxy(real, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => wrapped(target.prepare(sql));
      if (name === "batch") return (list: D1PreparedStatement[]) => call(() => target.batch(list));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Returns a bucket or queue whose calls go through `call`. */
export function methodsThrough<Binding extends R2Bucket | Queue>(real: Binding, call: Through): Binding {
  return new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...values: unknown[]) => call(async () => value.apply(target, values));
    },
  });
}
