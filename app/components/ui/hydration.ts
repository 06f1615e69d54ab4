import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Returns true in the server render and in the browser render that hydrates it, false afterwards. */
export function useHydrating(): boolean {
  return useSyncExternalStore(
    never,
    () => false,
    () => true,
  );
}
