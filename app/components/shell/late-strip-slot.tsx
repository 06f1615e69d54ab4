import { useRouteLoaderData } from "@remix-run/react";
import { lazy, Suspense, useEffect, useState } from "react";
import { mayUse, type Standing } from "#app/entities/accounts/access.ts";

const Strip = lazy(async () => ({ default: (await import("./late-strip.tsx")).LateStrip }));

/** The strip of late jobs, for administrators alone: fetched when the screen itself stands. */
export function LateStripSlot() {
  const root = useRouteLoaderData("root") as { standing: Standing | null } | undefined;
  const [stands, setStands] = useState(false);
  useEffect(() => setStands(true), []);
  if (!stands || !mayUse("admin", root?.standing ?? null)) return null;
  return (
    <Suspense>
      <Strip />
    </Suspense>
  );
}
