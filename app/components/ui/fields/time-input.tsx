import { type RefObject, useEffect, useRef, useState } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { localTime } from "#app/lib/time/dates.ts";
import { instantAt, type RangeEdge } from "#app/lib/time/wall-clock.ts";
import { Input, type InputProps } from "./input.tsx";

export type TimeInputProps = Omit<InputProps, "type" | "plate"> & {
  type?: "datetime-local" | "time";
  /** The end of a range that the time is for, which decides in the hour that clocks repeat. */
  edge?: RangeEdge;
  input?: RefObject<HTMLInputElement>;
  /** The shown time, for a field that scripts write without firing events. */
  at?: number;
};

const LATEST = "9999-12-31T23:59:59";

/**
 * A browser's time field with its time below it as the rest of Odin writes times: 24 hours, with the zone. Browsers show
 * the field itself in the format of their own language, which no page can change.
 */
export function TimeInput({ type = "datetime-local", edge = "start", input, at, ...rest }: TimeInputProps) {
  const ownInput = useRef<HTMLInputElement>(null);
  const field = input ?? ownInput;
  const [value, setValue] = useState("");
  // Forms also write into their fields by script, and announce that with an event of the form or a new render.
  useEffect(() => setValue(field.current?.value ?? ""));
  useEffect(() => {
    const element = field.current;
    const watched = element?.form ?? element;
    if (!element || !watched) return;
    const read = () => setValue(element.value);
    // A reset empties the fields after its event.
    const readLater = () => setTimeout(read);
    watched.addEventListener("input", read);
    watched.addEventListener("reset", readLater);
    return () => {
      watched.removeEventListener("input", read);
      watched.removeEventListener("reset", readLater);
    };
  }, [field]);
  return (
    <span className="flex min-w-0 flex-col gap-0.5">
      {/* With a latest time, browsers take years of four digits only. */}
      <Input ref={field} type={type} max={type === "time" ? undefined : LATEST} {...rest} />
      {/* Empty until scripts know the viewer's zone; a field that has a time at first keeps the space. */}
      <span
        aria-hidden="true"
        data-written-time
        className={cx(
          "text-xs text-muted tabular-nums noscript:hidden",
          rest.defaultValue ? "block min-h-4" : "empty:hidden",
        )}
      >
        {at === undefined ? writtenTime(value, edge) : localTime(at)}
      </span>
    </span>
  );
}

/** Returns a field's time as Odin writes it, in the viewer's zone; "" if it is incomplete or clocks skip it. */
function writtenTime(value: string, edge: RangeEdge): string {
  if (/^\d\d:\d\d/.test(value)) return value.slice(0, 5);
  const text = localTime(instantAt(value, edge) ?? null) ?? "";
  const hasSeconds = value.length > "2026-11-20T14:03".length;
  return hasSeconds ? text : text.replace(/:\d\d(?= )/, "");
}
