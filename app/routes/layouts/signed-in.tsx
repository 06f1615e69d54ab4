import type { MetaFunction } from "@remix-run/cloudflare";
import { Outlet, useLocation } from "@remix-run/react";
import { PastReadsSlot } from "#app/components/hotlists/plates/past-reads-slot.tsx";
import { FocusKeeper } from "#app/components/shell/focus-keeper.tsx";
import { Footer } from "#app/components/shell/footer.tsx";
import { errorTitle, RouteError } from "#app/components/shell/route-error.tsx";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { LazySlot, lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";

/** This screen fills the window with data; a footer would make the page scroll. */
const FULL_HEIGHT = "/results";

// Each of these renders nothing while it has nothing to show.
const QUIET = { quiet: true };
const LateStrip = lazyPart(
  async () => (await import("#app/components/shell/late-strip.tsx")).LateStrip,
  QUIET,
);
const StepUp = lazyPart(
  async () => (await import("#app/components/accounts/step-up-dialog.tsx")).StepUpDialog,
  QUIET,
);
const Exports = lazyPart(async () => (await import("#app/components/exports/watch.tsx")).ExportWatch, QUIET);
const Session = lazyPart(
  async () => (await import("#app/components/accounts/session/watch.tsx")).SessionWatch,
  QUIET,
);

/** The titles of error pages; screens have their own. */
export const meta: MetaFunction = ({ error }) => [{ title: error ? errorTitle(error) : "Odin" }];

/** The frame of every screen behind the sign-in. Not a guard: each screen's loader declares its access. */
export default function SignedInLayout() {
  const { pathname } = useLocation();
  return (
    <main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
      <LateJobs />
      <Outlet />
      {pathname !== FULL_HEIGHT && <Footer isShort />}
      {/* Not lazy-loaded, because it has to observe every focus change. */}
      <FocusKeeper />
      <LazySlot>
        <StepUp />
        <Session />
        <Exports />
      </LazySlot>
      <PastReadsSlot />
    </main>
  );
}

/** The strip of late jobs, for administrators. */
function LateJobs() {
  if (!mayUse("admin", useStanding())) return null;
  return (
    <LazySlot>
      <LateStrip />
    </LazySlot>
  );
}

/** Here and not only in the root, whose error boundary would recreate the whole document. */
export { RouteError as ErrorBoundary };
