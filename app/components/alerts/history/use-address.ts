import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { type AddressAnswer, addressWords } from "#app/components/map/use-address.ts";
import { MESSAGES } from "#app/entities/messages.ts";

/**
 * The nearest address of a hit in words; `known` is what the page came with, for browsers without scripts. Our server
 * asks, never the browser.
 */
export function useAlertAddress(id: string, known: AddressAnswer | undefined): string {
  const [found, setFound] = useState<{ id: string; text: string }>();
  useEffect(() => {
    const leave = new AbortController();
    const path = `/api/alerts/${encodeURIComponent(id)}/address`;
    callApi<AddressAnswer>(path, { signal: leave.signal }).then((answer) => {
      if (leave.signal.aborted) return;
      setFound({ id, text: answer.ok ? addressWords(answer.value) : MESSAGES.unavailable });
    });
    return () => leave.abort();
  }, [id]);
  if (found?.id === id) return found.text;
  return known ? addressWords(known) : "Looking it up…";
}
