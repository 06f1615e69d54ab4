import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { popover } from "#app/components/ui/floating.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { currentNotices, holdNotices, type Notice, notify, subscribeToNotices } from "./notify.ts";
import { useTopmost } from "./top-layer.ts";

const NONE: readonly Notice[] = [];
const MARKS = {
  success: <CircleCheck aria-hidden="true" className="text-ok" />,
  error: <CircleAlert aria-hidden="true" className="text-hit" />,
  info: <Info aria-hidden="true" className="text-accent" />,
};

/**
 * Renders the messages of `notify`, once, in the root. Our own because toast libraries insert a style element, which
 * our content security policy refuses.
 */
export function Toaster() {
  const notices = useSyncExternalStore(subscribeToNotices, currentNotices, () => NONE);
  const dialog = useTopmost();
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  if (!ready) return null;
  return createPortal(
    <Notices notices={notices} isInDialog={dialog !== undefined} />,
    dialog ?? document.body,
  );
}

type NoticesProps = { notices: readonly Notice[]; isInDialog: boolean };

/** On a page, above it in the corner. In a dialog, part of its layout, so that they do not cover its buttons. */
function Notices({ notices, isInDialog }: NoticesProps) {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = region.current;
    if (!element || isInDialog) return;
    if (notices.length === 0) return element.hidePopover();
    // Shown again, so that it is above a dialog or menu that opened after it.
    element.hidePopover();
    element.showPopover();
  }, [notices, isInDialog]);

  return (
    <>
      <div className="sr-only" aria-live="assertive">
        {notices.filter((notice) => notice.kind === "error").map(spoken)}
      </div>
      <div className="sr-only" aria-live="polite">
        {notices.filter((notice) => notice.kind !== "error").map(spoken)}
      </div>
      <section
        ref={region}
        aria-label="Messages"
        className={cx(
          "flex-col gap-2 text-text",
          isInDialog
            ? "-order-1 flex max-h-[40dvh] shrink-0 overflow-auto bg-surface p-2 empty:hidden"
            : "floating end-4 bottom-[var(--notices-from,1rem)] w-96 overflow-visible bg-transparent open:flex max-sm:end-2",
        )}
        onPointerEnter={() => holdNotices(true)}
        onPointerLeave={() => holdNotices(false)}
        onFocus={() => holdNotices(true)}
        onBlur={() => holdNotices(false)}
        {...(isInDialog ? {} : popover("manual"))}
      >
        {notices.map((notice) => (
          <div
            key={notice.id}
            data-notice={notice.kind}
            className={cx(
              "sheet flex animate-rise items-start gap-2.5 py-2 ps-3 pe-1.5 [&_svg]:size-4.5",
              notice.kind === "error" && "border-hit",
            )}
          >
            <span className="mt-1.5 shrink-0">{MARKS[notice.kind]}</span>
            <div className="min-w-0 flex-1 py-1.5">
              <p className="text-base font-medium wrap-anywhere">{notice.message}</p>
              {notice.description && <p className="mt-0.5 text-sm text-muted">{notice.description}</p>}
              {notice.action && (
                <Button
                  size="sm"
                  className="mt-2"
                  onClick={() => {
                    notice.action?.onSelect();
                    notify.dismiss(notice.id);
                  }}
                >
                  {notice.action.label}
                </Button>
              )}
            </div>
            <IconButton
              size="sm"
              label="Dismiss"
              side="top"
              icon={<X />}
              onClick={() => {
                holdNotices(false);
                notify.dismiss(notice.id);
              }}
            />
          </div>
        ))}
      </section>
    </>
  );
}

function spoken(notice: Notice) {
  return (
    <p key={notice.id}>
      {notice.message} {notice.description}
    </p>
  );
}
