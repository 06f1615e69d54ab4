import { Link } from "@remix-run/react";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "#app/components/ui/button.tsx";
import { numberText } from "#app/lib/number-text.ts";

export type PageLinksProps = {
  page: number;
  pages: number;
  /** Returns the address of a page. */
  to: (page: number) => string;
  label?: string;
  /** Loads the whole document, for a screen without scripts. */
  reloadDocument?: boolean;
  /** Keeps the scroll position, for a list that does not begin the screen. */
  preventScrollReset?: boolean;
};

/** Links to the neighboring pages of a list, which work without scripts. A list of one page has none. */
export function PageLinks({ page, pages, to, label = "Pages", ...how }: PageLinksProps) {
  if (pages === 1) return null;
  return (
    <nav aria-label={label} className="flex items-center gap-2 print:hidden">
      <PageLink to={page > 1 ? to(page - 1) : undefined} {...how}>
        <ChevronLeft aria-hidden="true" />
        Previous
      </PageLink>
      <PageLink to={page < pages ? to(page + 1) : undefined} {...how}>
        Next
        <ChevronRight aria-hidden="true" />
      </PageLink>
      <span role="status" className="text-sm text-muted">
        Page {numberText(page)} of {numberText(pages)}
      </span>
    </nav>
  );
}

type PageLinkProps = Pick<PageLinksProps, "reloadDocument" | "preventScrollReset"> & {
  to: string | undefined;
  children: ReactNode;
};

function PageLink({ to, children, ...how }: PageLinkProps) {
  if (to === undefined)
    return (
      <span aria-disabled="true" className={buttonClass("secondary", "sm")}>
        {children}
      </span>
    );
  return (
    <Link to={to} {...how} className={buttonClass("secondary", "sm")}>
      {children}
    </Link>
  );
}
