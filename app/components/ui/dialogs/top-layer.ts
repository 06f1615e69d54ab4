import { useSyncExternalStore } from "react";

type Layer = {
  element: HTMLElement;
  /** The session lock: nothing of the page may be shown in it. */
  hidesPage: boolean;
};

// A modal dialog makes everything outside of it inert, so messages are rendered within the topmost one.
const open: Layer[] = [];
const listeners = new Set<() => void>();

function changed() {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Registers a modal dialog. Returns the function that removes it. */
export function enterTopLayer(element: HTMLElement, { hidesPage = false } = {}): () => void {
  const layer = { element, hidesPage };
  open.push(layer);
  changed();
  return () => {
    const index = open.indexOf(layer);
    if (index >= 0) open.splice(index, 1);
    changed();
  };
}

export function topmost(): HTMLElement | undefined {
  return open.at(-1)?.element;
}

/** Returns the open dialog that hides the page, if one does. */
export function pageCover(): HTMLElement | undefined {
  return open.find(({ hidesPage }) => hidesPage)?.element;
}

/**
 * Returns the dialog that shows the page's messages: the topmost, or the one below the dialog that hides the page.
 * Undefined if the page itself shows them.
 */
export function messageDialog(): HTMLElement | undefined {
  const cover = open.findIndex(({ hidesPage }) => hidesPage);
  return (cover < 0 ? open : open.slice(0, cover)).at(-1)?.element;
}

const NONE = () => undefined;

export function useMessageDialog(): HTMLElement | undefined {
  return useSyncExternalStore(subscribe, messageDialog, NONE);
}

export function usePageCover(): HTMLElement | undefined {
  return useSyncExternalStore(subscribe, pageCover, NONE);
}
