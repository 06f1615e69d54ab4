/** Bindings that sometimes fail like real ones: before the operation, after it, or by being slow. */

type Faults = { chance: () => number; rate: number };

/** Returns the bindings with faulty databases, buckets and queues; `injected` returns the number of faults. */
export function faultyBindings<T extends object>(
  env: T,
  { chance, rate }: Faults,
): { env: T; injected: () => number } {
  let injected = 0;

  async function withFaults<R>(act: () => Promise<R>): Promise<R> {
    const draw = chance();
    if (draw >= rate) return act();
    injected++;
    // A third each: failed without effect, failed after taking effect, slow.
    if (draw < rate / 3) throw new Error("injected: before");
    const result = await act();
    if (draw < (2 * rate) / 3) throw new Error("injected: after");
    await new Promise((resolve) => setTimeout(resolve, 5));
    return result;
  }

  const METHODS = new Set([
    "first",
    "run",
    "all",
    "raw",
    "batch",
    "exec",
    "put",
    "get",
    "delete",
    "send",
    "sendBatch",
  ]);
  const originals = new WeakMap<object, object>();

  function wrap<O extends object>(target: O): O {
    const proxy = new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== "function") return value;
        return (...values: unknown[]) => {
          const act = () => (value as (...all: unknown[]) => unknown).apply(target, values.map(unwrapped));
          if (METHODS.has(String(name))) return withFaults(async () => act());
          const made = act();
          // Prepared and bound statements run later, so they are wrapped, too.
          return name === "prepare" || name === "bind" ? wrap(made as object) : made;
        };
      },
    });
    originals.set(proxy, target);
    return proxy;
  }

  /** Replaces proxies by their targets, because a batch needs the real statements. */
  function unwrapped(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(unwrapped);
    return typeof value === "object" && value !== null ? (originals.get(value) ?? value) : value;
  }

  const faulty = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      /^(DB|READS_\d+|IMAGES|ATTACHMENTS|KEYS|BACKUPS|ALERTS|WEBHOOKS)$/.test(name)
        ? wrap(value as object)
        : value,
    ]),
  );
  return { env: faulty as T, injected: () => injected };
}
