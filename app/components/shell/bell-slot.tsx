import { lazy, Suspense, useEffect, useState } from "react";

const Bell = lazy(async () => ({ default: (await import("#app/components/alerts/live/bell.tsx")).Bell }));

/** The bell of whoever may see hits: fetched when the screen itself stands, so that no first load pays for it. */
export function BellSlot() {
  const [stands, setStands] = useState(false);
  useEffect(() => setStands(true), []);
  return stands ? (
    <Suspense>
      <Bell />
    </Suspense>
  ) : null;
}
