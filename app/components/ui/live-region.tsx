import type { ReactNode } from "react";

/** Announces its text to screen readers whenever it changes. Keep it mounted, even while it is empty. */
export function LiveRegion({ children, urgent = false }: { children: ReactNode; urgent?: boolean }) {
  return (
    <div className="sr-only" role={urgent ? "alert" : "status"} aria-atomic="true">
      {children}
    </div>
  );
}
