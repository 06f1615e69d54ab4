import { useSyncExternalStore } from "react";

// A modal dialog makes everything outside of it inert, so messages are rendered within the topmost one.
const open: HTMLElement[] = [];
const listeners = new Set<() => void>();

function changed() {
  for (const listener of listeners) listener();
}

/** Registers a modal dialog. Returns the function that removes it. */
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

/** Returns the topmost open dialog, or undefined if none is open. */
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
