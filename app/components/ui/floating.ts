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
