import { useEffect, useState } from "react";
import { usePolling } from "#app/components/alerts/live/polling.ts";
import { callApi } from "#app/components/forms/api.ts";

/** How many hits have come since a page of a history was drawn. They are told, not moved in under the pointer. */
export function useNewAlerts(input: {
  groupId: string;
  query: URLSearchParams;
  plate: string;
  latest: string;
}): number {
  const { groupId, query, plate, latest } = input;
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page starts anew
  useEffect(() => setCount(0), [latest, groupId, plate]);
  usePolling(
    async ({ signal }) => {
      const asked = new URLSearchParams(query);
      asked.delete("older");
      asked.delete("newer");
      asked.set("latest", latest);
      if (plate) asked.set("plate", plate);
      const path = `/alerts/group/${encodeURIComponent(groupId)}/new`;
      const answer = await callApi<{ count: number }>(path, {
        json: { filter: asked.toString() },
        background: true,
        signal,
      });
      if (answer.ok) setCount(answer.value.count);
      else if ([401, 403, 404].includes(answer.status)) return "stop";
      return answer.ok ? "ok" : "failed";
    },
    { immediately: false },
  );
  return count;
}
