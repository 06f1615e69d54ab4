import { type ReactNode, useEffect, useId, useRef } from "react";
import { buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { type Placement, placeBeside, popover, usePopover } from "#app/components/ui/floating.ts";

export type PanelProps = Pick<Placement, "align"> & {
  /** The content of the button. */
  label: ReactNode;
  /** The accessible name of the panel. */
  title: string;
  buttonClassName?: string;
  className?: string;
  children: ReactNode;
};

/** A button with a panel of controls in the top layer. Escape or a click outside closes it. */
export function Panel({ label, title, buttonClassName, className, children, align }: PanelProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const { ref, isOpen, buttonEvents } = usePopover<HTMLElement>({ show: (panel) => panel.showPopover() });

  // The content is rendered only while the panel is open, and the panel is placed by its size.
  useEffect(() => {
    if (!isOpen || !button.current || !ref.current) return;
    placeBeside(button.current, ref.current, { align });
    ref.current.querySelector<HTMLElement>("input, select, button, a")?.focus();
  }, [isOpen, ref, align]);

  return (
    <span className="inline-flex max-w-full">
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        className={cx(buttonClassName ?? buttonClass("secondary", "sm"), "max-w-full")}
        {...buttonEvents}
      >
        {label}
      </button>
      <section
        ref={ref}
        id={id}
        aria-label={title}
        className={cx("sheet floating max-h-[80dvh] overflow-auto p-3 text-base", className)}
        {...popover("auto")}
      >
        {isOpen && children}
      </section>
    </span>
  );
}
