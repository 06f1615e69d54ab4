import { useEffect, useRef, useState } from "react";
import { notify } from "#app/components/ui/dialogs/notify.ts";

const SHOWN_MS = 1500;

/** Copies text to the clipboard; `copied` is true for a moment after success. */
export function useCopy(): { copied: boolean; copy: (text: string) => Promise<void> } {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(timer.current), []);

  async function copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setCopied(false), SHOWN_MS);
    } catch {
      notify.error("The browser did not allow copying.", { description: text });
    }
  }
  return { copied, copy };
}
