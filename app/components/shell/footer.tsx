import { Link } from "@remix-run/react";

/** Copyright line and ownership and trademark notice. */
export function Footer() {
  return (
    <footer className="mx-auto w-full max-w-4xl px-4 py-5 text-xs text-muted">
      <div className="flex flex-wrap items-center gap-x-4">
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
      <p className="mt-1">
        The Odin name and mark belong to their owner. Records shown in Odin belong to the agencies that
        collected them. Rekor, Axon and Axis are trademarks of their respective owners, named here only to
        identify the source of a read.
      </p>
    </footer>
  );
}
