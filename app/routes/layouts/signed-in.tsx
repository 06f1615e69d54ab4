import { Outlet } from "@remix-run/react";
import { BackgroundParts, LateJobs } from "#app/components/shell/background-parts.tsx";
import { RouteError } from "#app/components/shell/route-error.tsx";

/** The frame of every screen behind the sign-in. No guard: each screen's loader declares who may see it. */
export default function SignedInLayout() {
  return (
    <main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
      <LateJobs />
      <Outlet />
      <BackgroundParts />
    </main>
  );
}

/** Here as well as at the root, whose boundary would render the whole document again. */
export { RouteError as ErrorBoundary };
