import { type ReactNode, Suspense, useEffect, useState } from "react";

/** Renders lazy parts in the browser only and after the screen itself, so that no first load fetches their code. */
export function LazySlot({ fallback, children }: { fallback?: ReactNode; children: ReactNode }) {
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return mounted ? <Suspense fallback={fallback}>{children}</Suspense> : fallback;
}
