/** Bindings that fail now and then, as the real ones do: before they did what they were asked, after it, or late. */

type Faults = { chance: () => number; rate: number };

/** The same bindings with faulty databases, buckets and queues; `injected` counts what went wrong. */
export function faultyBindings<T extends object>(
  env: T,
  { chance, rate }: Faults,
): { env: T; injected: () => number } {
  let injected = 0;

  async function perhaps<R>(act: () => Promise<R>): Promise<R> {
    const draw = chance();
    if (draw >= rate) return act();
    injected++;
    // A third each: nothing was done; it was done and nobody hears of it; it was done late.
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
          if (METHODS.has(String(name))) return perhaps(async () => act());
          const made = act();
          // A statement that is prepared or bound runs later, and fails then.
          return name === "prepare" || name === "bind" ? wrap(made as object) : made;
        };
      },
    });
    originals.set(proxy, target);
    return proxy;
  }

  /** A batch takes the statements themselves. */
  function unwrapped(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(unwrapped);
    return typeof value === "object" && value !== null ? (originals.get(value) ?? value) : value;
  }

  const faulty = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      /^(DB|READS_\d+|IMAGES|ATTACHMENTS|KEYS|BACKUPS|ALERTS)$/.test(name) ? wrap(value as object) : value,
    ]),
  );
  return { env: faulty as T, injected: () => injected };
}
