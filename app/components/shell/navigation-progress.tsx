import { useNavigation } from "@remix-run/react";
import { LiveRegion } from "#app/components/ui/live-region.tsx";

/** A hairline at the top of the window while the next screen is fetched. */
export function NavigationProgress() {
  const busy = useNavigation().state !== "idle";
  return (
    <>
      {busy && (
        <div aria-hidden="true" className="fixed inset-x-0 top-0 z-20 h-0.5 overflow-hidden text-accent">
          <div className="h-full w-2/5 animate-slide bg-current" />
        </div>
      )}
      <LiveRegion>{busy ? "Loading" : ""}</LiveRegion>
    </>
  );
}
