import { useEffect, useState } from "react";
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
    fetch(`/api/alerts/${encodeURIComponent(id)}/address`, { signal: leave.signal })
      .then(async (answer) => {
        if (!answer.ok) throw new Error(String(answer.status));
        setFound({ id, text: addressWords(await answer.json()) });
      })
      .catch(() => {
        if (!leave.signal.aborted) setFound({ id, text: MESSAGES.unavailable });
      });
    return () => leave.abort();
  }, [id]);
  if (found?.id === id) return found.text;
  return known ? addressWords(known) : "Looking it up…";
}
