import { X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useId, useRef } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { useBrowserLayoutEffect } from "#app/components/ui/hydration.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { enterTopLayer, pageCover, topmost, usePageCover } from "./top-layer.ts";

export type DialogSize = "sm" | "md" | "lg" | "xl" | "full";

const SIZES: Record<DialogSize, string> = {
  sm: "w-96",
  md: "w-136",
  lg: "w-180",
  xl: "w-270",
  full: "w-screen h-dvh",
};

export type DialogProps = {
  open: boolean;
  title: ReactNode;
  description?: ReactNode;
  footer?: ReactNode;
  size?: DialogSize;
  /** Hides the header; the title still names the dialog for screen readers. */
  bare?: boolean;
  /** Focused first. By default the element with autoFocus, or else the first focusable one. */
  initialFocus?: RefObject<HTMLElement>;
  /** Shows nothing of the page, not even its messages. */
  hidesPage?: boolean;
  role?: "dialog" | "alertdialog";
  className?: string;
  children?: ReactNode;
} & (
  | {
      /** Called for Escape, the close button and a press outside. */
      onClose: () => void;
      /** Keeps all of these from closing it, for example during a save. */
      locked?: boolean;
    }
  | { onClose?: undefined; locked: true }
);

/**
 * A native modal dialog: the page behind is inert, Escape closes only the topmost, and the focus returns. While another
 * dialog hides the page, a dialog that the page opens waits.
 */
export function Dialog(props: DialogProps) {
  return props.open ? <OpenDialog {...props} /> : null;
}

function OpenDialog(props: DialogProps) {
  const { onClose, title, description, footer, children, className } = props;
  const { size = "md", locked = false, bare = false, hidesPage = false, role = "dialog" } = props;
  const id = useId();
  const { dialog, show } = useModal(props);
  const pressedOutside = useRef(false);
  useHeldEscape(dialog, locked);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key, through the cancel event
    <dialog
      ref={dialog}
      role={role === "alertdialog" ? role : undefined}
      data-hides-page={hidesPage || undefined}
      aria-labelledby={`${id}-title`}
      // The text of an alert is read out with its title.
      aria-describedby={description || role === "alertdialog" ? `${id}-description` : undefined}
      className={cx(
        // It may be in a table cell: reset the cell's wrapping and text size.
        "sheet m-auto text-start text-base font-normal whitespace-normal max-h-[calc(100dvh-2rem)] max-w-[calc(100vw-2rem)] overflow-auto p-0 open:flex open:flex-col low:max-h-dvh",
        "max-sm:mb-0 max-sm:w-screen max-sm:max-w-none max-sm:rounded-b-none",
        size === "full" && "!m-0 !max-h-none !max-w-none rounded-none border-none",
        SIZES[size],
        className,
      )}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (!locked) onClose?.();
      }}
      onClose={(event) => {
        // The browser may close the dialog anyway, on a second Escape or a phone's Back button.
        if (event.target !== event.currentTarget || !event.currentTarget.isConnected) return;
        if (locked) show();
        else onClose?.();
      }}
      onPointerDown={(event) => {
        pressedOutside.current = event.target === event.currentTarget;
      }}
      onClick={(event) => {
        if (!locked && pressedOutside.current && event.target === event.currentTarget) onClose?.();
      }}
    >
      <DialogHead id={id} {...{ title, description, bare, locked, onClose }} />
      <div
        id={role === "alertdialog" && !description ? `${id}-description` : undefined}
        className={cx(
          "relative min-h-0 flex-auto overflow-auto low:min-h-24",
          !bare && Boolean(children) && "p-4",
        )}
      >
        {children}
      </div>
      {footer && (
        <footer className="flex flex-wrap justify-end gap-2 border-t border-line bg-surface px-4 py-3">
          {footer}
        </footer>
      )}
    </dialog>
  );
}

/** Opens the dialog as a modal while it is rendered, or as soon as no other dialog hides the page. */
function useModal({ initialFocus, hidesPage = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = useRef(false);
  const waits = usePageCover() !== undefined && !hidesPage && !isOpen.current;

  function show() {
    dialog.current?.showModal();
    initialFocus?.current?.focus();
  }

  // The cleanup runs while the element is still in the page, so that close() can return the focus.
  useBrowserLayoutEffect(() => {
    const element = dialog.current;
    // The hiding dialog may have been rendered at the same time.
    if (!element || (pageCover() && !hidesPage)) return;
    const before = document.activeElement;
    isOpen.current = true;
    show();
    const leave = enterTopLayer(element, { hidesPage });
    return () => {
      leave();
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [waits]);

  return { dialog, show };
}

/**
 * Prevents Escape from closing a locked dialog. Browsers let a page prevent only the first cancel event after an action
 * of the user. Listens on the document, because the focus may be outside of the dialog, and before any handler that may
 * close it.
 */
function useHeldEscape(dialog: RefObject<HTMLDialogElement>, locked: boolean): void {
  useEffect(() => {
    if (!locked) return;
    const hold = (event: KeyboardEvent) => {
      if (event.key === "Escape" && topmost() === dialog.current) event.preventDefault();
    };
    document.addEventListener("keydown", hold, true);
    return () => document.removeEventListener("keydown", hold, true);
  }, [dialog, locked]);
}

type DialogHeadProps = Pick<DialogProps, "title" | "description" | "bare" | "locked" | "onClose"> & {
  /** The prefix of the ids of the title and the description, which name the dialog. */
  id: string;
};

/** Not a header element, which would be a second banner of the page. */
function DialogHead({ id, title, description, bare, locked, onClose }: DialogHeadProps) {
  return (
    <div className={cx("flex items-start gap-3 border-b border-line py-2.5 ps-4 pe-2.5", bare && "sr-only")}>
      <div className="min-w-0 flex-1 py-1">
        <h2 id={`${id}-title`} className="text-lg font-semibold wrap-anywhere">
          {title}
        </h2>
        {description && (
          <p id={`${id}-description`} className="mt-0.5 text-sm text-muted wrap-anywhere">
            {description}
          </p>
        )}
      </div>
      {!bare && (
        <IconButton
          label="Close"
          icon={<X />}
          onClick={onClose}
          // Escape closes the dialog, not just the tooltip of this button, which has the focus first.
          onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
          disabled={locked}
        />
      )}
    </div>
  );
}
