import { useState } from "react";

/**
 * The idempotency keys of a form. Sending the same content again keeps the key, so that a retry after a lost answer saves
 * once; changed content, and any after a success, gets a new key.
 */
export function useSaveKey() {
  const [keys] = useState(() => {
    let last: { key: string; content: string } | undefined;
    return {
      of(content: string): string {
        if (last?.content !== content) last = { key: crypto.randomUUID(), content };
        return last.key;
      },
      forget() {
        last = undefined;
      },
    };
  });
  return keys;
}
