import { type RefObject, useEffect, useRef } from "react";

/**
 * For an uncontrolled field outside of a form of its own, such as a filter: once scripts are there, `take` gets what was
 * typed or chosen before.
 */
export function useTypedBefore<E extends HTMLInputElement | HTMLSelectElement>(
  take: (value: string) => void,
): RefObject<E> {
  const field = useRef<E>(null);
  const first = useRef(take);
  useEffect(() => {
    const value = field.current?.value;
    if (value) first.current(value);
  }, []);
  return field;
}
