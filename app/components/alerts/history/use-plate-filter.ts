import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import type { AlertPage } from "#app/entities/alerts/hit.ts";

/**
 * The page of a history under a plate: asked for beside the address, in which no plate may stand. Undefined where no
 * plate is asked for, and until the page is there.
 */
export function usePlateFilter(input: {
  groupId: string;
  query: URLSearchParams;
  again: number;
  /** The plate that was asked for before the scripts arrived. */
  early: string;
}) {
  const { groupId, query, again, early } = input;
  const [plate, setPlate] = useState(early);
  const [found, setFound] = useState<{ asked: string; page: AlertPage }>();
  const text = query.toString();
  const asked = `${plate} ${text}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new count asks again
  useEffect(() => {
    if (!plate) return setFound(undefined);
    const leave = new AbortController();
    const filter = new URLSearchParams(text);
    filter.set("plate", plate);
    void callApi<AlertPage>(`/alerts/group/${encodeURIComponent(groupId)}/find`, {
      json: { filter: filter.toString() },
      failed: "The alerts could not be filtered.",
      signal: leave.signal,
    }).then((answer) => {
      if (leave.signal.aborted) return;
      if (answer.ok) return setFound({ asked, page: answer.value });
      setPlate("");
      notify.error(answer.message);
    });
    return () => leave.abort();
  }, [plate, text, groupId, again]);
  return { plate, setPlate, found: found?.page, isLooking: plate !== "" && found?.asked !== asked };
}
