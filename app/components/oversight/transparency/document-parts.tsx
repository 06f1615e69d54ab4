import { createContext, type ReactNode, useContext } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { STATISTIC_WORDS } from "#app/entities/oversight/transparency-words.ts";

const Level = createContext<2 | 3>(2);

/** Sets the heading level of a document's sections. */
export const HeadingLevel = Level.Provider;

export function Section({ title, children }: { title: string; children: ReactNode }) {
  const Heading = useContext(Level) === 2 ? "h2" : "h3";
  return (
    <section className="mt-8">
      <Heading className="break-after-avoid text-xl font-semibold tracking-tight">{title}</Heading>
      {children}
    </section>
  );
}

/** The heading of a part of a section. */
export function Subheading({ children }: { children: ReactNode }) {
  const Heading = useContext(Level) === 2 ? "h3" : "h4";
  return <Heading className="mt-6 break-after-avoid font-semibold">{children}</Heading>;
}

export type StatisticsColumn = { name: string; wide?: boolean };

/**
 * A statistics table with a visible caption, row headers and right-aligned numbers. A wide table scrolls in a focusable
 * box and prints in full.
 */
export function StatisticsTable({
  caption,
  columns,
  rows,
}: {
  caption: string;
  columns: readonly (StatisticsColumn | string)[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
}) {
  if (rows.length === 0) return <p className="mt-3 text-sm text-muted">{STATISTIC_WORDS.first_month}</p>;
  const heads = columns.map((column) => (typeof column === "string" ? { name: column } : column));
  // On a phone, a table with many columns hides its bars to make room for the numbers.
  const hidden = heads.length > 3 && "max-sm:hidden";
  return (
    <section
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be focusable
      tabIndex={0}
      className="mt-3 overflow-x-auto print:overflow-visible"
    >
      <table className="w-full border-collapse text-sm">
        <caption className="pb-1.5 text-start text-xs text-muted">{caption}</caption>
        <thead>
          <tr className="border-b border-line-strong">
            {heads.map(({ name, wide }, at) => (
              <th
                key={name}
                scope="col"
                className={cx(
                  "px-2 py-1.5 align-bottom text-xs font-medium text-muted first:ps-0 last:pe-0",
                  at === 0 || wide ? "text-start" : "text-end",
                  at === 0 && "sticky start-0 bg-surface",
                  wide && cx("w-2/5", hidden),
                )}
              >
                {wide ? <span className="sr-only">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key} className="break-inside-avoid border-b border-line">
              {cells.map((cell, at) => {
                const { name, wide } = heads[at] ?? { name: String(at) };
                if (at === 0) {
                  return (
                    <th
                      key={name}
                      scope="row"
                      className="sticky start-0 bg-surface py-1.5 pe-2 text-start font-normal whitespace-nowrap"
                    >
                      {cell}
                    </th>
                  );
                }
                return (
                  <td
                    key={name}
                    className={cx(
                      "px-2 py-1.5 last:pe-0",
                      wide ? hidden : "text-end whitespace-nowrap tabular-nums",
                    )}
                  >
                    {cell}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
