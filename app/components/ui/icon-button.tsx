import {
  type ButtonHTMLAttributes,
  forwardRef,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
} from "react";
import { type ButtonVariant, buttonClass } from "./button.tsx";
import { cx } from "./cx.ts";
import { isShown, type Placement, placeBeside, popover } from "./floating.ts";
import { Spinner } from "./spinner.tsx";

/**
 * Whether the user last pressed a key, not a mouse button. Safari also matches `:focus-visible` when a script moves the
 * focus after a click, for example into a dialog.
 */
let lastPressWasKey = true;

if (typeof document !== "undefined") {
  const options = { capture: true };
  document.addEventListener(
    "keydown",
    () => {
      lastPressWasKey = true;
    },
    options,
  );
  document.addEventListener(
    "pointerdown",
    () => {
      lastPressWasKey = false;
    },
    options,
  );
}

export type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label" | "children"> &
  Placement & {
    /** The button's name for screen readers, and its tooltip. */
    label: string;
    icon: ReactNode;
    /** The key that does the same, shown in the tooltip. */
    shortcut?: string;
    variant?: ButtonVariant;
    size?: "sm" | "md";
    pending?: boolean;
  };

export const IconButton = forwardRef<HTMLButtonElement, IconButtonProps>(function IconButton(
  {
    label,
    icon,
    shortcut,
    variant = "ghost",
    size = "md",
    pending = false,
    side,
    align,
    className,
    disabled = false,
    ...rest
  },
  ref,
) {
  const tip = shortcut ? (
    <>
      {label} <kbd className="ms-1 font-mono text-muted">{shortcut}</kbd>
    </>
  ) : (
    label
  );
  return (
    <Tooltip tip={tip} side={side} align={align}>
      <button
        ref={ref}
        type="button"
        aria-label={label}
        aria-keyshortcuts={shortcut}
        aria-busy={pending || undefined}
        disabled={disabled || pending}
        className={cx(
          buttonClass(variant, "md"),
          "!px-0",
          size === "sm" ? "size-control-sm min-h-0" : "size-control",
          className,
        )}
        {...rest}
      >
        {pending ? <Spinner /> : icon}
      </button>
    </Tooltip>
  );
});

const DELAY_MS = 400;

type TooltipProps = Placement & {
  /** A short text that repeats the control's name. */
  tip: ReactNode;
  /** One focusable element. */
  children: ReactElement;
};

/** A tooltip on hover and focus. It is in the top layer, so that no table or dialog clips it. Escape closes it. */
function Tooltip({ tip, children, side = "bottom", align = "center" }: TooltipProps) {
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
      onFocus={(event) => event.target.matches(":focus-visible") && lastPressWasKey && show(0)}
      onBlur={hide}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !bubble.current || !isShown(bubble.current)) return;
        event.preventDefault();
        event.stopPropagation();
        hide();
      }}
    >
      {children}
      <span
        ref={bubble}
        role="tooltip"
        aria-hidden="true"
        className="sheet floating pointer-events-none w-max max-w-72 px-2 py-1 text-xs text-text"
        {...popover("manual")}
      >
        {tip}
      </span>
    </span>
  );
}
