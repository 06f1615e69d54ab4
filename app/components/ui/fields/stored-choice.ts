import { useSyncExternalStore } from "react";

/** A choice of the user, stored in this browser and shared by everything on the page that shows it. */
export type StoredChoice<T> = {
  get: () => T;
  set: (value: T) => void;
  subscribe: (listener: () => void) => () => void;
  /** Returns the choice; the default in the server's render. */
  use: () => T;
};

/** Returns a choice under a localStorage key. `parse` turns the stored text, or null, into a valid choice. */
export function storedChoice<T extends string | number>(
  key: string,
  parse: (text: string | null) => T,
): StoredChoice<T> {
  const listeners = new Set<() => void>();
  // Storage may be blocked; then the choice lasts as long as the page.
  let unkept: T | undefined;

  function get(): T {
    if (unkept !== undefined) return unkept;
    try {
      return parse(localStorage.getItem(key));
    } catch {
      return parse(null);
    }
  }
  function subscribe(listener: () => void) {
    listeners.add(listener);
    addEventListener("storage", listener);
    return () => {
      listeners.delete(listener);
      removeEventListener("storage", listener);
    };
  }
  return {
    get,
    subscribe,
    set: (value) => {
      unkept = undefined;
      try {
        localStorage.setItem(key, String(value));
      } catch {
        unkept = value;
      }
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore<T>(subscribe, get, () => parse(null)),
  };
}
