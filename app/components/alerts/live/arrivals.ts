import { useEffect, useState } from "react";
import type { LiveAlert } from "#app/entities/alerts/hit.ts";
import { createListeners } from "#app/lib/listeners.ts";

const listeners = createListeners<[arrived: readonly LiveAlert[]]>();

/** Notifies the open screen of new hits. Reloading from the server instead would extend the session. */
export const announceArrivals = listeners.notify;

/** Returns the arrival time of the newest hit of each group since the screen opened, by group id. */
export function useLastArrivals(): ReadonlyMap<string, string> {
  const [last, setLast] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => listeners.subscribe((arrived) => setLast((before) => withArrivals(before, arrived))), []);
  return last;
}

function withArrivals(
  before: ReadonlyMap<string, string>,
  arrived: readonly LiveAlert[],
): ReadonlyMap<string, string> {
  const after = new Map(before);
  for (const { group_id, arrived_at } of arrived)
    if (arrived_at > (after.get(group_id) ?? "")) after.set(group_id, arrived_at);
  return after;
}
