import { useSyncExternalStore } from "react";

const KEY = "odin-single-keys";
const listeners = new Set<() => void>();

/** The choice of a browser that refuses storage; it lasts as long as the page. */
let unkept: boolean | undefined;

/** Returns whether single-key shortcuts are on. WCAG 2.1.4 requires that users can turn them off. */
export function singleKeysAct(): boolean {
  if (unkept !== undefined) return unkept;
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

/** Turns single-key shortcuts on or off for this browser, in all of its tabs. */
export function letSingleKeysAct(act: boolean): void {
  unkept = undefined;
  try {
    localStorage.setItem(KEY, act ? "on" : "off");
  } catch {
    unkept = act;
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

/** Returns whether single-key shortcuts are on; undefined in the server's render, which does not know. */
export function useSingleKeys(): boolean | undefined {
  return useSyncExternalStore<boolean | undefined>(subscribe, singleKeysAct, () => undefined);
}
