import { type RefObject, useContext, useEffect } from "react";
import { NonceContext } from "#app/components/shell/document-contexts.ts";
import { useHydrating } from "#app/components/ui/hydration.ts";

// The first rows of the results are in the page before its scripts have loaded, which takes seconds on a slow
// connection. A script in the page records the table's keys that are pressed meanwhile, and they act once the table
// responds.

type EarlyKey = { key: string; shiftKey: boolean };

declare global {
  interface Window {
    /** The recorded keys; undefined once they were taken, after which nothing more is recorded. */
    odinEarlyKeys?: EarlyKey[];
  }
}

// Listens on the window and stops the event there: otherwise React would also handle a key that arrives while it
// hydrates the table. React escapes quotes, ampersands and angle brackets, so the script has none.
const RECORD_KEYS = [
  "{",
  "const ofRow = [`ArrowDown`, `ArrowUp`, `PageDown`, `PageUp`, `Home`, `End`, `Enter`, ` `, `j`, `k`, `c`];",
  "const keys = window.odinEarlyKeys = [];",
  "addEventListener(`keydown`, function (event) {",
  "  const { target, key, shiftKey } = event;",
  "  if (window.odinEarlyKeys !== keys || event.ctrlKey || event.metaKey || event.altKey) return;",
  "  const acts = target.matches(`[role=grid] [data-row]`) ? ofRow : target === document.body ? [`j`, `k`] : [];",
  "  if (!acts.includes(key)) return;",
  "  keys.push({ key, shiftKey });",
  "  event.preventDefault();",
  "  event.stopPropagation();",
  "}, true);",
  "}",
].join("\n");

/** The script that records the keys. Part of the server's page only: browsers run no script that is added later. */
export function EarlyKeysScript() {
  const nonce = useContext(NonceContext);
  if (!useHydrating()) return null;
  return (
    <script nonce={nonce} suppressHydrationWarning>
      {RECORD_KEYS}
    </script>
  );
}

/** Lets the recorded keys act on a list whose handlers are in place, in their order. */
export function useEarlyKeys(list: RefObject<HTMLElement>): void {
  useEffect(() => {
    const keys = window.odinEarlyKeys ?? [];
    window.odinEarlyKeys = undefined;
    void press(keys, list);
  }, [list]);
}

async function press(keys: readonly EarlyKey[], list: RefObject<HTMLElement>): Promise<void> {
  for (const { key, shiftKey } of keys) {
    const focused = document.activeElement;
    // The user has moved the focus elsewhere meanwhile, for example to the filter.
    if (focused !== document.body && !list.current?.contains(focused)) return;
    focused?.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
    // The read is open, and later keys were not meant for it.
    if (key === "Enter") return;
    // Moving focuses the next row in the next frame.
    await new Promise(requestAnimationFrame);
  }
}
