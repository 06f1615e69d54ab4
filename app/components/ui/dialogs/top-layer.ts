import { useSyncExternalStore } from "react";
import { createListeners } from "#app/lib/listeners.ts";

type Layer = {
  element: HTMLElement;
  /** The session lock: nothing of the page may be shown in it. */
  hidesPage: boolean;
};

// A modal dialog makes everything outside of it inert, so messages are rendered within the topmost one.
const open: Layer[] = [];
const listeners = createListeners();

/** Registers a modal dialog. Returns the function that removes it. */
export function enterTopLayer(element: HTMLElement, { hidesPage = false } = {}): () => void {
  const layer = { element, hidesPage };
  open.push(layer);
  listeners.notify();
  return () => {
    const index = open.indexOf(layer);
    if (index >= 0) open.splice(index, 1);
    listeners.notify();
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
  return useSyncExternalStore(listeners.subscribe, messageDialog, NONE);
}

export function usePageCover(): HTMLElement | undefined {
  return useSyncExternalStore(listeners.subscribe, pageCover, NONE);
}
