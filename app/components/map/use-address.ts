import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { addressText, type NearestAddress } from "#app/entities/search/address.ts";

const LOOKING = "Looking it up…";
/** Looks up an address only if a read stays open this long. */
const DWELL_MS = 150;

/**
 * Returns the nearest address of a read; undefined if no read is open. Odin's server calls the geocoder, never the browser.
 * The read may get another row while the results grow.
 */
export function useAddress(
  resultId: string,
  read: { id: string; row: number } | undefined,
): string | undefined {
  const { id, row } = read ?? {};
  const [found, setFound] = useState<{ id: string; text: string } | null>(null);
  useEffect(() => {
    if (id === undefined) return;
    const abort = new AbortController();
    const wait = setTimeout(async () => {
      const path = `/results/${encodeURIComponent(resultId)}/sightings/${row}/address`;
      const answer = await callApi<NearestAddress>(path, { handles401: true, signal: abort.signal });
      if (abort.signal.aborted) return;
      setFound({ id, text: answer.ok ? addressWords(answer.value) : MESSAGES.unavailable });
    }, DWELL_MS);
    return () => {
      clearTimeout(wait);
      abort.abort();
    };
  }, [resultId, id, row]);
  if (id === undefined) return undefined;
  return found?.id === id ? found.text : LOOKING;
}

/** Returns the text of an address on a screen, as people write it. */
export function addressWords({ address, approximate }: NearestAddress): string {
  if (address === null || address === "") return MESSAGES.unavailable;
  return approximate ? `${address} (approximate)` : addressText(address);
}
