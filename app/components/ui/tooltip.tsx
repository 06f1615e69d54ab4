import { cloneElement, type ReactElement, type ReactNode, useEffect, useId, useRef } from "react";
import { isShown, type Placement, placeBeside, popover } from "./floating.ts";

const DELAY_MS = 400;

type TriggerProps = { "aria-describedby"?: string };

export type TooltipProps = Placement & {
  /** A short text. */
  tip: ReactNode;
  /** False if the text only repeats the trigger's name. */
  describes?: boolean;
  /** One focusable element. */
  children: ReactElement<TriggerProps>;
};

/** A hint on hover and focus. It is in the top layer, so that no table or dialog clips it. Escape closes it. */
export function Tooltip({
  tip,
  describes = true,
  children,
  side = "bottom",
  align = "center",
}: TooltipProps) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const bubble = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();

  useEffect(() => () => clearTimeout(timer.current), []);

  function hide() {
    clearTimeout(timer.current);
    if (bubble.current && isShown(bubble.current)) bubble.current.hidePopover();
  }
  function show(delay: number) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const target = anchor.current?.firstElementChild;
      if (!target || !bubble.current?.isConnected || isShown(bubble.current)) return;
      bubble.current.showPopover();
      placeBeside(target, bubble.current, { side, align });
    }, delay);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only watches the control within
    <span
      ref={anchor}
      className="inline-flex"
      onPointerEnter={(event) => event.pointerType === "mouse" && show(DELAY_MS)}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={(event) => event.target.matches(":focus-visible") && show(0)}
      onBlur={hide}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !bubble.current || !isShown(bubble.current)) return;
        event.preventDefault();
        event.stopPropagation();
        hide();
      }}
    >
      {describes ? cloneElement(children, { "aria-describedby": id }) : children}
      <span
        ref={bubble}
        id={id}
        role="tooltip"
        aria-hidden={describes ? undefined : true}
        className="sheet floating pointer-events-none w-max max-w-72 px-2 py-1 text-xs text-text"
        {...popover("manual")}
      >
        {tip}
      </span>
    </span>
  );
}
