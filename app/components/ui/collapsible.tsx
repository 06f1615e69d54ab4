import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";

export type CollapsibleProps = {
  title: ReactNode;
  /** Before the title, outside of the area that toggles the group: the select-all box. */
  lead?: ReactNode;
  /** At the right of the header: a count, a status. */
  aside?: ReactNode;
  defaultOpen?: boolean;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  children: ReactNode;
};

/** A collapsible group, as `<details>`, so that find-in-page opens it. */
export function Collapsible({
  title,
  lead,
  aside,
  defaultOpen = false,
  open,
  onOpenChange,
  children,
}: CollapsibleProps) {
  return (
    <div className="relative rounded-md border border-line bg-raised">
      {lead && <div className="absolute start-2 top-0 z-1 flex h-control items-center">{lead}</div>}
      <details
        className="fold"
        open={open ?? defaultOpen}
        onToggle={(event) => onOpenChange?.(event.currentTarget.open)}
      >
        <summary
          className={cx(
            "flex min-h-control items-center gap-2 rounded-md pe-2.5 text-base font-medium hover:bg-hover",
            lead ? "ps-10 coarse:ps-14" : "ps-2.5",
          )}
        >
          <span className="min-w-24 flex-1 py-1 wrap-anywhere">{title}</span>
          {aside && <span className="text-xs font-normal text-muted">{aside}</span>}
          <ChevronRight
            aria-hidden="true"
            className="fold-mark size-4 shrink-0 text-muted transition-[rotate]"
          />
        </summary>
        <div className="border-t border-line p-2.5">{children}</div>
      </details>
    </div>
  );
}
