import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { useBrowserLayoutEffect } from "#app/components/ui/hydration.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import {
  currentNotices,
  holdNotices,
  type Notice,
  notify,
  setNoticeReader,
  subscribeToNotices,
} from "./notify.ts";
import { useMessageDialog, usePageCover } from "./top-layer.ts";

const NONE: readonly Notice[] = [];
const EDGES = { success: "border-s-ok", error: "border-s-hit", info: "border-s-accent" };
const MARKS = {
  success: <CircleCheck aria-hidden="true" className="text-ok" />,
  error: <CircleAlert aria-hidden="true" className="text-hit" />,
  info: <Info aria-hidden="true" className="text-accent" />,
};

/**
 * Renders the messages of `notify`, once, in the navigation bar or in the topmost dialog. There they are part of the
 * layout, because a message that floats would cover controls. Not a library, because toast libraries insert a style
 * element, which our content security policy refuses. The session lock shows only messages that are not about the page.
 */
export function Toaster({ userId }: { userId: string | undefined }) {
  const notices = useSyncExternalStore(subscribeToNotices, currentNotices, () => NONE);
  const dialog = useMessageDialog();
  const cover = usePageCover();
  useBrowserLayoutEffect(() => setNoticeReader(userId), [userId]);
  const ofPage = cover ? notices.filter(({ onLock }) => !onLock) : notices;
  const messages = <Notices notices={ofPage} isInDialog={dialog !== undefined} />;
  return (
    <>
      {dialog ? createPortal(messages, dialog) : messages}
      {cover && createPortal(<Notices notices={notices.filter(({ onLock }) => onLock)} isInDialog />, cover)}
    </>
  );
}

type NoticesProps = { notices: readonly Notice[]; isInDialog: boolean };

function Notices({ notices, isInDialog }: NoticesProps) {
  return (
    <>
      <div className="sr-only" aria-live="assertive">
        {notices.filter((notice) => notice.kind === "error").map(spoken)}
      </div>
      <div className="sr-only" aria-live="polite">
        {notices.filter((notice) => notice.kind !== "error").map(spoken)}
      </div>
      <section
        aria-label="Messages"
        className={cx(
          "max-h-[40dvh] shrink-0 divide-y divide-line overflow-auto border-line bg-raised text-text empty:hidden",
          isInDialog ? "-order-1 border-b" : "border-t",
        )}
        onPointerEnter={() => holdNotices(true)}
        onPointerLeave={() => holdNotices(false)}
        onFocus={() => holdNotices(true)}
        onBlur={() => holdNotices(false)}
      >
        {notices.map((notice) => (
          <div
            key={notice.id}
            data-notice={notice.kind}
            className={cx(
              "flex items-start gap-2.5 border-s-4 py-1 ps-3 pe-1.5 [&_svg]:size-4.5",
              EDGES[notice.kind],
            )}
          >
            <span className="mt-1.5 shrink-0">{MARKS[notice.kind]}</span>
            <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1 py-1.5">
              <p className="text-base font-medium wrap-anywhere">{notice.message}</p>
              {notice.description && <p className="text-sm text-muted">{notice.description}</p>}
              {notice.action && (
                <Button
                  size="sm"
                  onClick={() => {
                    // The pressed button is removed without a blur event.
                    holdNotices(false);
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
              align="end"
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
