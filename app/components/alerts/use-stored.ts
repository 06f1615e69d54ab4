import { useEffect, useState } from "react";

/** A choice that the browser stores. The first render has the default, because the server does not know the choice. */
export function useStored<Value extends string>(
  name: string,
  initial: Value,
  values: readonly Value[],
): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(initial);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once
  useEffect(() => {
    try {
      const stored = localStorage.getItem(name);
      const known = values.find((option) => option === stored);
      if (known !== undefined) setValue(known);
    } catch {
      // A browser without storage shows the default.
    }
  }, [name]);
  return [
    value,
    (next) => {
      setValue(next);
      try {
        localStorage.setItem(name, next);
      } catch {
        // Without storage, the choice lasts until the user leaves the page.
      }
    },
  ];
}
