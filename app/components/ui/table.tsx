import { ArrowDown, ArrowUp, ArrowUpDown } from "lucide-react";
import { forwardRef, type ReactNode, type TableHTMLAttributes, type ThHTMLAttributes } from "react";
import { cx } from "./cx.ts";

export type TableProps = TableHTMLAttributes<HTMLTableElement> & {
  /** What the table lists, for screen readers. */
  caption: string;
  density?: "compact" | "regular";
};

/** A table with a sticky head. `<tr aria-selected>` is tinted and `.num` cells align right. Put it in a TableBox. */
export const Table = forwardRef<HTMLTableElement, TableProps>(function Table(
  { caption, density = "regular", className, children, ...rest },
  ref,
) {
  return (
    <table ref={ref} data-density={density} className={cx("data-table", className)} {...rest}>
      <caption className="sr-only">{caption}</caption>
      {children}
    </table>
  );
});

/** The scrolling frame of a table; the keyboard scrolls it too. */
export function TableBox({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      className={cx("relative overflow-auto rounded-md border border-line bg-raised", className)}
    >
      {children}
    </section>
  );
}

type SortDirection = "ascending" | "descending";

export type ColumnHeaderProps = ThHTMLAttributes<HTMLTableCellElement> & {
  /** Makes the column sortable. `direction` is undefined while another column sorts the table. */
  onSort?: () => void;
  direction?: SortDirection;
  numeric?: boolean;
};

export function ColumnHeader({
  onSort,
  direction,
  numeric = false,
  className,
  children,
  ...rest
}: ColumnHeaderProps) {
  const Mark = direction === "ascending" ? ArrowUp : direction === "descending" ? ArrowDown : ArrowUpDown;
  return (
    <th
      scope="col"
      aria-sort={onSort ? (direction ?? "none") : undefined}
      className={cx(numeric && "num", className)}
      {...rest}
    >
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className={cx(
            "inline-flex min-h-target items-center gap-1 rounded-sm hover:text-text",
            direction && "text-text",
          )}
        >
          {children}
          <Mark aria-hidden="true" className={cx("size-3.5", !direction && "opacity-45")} />
        </button>
      ) : (
        children
      )}
    </th>
  );
}

/** The head of a column of buttons, for screen readers only. */
export function ActionsHeader() {
  return (
    <ColumnHeader>
      <span className="sr-only">Actions</span>
    </ColumnHeader>
  );
}
