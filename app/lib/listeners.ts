/** The listeners of a value that is kept outside of React, as `useSyncExternalStore` needs them. */
export type Listeners<Args extends unknown[]> = {
  subscribe: (listener: (...args: Args) => void) => () => void;
  notify: (...args: Args) => void;
};

/** Returns a new, empty list of listeners. `subscribe` returns the function that removes the listener. */
export function createListeners<Args extends unknown[] = []>(): Listeners<Args> {
  const listeners = new Set<(...args: Args) => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    notify(...args) {
      for (const listener of listeners) listener(...args);
    },
  };
}
