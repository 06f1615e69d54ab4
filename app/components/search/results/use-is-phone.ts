import { useSyncExternalStore } from "react";

/** Narrower than Tailwind's `sm`, where rows become cards. */
const PHONE = "(width < 40rem)";

/** Returns whether the window is as narrow as a phone; false until hydration, since the server does not know. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(PHONE);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => matchMedia(PHONE).matches,
    () => false,
  );
}
