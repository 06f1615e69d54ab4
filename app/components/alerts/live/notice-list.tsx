import { Link } from "@remix-run/react";
import { noticeText } from "#app/components/alerts/words.ts";
import { cx } from "#app/components/ui/cx.ts";
import type { ExpiryNotice } from "#app/entities/alerts/hit.ts";

export type NoticeListProps = { notices: readonly ExpiryNotice[]; isOpen: boolean; onFollow: () => void };

/** Notices that plates expire, each a link to their group. */
export function NoticeList({ notices, isOpen, onFollow }: NoticeListProps) {
  if (notices.length === 0) return null;
  return (
    <ul aria-label="Expiring plates" className="max-h-40 overflow-auto border-b border-line p-1">
      {notices.map((notice) => (
        <li key={notice.id}>
          <Link
            to={`/groups/${encodeURIComponent(notice.group_id)}`}
            tabIndex={isOpen ? 0 : -1}
            className="flex items-center gap-3 rounded-sm px-2 py-1.5 text-sm hover:bg-hover"
            onClick={onFollow}
          >
            <span
              aria-hidden="true"
              className={cx("size-2 shrink-0 rounded-full", notice.seen ? "bg-transparent" : "bg-warn")}
            />
            <span className="min-w-0 wrap-anywhere">
              {!notice.seen && <span className="sr-only">Unread. </span>}
              {noticeText(notice)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
