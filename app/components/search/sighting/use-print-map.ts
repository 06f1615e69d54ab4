import { useState } from "react";
import { flushSync } from "react-dom";
import { callApi } from "#app/components/forms/api.ts";
import { isMappable } from "#app/entities/search/sighting.ts";

type Place = { latitude: number | null; longitude: number | null };

/** After so long the page is printed without a map. */
const PATIENCE_MS = 3000;

/** Prints the open read: its map is asked for first, drawn by the server as in a report, and is there when it comes. */
export function usePrintMap(row: number) {
  const [drawn, setDrawn] = useState<{ row: number; source: string }>();
  const [isDrawing, setIsDrawing] = useState(false);
  async function printWithMap({ latitude, longitude }: Place): Promise<void> {
    if (drawn?.row !== row && latitude !== null && longitude !== null && isMappable(latitude, longitude)) {
      setIsDrawing(true);
      const source = await askSnapshot({ latitude, longitude });
      flushSync(() => setIsDrawing(false));
      if (source) flushSync(() => setDrawn({ row, source }));
    }
    print();
  }
  return { map: drawn?.row === row ? drawn.source : undefined, isDrawing, printWithMap };
}

async function askSnapshot(place: { latitude: number; longitude: number }): Promise<string | undefined> {
  try {
    const answer = await callApi<{ map_data_uri: string }>("/generate-map-snapshot", {
      json: place,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!answer.ok) return undefined;
    const { map_data_uri } = answer.value;
    // Decoded before the page is laid out for paper.
    const image = new Image();
    image.src = map_data_uri;
    await image.decode();
    return map_data_uri;
  } catch {
    return undefined;
  }
}
