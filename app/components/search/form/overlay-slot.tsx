import { type ComponentProps, lazy, Suspense, useEffect, useState } from "react";

const Overlay = lazy(async () => ({ default: (await import("./overlay.tsx")).SearchOverlay }));

/** The overlay of a running search: fetched when the form itself stands, so that no first load pays for it. */
export function OverlaySlot(props: ComponentProps<typeof Overlay>) {
  const [stands, setStands] = useState(false);
  useEffect(() => setStands(true), []);
  return stands ? (
    <Suspense>
      <Overlay {...props} />
    </Suspense>
  ) : null;
}
