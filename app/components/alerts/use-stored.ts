import { useEffect, useState } from "react";

/** A choice that this browser keeps. The first render has the default: the server knows of none. */
export function useStored<Value extends string>(
  name: string,
  initial: Value,
  isValue: (text: string) => boolean,
): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(initial);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read once
  useEffect(() => {
    try {
      const kept = localStorage.getItem(name);
      if (kept !== null && isValue(kept)) setValue(kept as Value);
    } catch {
      // A browser that keeps nothing shows the default.
    }
  }, [name]);
  return [
    value,
    (next) => {
      setValue(next);
      try {
        localStorage.setItem(name, next);
      } catch {
        // It holds until the page is left.
      }
    },
  ];
}
