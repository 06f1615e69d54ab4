import { Link } from "@remix-run/react";
import { cx } from "#app/components/ui/cx.ts";

/** Copyright line, the legal pages and, unless it is short, the ownership and trademark notice and software licenses. */
export function Footer({ isShort = false }: { isShort?: boolean }) {
  return (
    <footer
      className={cx(
        "mx-auto w-full px-4 text-xs text-muted print:hidden",
        isShort ? "mt-auto max-w-7xl py-2 sm:px-6" : "max-w-4xl py-5",
      )}
    >
      <div className={cx("flex flex-wrap items-center gap-x-4", isShort && "justify-center")}>
        <p>© {new Date().getUTCFullYear()} Odin. All rights reserved.</p>
        <nav aria-label="Legal" className="flex gap-4">
          <Link to="/terms" className="inline-flex min-h-target items-center underline hover:text-text">
            Terms of Service
          </Link>
          <Link to="/privacy" className="inline-flex min-h-target items-center underline hover:text-text">
            Privacy Policy
          </Link>
        </nav>
      </div>
      {!isShort && (
        <p className="mt-1">
          The Odin name and mark belong to their owner. Records shown in Odin belong to the agencies that
          collected them. Rekor, Axon and Axis are trademarks of their respective owners, named here only to
          identify the source of a read. Odin contains{" "}
          <a href="/licenses.txt" className="underline hover:text-text">
            open-source software and its licenses
          </a>
          .
        </p>
      )}
    </footer>
  );
}
