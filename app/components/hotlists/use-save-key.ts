import { useEffect, useRef, useState } from "react";
import type { FormValues } from "#app/components/forms/use-form-values.ts";

/**
 * A key that marks one save. The same content sent again keeps its key, so that it is saved once even if the first answer
 * was lost; changed content gets another key.
 */
export function useSaveKey(first: string, ...content: readonly (FormValues | unknown)[]): string {
  const [key, setKey] = useState(first);
  const known = useRef<string>();
  const { idempotency_key: _, ...typed } = (content[0] ?? {}) as FormValues;
  const now = content[0] === undefined ? undefined : JSON.stringify([typed, ...content.slice(1)]);
  useEffect(() => {
    if (now === undefined || now === known.current) return;
    if (known.current !== undefined) setKey(crypto.randomUUID());
    known.current = now;
  }, [now]);
  return key;
}
