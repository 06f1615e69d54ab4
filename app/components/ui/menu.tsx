import { Check } from "lucide-react";
import {
  cloneElement,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useId,
  useRef,
} from "react";
import { cx } from "./cx.ts";
import { placeBeside, popover, usePopover } from "./floating.ts";

type TriggerProps = {
  id?: string;
  "aria-haspopup"?: "menu";
  "aria-expanded"?: boolean;
  "aria-controls"?: string;
  onClick?: (event: MouseEvent<HTMLElement>) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
  onPointerDown?: () => void;
};

export type MenuProps = {
  /** A Button or IconButton. */
  trigger: ReactElement<TriggerProps>;
  /** Names the menu for screen readers. */
  label: string;
  /** MenuItem, MenuLabel, MenuSeparator. */
  children: ReactNode;
};

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")];
}

/** A menu in the top layer: arrows, Home, End and first letters move; Escape and a press outside close it. */
export function Menu({ trigger, label, children }: MenuProps) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const { ref, isOpen, buttonEvents } = usePopover<HTMLDivElement>({ show });

  function show(menu: HTMLElement, last = false) {
    const button = anchor.current?.querySelector("button");
    if (!button) return;
    menu.showPopover();
    placeBeside(button, menu, { align: "end" });
    itemsOf(menu)
      .at(last ? -1 : 0)
      ?.focus();
  }

  function move(event: KeyboardEvent<HTMLDivElement>) {
    const items = itemsOf(event.currentTarget);
    const focused = document.activeElement;
    const at = focused instanceof HTMLElement ? items.indexOf(focused) : -1;
    const letter = event.key.length === 1 && event.key !== " " ? event.key.toLowerCase() : "";
    let next: HTMLElement | undefined;
    if (event.key === "ArrowDown") next = items[(at + 1) % items.length];
    else if (event.key === "ArrowUp") next = items.at(at <= 0 ? -1 : at - 1);
    else if (event.key === "Home") next = items[0];
    else if (event.key === "End") next = items.at(-1);
    else if (event.key === "Tab") return event.currentTarget.hidePopover();
    else if (letter && !event.ctrlKey && !event.metaKey && !event.altKey) {
      next = [...items.slice(at + 1), ...items.slice(0, at + 1)].find((item) =>
        item.textContent?.trim().toLowerCase().startsWith(letter),
      );
    } else return;
    event.preventDefault();
    event.stopPropagation();
    next?.focus();
  }

  return (
    <span ref={anchor} className="inline-flex">
      {cloneElement(trigger, {
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
        "aria-controls": id,
        ...buttonEvents,
        onKeyDown: (event) => {
          buttonEvents.onKeyDown();
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          if (ref.current) show(ref.current, event.key === "ArrowUp");
        },
      })}
      <div
        ref={ref}
        id={id}
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className="sheet floating min-w-44 overflow-auto p-1 outline-none"
        onKeyDown={move}
        {...popover("auto")}
      >
        {children}
      </div>
    </span>
  );
}

export type MenuItemProps = {
  onSelect: () => void;
  icon?: ReactNode;
  /** Makes the item a choice that is on or off. */
  checked?: boolean;
  /** One of several choices, of which one is on. */
  radio?: boolean;
  danger?: boolean;
  children: ReactNode;
};

export function MenuItem({
  onSelect,
  icon,
  checked,
  radio = false,
  danger = false,
  children,
}: MenuItemProps) {
  const choice = checked !== undefined;
  return (
    <button
      type="button"
      {...(choice
        ? { role: radio ? "menuitemradio" : "menuitemcheckbox", "aria-checked": checked }
        : { role: "menuitem" })}
      tabIndex={-1}
      className={cx(
        "flex min-h-control-sm w-full items-center gap-2 rounded-sm px-2 text-start text-base whitespace-nowrap [&_svg]:size-4 [&_svg]:shrink-0",
        "hover:bg-hover focus:bg-hover",
        danger && "text-hit",
      )}
      onClick={(event) => {
        event.currentTarget.closest<HTMLElement>("[role=menu]")?.hidePopover();
        onSelect();
      }}
    >
      {choice && <Check aria-hidden="true" className={cx("text-accent", !checked && "invisible")} />}
      {icon}
      <span className="flex-1">{children}</span>
    </button>
  );
}
