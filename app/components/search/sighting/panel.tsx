import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { isShown, type Placement, placeBeside, popover } from "#app/components/ui/floating.ts";

export type PanelProps = Placement & {
  /** What the button shows. */
  label: ReactNode;
  /** The accessible name of the panel. */
  title: string;
  buttonClassName?: string;
  className?: string;
  children: ReactNode;
};

/** A button with a panel of controls in the top layer. Escape or a click outside closes it. */
export function Panel({ label, title, buttonClassName, className, children, side, align }: PanelProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  const wasShown = useRef(false);
  const [open, setOpen] = useState(false);

  useEffect(() => {
    const element = panel.current;
    const follow = (event: Event) => setOpen(event instanceof ToggleEvent && event.newState === "open");
    element?.addEventListener("toggle", follow);
    return () => element?.removeEventListener("toggle", follow);
  }, []);

  // The content is rendered only while the panel is open; its size is needed to place it.
  useEffect(() => {
    if (!open || !button.current || !panel.current) return;
    placeBeside(button.current, panel.current, { side, align });
    panel.current.querySelector<HTMLElement>("input, select, button, a")?.focus();
  }, [open, side, align]);

  return (
    <span className="inline-flex max-w-full">
      <button
        ref={button}
        type="button"
        aria-expanded={open}
        aria-controls={id}
        className={cx(buttonClassName ?? buttonClass("secondary", "sm"), "max-w-full")}
        onPointerDown={() => {
          wasShown.current = panel.current ? isShown(panel.current) : false;
        }}
        onKeyDown={() => {
          wasShown.current = false;
        }}
        onClick={() => {
          const element = panel.current;
          // A press of the pointer has already closed an open panel, so this checks its state before the press.
          if (element && isShown(element)) element.hidePopover();
          else if (!wasShown.current) element?.showPopover();
          wasShown.current = false;
        }}
      >
        {label}
      </button>
      <section
        ref={panel}
        id={id}
        aria-label={title}
        className={cx("sheet floating max-h-[80dvh] overflow-auto p-3 text-base", className)}
        {...popover("auto")}
      >
        {open && children}
      </section>
    </span>
  );
}
