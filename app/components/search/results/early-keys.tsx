import { type RefObject, useContext, useEffect } from "react";
import { NonceContext } from "#app/components/shell/document-contexts.ts";
import { useHydrating } from "#app/components/ui/hydration.ts";

// The first rows of the results are in the page before its scripts have loaded, which takes seconds on a slow connection.
// The keys of the table that are pressed meanwhile are recorded by a script in the page, and act once the table answers.

type EarlyKey = { key: string; shiftKey: boolean };

declare global {
  interface Window {
    /** The recorded keys; undefined once they were taken, and nothing more is recorded. */
    odinEarlyKeys?: EarlyKey[];
  }
}

// On the window, and stopped there: React would also pass a key on that arrives while it hydrates the table. React escapes
// quotes, ampersands and angle brackets, so the script has none.
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
    // The user has gone elsewhere meanwhile, for example to the filter.
    if (focused !== document.body && !list.current?.contains(focused)) return;
    focused?.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
    // The read is open, and the keys after this one were not meant for it.
    if (key === "Enter") return;
    // Moving focuses the next row in the next frame.
    await new Promise(requestAnimationFrame);
  }
}
