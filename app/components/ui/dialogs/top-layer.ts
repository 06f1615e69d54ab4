import { useSyncExternalStore } from "react";

// A modal dialog makes all that lies outside of it inert, messages included: they are drawn within the topmost one.
const open: HTMLElement[] = [];
const listeners = new Set<() => void>();

function changed() {
  for (const listener of listeners) listener();
}

/** Announces a modal dialog; gives the function that takes it away. */
export function enterTopLayer(element: HTMLElement): () => void {
  open.push(element);
  changed();
  return () => {
    const index = open.indexOf(element);
    if (index >= 0) open.splice(index, 1);
    changed();
  };
}

export function topmost(): HTMLElement | undefined {
  return open.at(-1);
}

/** The topmost open dialog, or undefined where there is none. */
export function useTopmost(): HTMLElement | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    topmost,
    () => undefined,
  );
}
