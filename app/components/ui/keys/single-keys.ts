import { useRef, useSyncExternalStore } from "react";
import { topmost } from "#app/components/ui/dialogs/top-layer.ts";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";
import { useBrowserLayoutEffect } from "#app/components/ui/hydration.ts";

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

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches(
        "textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit])",
      ))
  );
}

/**
 * Runs the handler when the key (`event.key`) is pressed anywhere, except while the user types, holds a modifier, has
 * turned single-key shortcuts off, or has a dialog open.
 */
export function useHotkey(key: string, handler: (event: KeyboardEvent) => void): void {
  const latest = useRef(handler);
  latest.current = handler;
  useBrowserLayoutEffect(() => {
    function listen(event: KeyboardEvent) {
      if (event.key !== key || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey)
        return;
      if (isTyping(event.target) || topmost() || !singleKeysAct()) return;
      latest.current(event);
    }
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [key]);
}
