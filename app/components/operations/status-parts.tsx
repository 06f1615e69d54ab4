// Parts of the status screen: sections, times, and lists of facts.

import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { LocalTime } from "#app/components/ui/local-time.tsx";

type PartProps = { title: string; link?: { to: string; label: string }; children: ReactNode };

export function Part({ title, link, children }: PartProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <div className="flex items-baseline justify-between gap-3">
        <h2 className="text-lg font-semibold">{title}</h2>
        {link && (
          <Link
            to={link.to}
            className="inline-flex min-h-target items-center text-sm text-accent underline underline-offset-2"
          >
            {link.label}
          </Link>
        )}
      </div>
      {children}
    </section>
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

export const percentOf = (fill: number) => `${Math.round(fill * 100)}%`;
