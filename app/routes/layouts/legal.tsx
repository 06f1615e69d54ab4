import { NavLink, Outlet } from "@remix-run/react";
import { Footer } from "#app/components/shell/footer.tsx";
import { cx } from "#app/components/ui/cx.ts";

const PAGES = [
  { to: "/terms", label: "Terms of Service" },
  { to: "/privacy", label: "Privacy Policy" },
];

/** The legal pages with tabs, which are links, so that each page has its own URL. */
export default function LegalLayout() {
  return (
    <>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full max-w-3xl flex-1 px-4 py-5 outline-none sm:px-6"
      >
        <nav aria-label="Legal pages" className="flex gap-1 border-b border-line">
          {PAGES.map(({ to, label }) => (
            <NavLink
              key={to}
              to={to}
              className={({ isActive }) =>
                cx(
                  "-mb-px inline-flex min-h-control items-center border-b-2 px-3 text-base font-medium",
                  isActive ? "border-accent text-text" : "border-transparent text-muted hover:text-text",
                )
              }
            >
              {label}
            </NavLink>
          ))}
        </nav>
        <Outlet />
      </main>
      <Footer />
    </>
  );
}
