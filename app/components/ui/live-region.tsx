import type { ReactNode } from "react";

/** Says its text to screen readers whenever it changes; keep it mounted, also while there is nothing to say. */
export function LiveRegion({ children, urgent = false }: { children: ReactNode; urgent?: boolean }) {
  return (
    <div className="sr-only" role={urgent ? "alert" : "status"} aria-atomic="true">
      {children}
    </div>
  );
}
