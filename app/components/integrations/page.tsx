import { NavLink } from "@remix-run/react";
import type { ReactNode } from "react";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { cx } from "#app/components/ui/cx.ts";
import { Page, PageTitle } from "#app/components/ui/page.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";

const PAGES = [
  { label: "Overview", to: "/api-keys", access: "admin" },
  { label: "Rekor", to: "/integrations/rekor", access: "admin" },
  { label: "Axon", to: "/integrations/axon", access: "admin" },
  { label: "Axis", to: "/integrations/axis", access: "admin" },
  { label: "Outgoing", to: "/integrations/outgoing", access: "hotlist-admin" },
  { label: "Service Accounts", to: "/integrations/service-accounts", access: "admin" },
] as const;

/** The frame of the integration screens: navigation, title and content. */
export function IntegrationPage({
  title,
  lead,
  children,
}: {
  title: string;
  lead: ReactNode;
  children: ReactNode;
}) {
  const standing = useStanding();
  const pages = PAGES.filter(({ access }) => mayUse(access, standing));
  return (
    <Page width="8xl">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <PageTitle>{title}</PageTitle>
          <p className="mt-0.5 max-w-3xl text-sm text-muted">{lead}</p>
        </div>
        <nav
          aria-label="Integrations"
          className="flex flex-wrap rounded-md border border-line bg-raised p-0.5"
        >
          {pages.map(({ label, to }) => (
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

/** A section of an integration screen. */
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
