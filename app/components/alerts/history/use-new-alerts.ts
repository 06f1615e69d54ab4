import { useState } from "react";
import { usePolling } from "#app/components/alerts/live/polling.ts";
import { callApi } from "#app/components/forms/api.ts";

/**
 * Returns the number of hits that arrived since the page was loaded, and whether the user may no longer see the group's
 * hits. The table does not change until the user asks.
 */
export function useNewAlerts(input: {
  groupId: string;
  query: URLSearchParams;
  plate: string;
  latest: string;
}): {
  count: number;
  isRefused: boolean;
} {
  const { groupId, query, plate, latest } = input;
  const parameters = new URLSearchParams(query);
  parameters.delete("older");
  parameters.delete("newer");
  parameters.set("latest", latest);
  if (plate) parameters.set("plate", plate);
  const filter = parameters.toString();
  const path = `/alerts/group/${encodeURIComponent(groupId)}/new`;
  const question = `${path}?${filter}`;
  const [found, setFound] = useState({ question, count: 0 });
  const [isRefused, setRefused] = useState(false);
  usePolling(
    async ({ signal }) => {
      const answer = await callApi<{ count: number }>(path, { json: { filter }, background: true, signal });
      if (answer.ok) {
        setFound({ question, count: answer.value.count });
        setRefused(false);
        return "ok";
      }
      if (answer.status === 401) return "stop";
      const mayNotSee = answer.status === 403 || answer.status === 404;
      if (mayNotSee) setRefused(true);
      return mayNotSee ? "seldom" : "failed";
    },
    { immediately: false },
  );
  // The answer may belong to a page or a filter that has been replaced since.
  return { count: found.question === question ? found.count : 0, isRefused };
}
