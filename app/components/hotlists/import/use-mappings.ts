import { useCallback, useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import type { SavedMapping } from "#app/entities/hotlists/layout.ts";

/** The mappings that the agency has saved; none until they are loaded, and where they cannot be. */
export function useMappings(): { mappings: SavedMapping[]; reload: () => Promise<void> } {
  const [mappings, setMappings] = useState<SavedMapping[]>([]);
  const reload = useCallback(async () => {
    const answer = await callApi<{ mappings: SavedMapping[] }>("/hotlist/mappings", {
      background: true,
    });
    if (answer.ok) setMappings(answer.value.mappings);
  }, []);
  useEffect(() => {
    void reload();
  }, [reload]);
  return { mappings, reload };
}
