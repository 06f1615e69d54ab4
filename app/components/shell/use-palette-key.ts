import { useRef } from "react";
import { topmost } from "#app/components/ui/dialogs/top-layer.ts";
import { useBrowserLayoutEffect } from "#app/components/ui/dialogs/use-browser-layout-effect.ts";

/**
 * Opens and closes the command palette by Ctrl K or Cmd K, unless another dialog is open. Apart from the palette, which
 * is loaded later, so that no press is lost.
 */
export function usePaletteKey(isOffered: boolean, open: boolean, onOpen: (open: boolean) => void): void {
  const latest = useRef({ open, onOpen });
  latest.current = { open, onOpen };
  useBrowserLayoutEffect(() => {
    if (!isOffered) return;
    function listen(event: KeyboardEvent) {
      const { open, onOpen } = latest.current;
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey || (topmost() && !open)) return;
      event.preventDefault();
      onOpen(!open);
    }
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [isOffered]);
}
