import { useSyncExternalStore } from "react";

const KEY = "odin-single-keys";
const listeners = new Set<() => void>();

/** What was chosen where the browser keeps nothing: it holds until the page is left. */
let unkept: boolean | undefined;

/** Whether a key without a modifier may act on the whole page. WCAG 2.1.4 wants it to be the user's choice. */
export function singleKeysAct(): boolean {
  if (unkept !== undefined) return unkept;
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

/** Chooses for this browser, in all of its tabs. */
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

/** The choice as it stands, or undefined while the page is still the server's, which knows of none. */
export function useSingleKeys(): boolean | undefined {
  return useSyncExternalStore<boolean | undefined>(subscribe, singleKeysAct, () => undefined);
}
