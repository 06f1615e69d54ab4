import { useRef } from "react";
import { topmost } from "#app/components/ui/dialogs/top-layer.ts";
import { useBrowserLayoutEffect } from "#app/components/ui/hydration.ts";
import { singleKeysAct } from "./single-keys.ts";

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
