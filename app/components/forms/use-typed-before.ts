import { type RefObject, useEffect, useRef } from "react";

/**
 * For an uncontrolled field without its own form, such as a filter: passes what was typed or chosen before hydration to
 * `take`.
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
