import { useEffect, useRef, useState } from "react";
import type { FormValues } from "#app/components/forms/use-form-values.ts";

/**
 * Returns the idempotency key of a save. Sending the same content again keeps the key, so that a retry after a lost answer
 * saves once; changed content gets a new key. `values` is undefined until scripts have read the form.
 */
export function useSaveKey(
  first: string,
  values: FormValues | undefined,
  ...more: readonly unknown[]
): string {
  const [key, setKey] = useState(first);
  const lastContent = useRef<string>();
  const { idempotency_key: _, ...typed }: FormValues = values ?? {};
  const content = values === undefined ? undefined : JSON.stringify([typed, ...more]);
  useEffect(() => {
    if (content === undefined || content === lastContent.current) return;
    if (lastContent.current !== undefined) setKey(crypto.randomUUID());
    lastContent.current = content;
  }, [content]);
  return key;
}
