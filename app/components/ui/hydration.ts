import { useEffect, useLayoutEffect, useSyncExternalStore } from "react";

const never = () => () => {};

/** Returns true in the server render and in the browser render that hydrates it, false afterwards. */
export function useHydrating(): boolean {
  return useSyncExternalStore(
    never,
    () => false,
    () => true,
  );
}

/**
 * A layout effect that React does not warn about on the server. Key listeners are added in it, because a key can be
 * pressed between the paint and an ordinary effect.
 */
export const useBrowserLayoutEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;
