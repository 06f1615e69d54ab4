import { forwardRef, type ReactNode, type TableHTMLAttributes } from "react";
import { cx } from "./cx.ts";

export type TableProps = TableHTMLAttributes<HTMLTableElement> & {
  /** What the table lists, for screen readers. */
  caption: string;
  density?: "compact" | "regular";
};

/** A table with a sticky head. `<tr aria-selected>` is tinted and `.num` cells align right. Put it in a TableBox, or use DataTable. */
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

/** The widths of a table's box below which its rows are cards; `card:` and `row:` in app.css have them in rem. */
const CARDS_BELOW = {
  narrow: "@container/cards-narrow",
  medium: "@container/cards-medium",
  wide: "@container/cards-wide",
  widest: "@container/cards-widest",
};

type TableBoxProps = {
  label: string;
  /** Without it, the rows are never cards. */
  cardsBelow?: keyof typeof CARDS_BELOW;
  className?: string;
  children: ReactNode;
};

/** The scrolling frame of a table; the keyboard scrolls it too. */
export function TableBox({ label, cardsBelow, className, children }: TableBoxProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      className={cx(
        "relative overflow-auto rounded-md border border-line bg-raised print:overflow-visible print:border-none",
        cardsBelow && `card-rows ${CARDS_BELOW[cardsBelow]}`,
        className,
      )}
    >
      {children}
    </section>
  );
}

/** A column by its title. */
export type Column =
  | string
  | {
      title: string;
      numeric?: boolean;
      /** Shows the title to screen readers only. */
      hidden?: boolean;
      className?: string;
    };

/** A column of buttons. */
export const ACTIONS_COLUMN: Column = { title: "Actions", hidden: true };

/** The head of a table. */
export function TableHead({ columns }: { columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const { title, numeric, hidden, className }: Exclude<Column, string> =
            typeof column === "string" ? { title: column } : column;
          return (
            <th key={title} scope="col" className={cx(numeric && "num", className)}>
              {hidden ? <span className="sr-only">{title}</span> : title}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

type DataTableProps = TableProps &
  Pick<TableBoxProps, "cardsBelow"> & {
    /** The name of the scrolling box; by default the caption. */
    label?: string;
    columns: readonly Column[];
    boxClass?: string;
  };

/** A table in its scrolling box. Its children are the rows. */
export function DataTable({ label, columns, cardsBelow, boxClass, children, ...rest }: DataTableProps) {
  return (
    <TableBox label={label ?? rest.caption} cardsBelow={cardsBelow} className={boxClass}>
      <Table {...rest}>
        <TableHead columns={columns} />
        <tbody>{children}</tbody>
      </Table>
    </TableBox>
  );
}
