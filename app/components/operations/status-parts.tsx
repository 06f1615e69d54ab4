// Parts of the status screen: sections, small tables, times, and lists of facts.

import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";

type PartProps = { title: string; link?: { to: string; label: string }; children: ReactNode };

export function Part({ title, link, children }: PartProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <div className="flex items-baseline justify-between gap-3">
        <h2 className="text-lg font-semibold">{title}</h2>
        {link && (
          <Link to={link.to} className="text-sm text-accent underline underline-offset-2">
            {link.label}
          </Link>
        )}
      </div>
      {children}
    </section>
  );
}

type GridProps = { caption: string; heads: (string | { number: string })[]; children: ReactNode };

export function Grid({ caption, heads, children }: GridProps) {
  return (
    <TableBox label={caption}>
      <Table caption={caption} density="compact">
        <thead>
          <tr>
            {heads.map((head) =>
              typeof head === "string" ? (
                <ColumnHeader key={head}>{head}</ColumnHeader>
              ) : (
                <ColumnHeader key={head.number} numeric>
                  {head.number}
                </ColumnHeader>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </Table>
    </TableBox>
  );
}

/** A time, or the words for none. */
export function When({ at, none = "never" }: { at: number | null; none?: string }) {
  return at === null ? <span className="text-muted">{none}</span> : <LocalTime at={at} short />;
}

/** Facts as a list of terms. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 rounded-md border border-line bg-raised p-3 text-sm">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
