import { useEffect, useState } from "react";
import type { LiveAlert } from "#app/entities/alerts/hit.ts";

type Listener = (arrived: readonly LiveAlert[]) => void;

const listeners = new Set<Listener>();

/** Notifies the open screen of new hits. Reloading from the server instead would extend the session. */
export function announceArrivals(arrived: readonly LiveAlert[]): void {
  for (const listener of listeners) listener(arrived);
}

/** Returns the arrival time of the newest hit of each group since the screen opened, by group id. */
export function useLastArrivals(): ReadonlyMap<string, string> {
  const [last, setLast] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    const listener: Listener = (arrived) =>
      setLast((before) => {
        const after = new Map(before);
        for (const { group_id, arrived_at } of arrived)
          if (arrived_at > (after.get(group_id) ?? "")) after.set(group_id, arrived_at);
        return after;
      });
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return last;
}
