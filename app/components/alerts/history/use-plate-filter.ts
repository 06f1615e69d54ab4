import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import type { AlertPage } from "#app/entities/alerts/hit.ts";

/**
 * Filters an alert history by plate with a POST request, because a plate must not appear in a URL. `found` is the page,
 * or undefined without a plate filter and while it loads.
 */
export function usePlateFilter(input: {
  groupId: string;
  query: URLSearchParams;
  again: number;
  /** The plate that was submitted before the scripts arrived. */
  early: string;
}) {
  const { groupId, query, again, early } = input;
  const [plate, setPlate] = useState(early);
  const [found, setFound] = useState<{ asked: string; page: AlertPage }>();
  const text = query.toString();
  const asked = `${plate} ${text}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new count loads again
  useEffect(() => {
    if (!plate) return setFound(undefined);
    const controller = new AbortController();
    const filter = new URLSearchParams(text);
    filter.set("plate", plate);
    void callApi<AlertPage>(`/alerts/group/${encodeURIComponent(groupId)}/find`, {
      json: { filter: filter.toString() },
      failed: "The alerts could not be filtered.",
      signal: controller.signal,
    }).then((answer) => {
      if (controller.signal.aborted) return;
      if (answer.ok) return setFound({ asked, page: answer.value });
      setPlate("");
      notify.error(answer.message);
    });
    return () => controller.abort();
  }, [plate, text, groupId, again]);
  return { plate, setPlate, found: found?.page, isLooking: plate !== "" && found?.asked !== asked };
}
