import { useEffect, useState } from "react";

const SETTLED_MS = 700;

/** Returns a text only after it has not changed for a while, so that screen readers announce it once. */
export function useDebouncedText(text: string, isMoving = false): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    if (isMoving) return;
    const wait = setTimeout(() => setSettled(text), SETTLED_MS);
    return () => clearTimeout(wait);
  }, [text, isMoving]);
  return settled;
}
