import { useLocation } from "@remix-run/react";
import { type RefObject, useEffect, useRef } from "react";

/**
 * For an uncontrolled field without its own form, such as a filter: passes to `take` what was typed or chosen before
 * hydration, or the text that the command palette searches for.
 */
export function useTypedBefore<E extends HTMLInputElement | HTMLSelectElement>(
  take: (value: string) => void,
  wanted = "",
): RefObject<E> {
  const field = useRef<E>(null);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    if (wanted && field.current) field.current.value = wanted;
    const value = field.current?.value;
    if (value) latest.current(value);
  }, [wanted]);
  return field;
}

/** Returns the text that the command palette searches for on the screen that it opened; empty otherwise. */
export function useWantedText(): string {
  const state: unknown = useLocation().state;
  return state instanceof Object && "find" in state && typeof state.find === "string" ? state.find : "";
}
