import type { AppContext } from "#app/context.ts";

type Batch = (statements: readonly unknown[]) => Promise<unknown>;

/** Returns the context with a database whose batches run as `around` says. */
export function withBatches(
  app: AppContext,
  around: (run: Batch, statements: readonly unknown[]) => Promise<unknown>,
): AppContext {
  const db = new Proxy(app.db, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const bound = value.bind(target);
      return name === "batch" ? (statements: readonly unknown[]) => around(bound, statements) : bound;
    },
  });
  return { ...app, db };
}

/** Returns the context of a worker that dies at its first batch: before it is written, or before its answer arrives. */
export function dyingWorker(app: AppContext, { isWritten }: { isWritten: boolean }): AppContext {
  return withBatches(app, async (run, statements) => {
    if (isWritten) await run(statements);
    throw new Error("the worker died");
  });
}

/** Returns the context with a database before whose first batch something else happens. */
export function beforeWrite(app: AppContext, act: () => Promise<unknown>): AppContext {
  let hasActed = false;
  return withBatches(app, async (run, statements) => {
    if (!hasActed) {
      hasActed = true;
      await act();
    }
    return run(statements);
  });
}
