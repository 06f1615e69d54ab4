import { Outlet } from "@remix-run/react";
import { BackgroundParts } from "#app/components/shell/background-parts.tsx";
import { LateStripSlot } from "#app/components/shell/late-strip-slot.tsx";
import { RouteError } from "#app/components/shell/route-error.tsx";

/** The frame of every screen behind the sign-in. No guard: each screen's loader declares who may see it. */
export default function SignedInLayout() {
  return (
    <main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
      <LateStripSlot />
      <Outlet />
      <BackgroundParts />
    </main>
  );
}

/** Here and not only at the root, which would make the whole document anew. */
export { RouteError as ErrorBoundary };
