import { noticeText } from "#app/components/alerts/text.ts";
import { cx } from "#app/components/ui/cx.ts";
import type { ExpiryNotice } from "#app/entities/alerts/hit.ts";

/** Notices about the viewer's own plates in a group: expiring within a week or a day, or expired. */
export function ExpiryNotices({ notices }: { notices: readonly ExpiryNotice[] }) {
  if (notices.length === 0) return null;
  return (
    <ul aria-label="Expiring plates" className="flex flex-col gap-2">
      {notices.map((notice) => (
        <li
          key={notice.id}
          className={cx(
            "rounded-md px-3 py-2 text-sm font-medium",
            notice.stage === "expired" ? "bg-hit-soft text-hit" : "bg-warn-soft text-warn",
          )}
        >
          {noticeText(notice)}
        </li>
      ))}
    </ul>
  );
}
