import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Returns whether the page that the server drew is being taken over, not drawn by the browser. */
export function useHydrating(): boolean {
  return useSyncExternalStore(
    never,
    () => false,
    () => true,
  );
}
