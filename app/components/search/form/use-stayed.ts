import { useNavigation } from "@remix-run/react";
import { useEffect, useRef } from "react";

/** Calls `undo` when results that were opening did not open: the session ended, and the lock kept this screen. */
export function useStayed(isOpening: boolean, undo: () => void): void {
  const { state } = useNavigation();
  const hasLeft = useRef(false);
  const latest = useRef(undo);
  latest.current = undo;
  useEffect(() => {
    if (state !== "idle") hasLeft.current = isOpening;
    else if (hasLeft.current) {
      hasLeft.current = false;
      latest.current();
    }
  }, [state, isOpening]);
}
