import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

export type Placement = { side?: "top" | "bottom" | "right"; align?: "start" | "center" | "end" };

const GAP = 6;
const MARGIN = 8;

/** Places an open popover beside its anchor, on the other side if it does not fit, always within the window. */
export function placeBeside(anchor: Element, floating: HTMLElement, placement: Placement = {}): void {
  const { side = "bottom", align = "start" } = placement;
  const a = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = floating;
  const view = document.documentElement;
  let top = side === "top" ? a.top - height - GAP : a.bottom + GAP;
  let left = align === "start" ? a.left : align === "end" ? a.right - width : a.left + (a.width - width) / 2;
  if (side === "right") {
    top = a.top + (a.height - height) / 2;
    left = a.right + GAP;
    if (left + width > view.clientWidth - MARGIN) left = a.left - width - GAP;
  } else if (
    side === "bottom" &&
    top + height > view.clientHeight - MARGIN &&
    a.top - height - GAP > MARGIN
  ) {
    top = a.top - height - GAP;
  } else if (side === "top" && top < MARGIN) {
    top = a.bottom + GAP;
  }
  floating.style.top = `${Math.max(MARGIN, Math.min(top, view.clientHeight - height - MARGIN))}px`;
  floating.style.left = `${Math.max(MARGIN, Math.min(left, view.clientWidth - width - MARGIN))}px`;
}

/** The popover attribute, which React 18's types lack. */
export function popover(kind: "auto" | "manual"): Record<string, string> {
  return { popover: kind };
}

export function isShown(floating: Element): boolean {
  return floating.matches(":popover-open");
}

type PopoverOptions<E> = {
  /** Shows the popover: places it and gives it the focus. */
  show: (popover: E) => void;
  /** Called after the popover was opened or closed, by the button or otherwise. */
  onToggle?: (isOpen: boolean) => void;
  /** Whether the button and the popover are rendered. */
  isRendered?: boolean;
};

/** A popover that a button opens and closes. `ref` is for the popover, `buttonEvents` are for the button. */
export function usePopover<E extends HTMLElement>({ show, onToggle, isRendered = true }: PopoverOptions<E>) {
  const ref = useRef<E>(null);
  const wasShown = useRef(false);
  const [isOpen, setIsOpen] = useState(false);
  const toggled = useRef(onToggle);
  toggled.current = onToggle;
  useEffect(() => {
    if (!isRendered) return;
    const element = ref.current;
    function follow(event: Event) {
      const nowOpen = event instanceof ToggleEvent && event.newState === "open";
      // React renders some time after a toggle. A key that is pressed before that must not go to another control.
      flushSync(() => setIsOpen(nowOpen));
      toggled.current?.(nowOpen);
    }
    element?.addEventListener("toggle", follow);
    return () => {
      element?.removeEventListener("toggle", follow);
      setIsOpen(false);
    };
  }, [isRendered]);

  function toggle() {
    const element = ref.current;
    if (!element) return;
    if (isShown(element)) element.hidePopover();
    // A press of the pointer has already closed an open popover, so its state before the press counts.
    else if (!wasShown.current) show(element);
    wasShown.current = false;
  }

  return {
    ref,
    isOpen,
    toggle,
    hide: () => ref.current?.hidePopover(),
    buttonEvents: {
      onPointerDown: () => {
        wasShown.current = ref.current ? isShown(ref.current) : false;
      },
      onKeyDown: () => {
        wasShown.current = false;
      },
      onClick: toggle,
    },
  };
}
