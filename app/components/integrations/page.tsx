import { NavLink } from "@remix-run/react";
import type { ReactNode } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { Page } from "#app/components/ui/page.tsx";

const PAGES = [
  { label: "Overview", to: "/api-keys" },
  { label: "Rekor", to: "/integrations/rekor" },
  { label: "Axon", to: "/integrations/axon" },
  { label: "Axis", to: "/integrations/axis" },
] as const;

/** The frame of the integration screens: the way between them, what this one is, and its content. */
export function IntegrationPage({
  title,
  lead,
  children,
}: {
  title: string;
  lead: ReactNode;
  children: ReactNode;
}) {
  return (
    <Page width="8xl">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          <p className="mt-0.5 max-w-3xl text-sm text-muted">{lead}</p>
        </div>
        <nav aria-label="Integrations" className="flex rounded-md border border-line bg-raised p-0.5">
          {PAGES.map(({ label, to }) => (
            <NavLink
              key={to}
              to={to}
              className={({ isActive }) =>
                cx(
                  "inline-flex h-control-sm items-center rounded-sm px-3 text-sm",
                  isActive ? "bg-accent-soft font-medium text-accent-strong" : "text-muted hover:bg-hover",
                )
              }
            >
              {label}
            </NavLink>
          ))}
        </nav>
      </div>
      {children}
    </Page>
  );
}

/** A part of such a screen. */
export function Panel({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-3 rounded-md border border-line bg-raised p-3 sm:p-4">
      <div>
        <h2 className="font-semibold">{title}</h2>
        {lead && <p className="mt-0.5 text-sm text-muted">{lead}</p>}
      </div>
      {children}
    </section>
  );
}
