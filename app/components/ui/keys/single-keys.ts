import { useSyncExternalStore } from "react";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";

/** Kept per browser, for all of its tabs. WCAG 2.1.4 requires that users can turn single-key shortcuts off. */
const choice = storedChoice("odin-single-keys", (text) => (text === "off" ? "off" : "on"));

/** Returns whether single-key shortcuts are on. */
export const singleKeysAct = () => choice.get() === "on";

/** Turns single-key shortcuts on or off. */
export const letSingleKeysAct = (act: boolean) => choice.set(act ? "on" : "off");

/** Returns whether single-key shortcuts are on; undefined in the server's render, which does not know. */
export function useSingleKeys(): boolean | undefined {
  return useSyncExternalStore<boolean | undefined>(choice.subscribe, singleKeysAct, () => undefined);
}
