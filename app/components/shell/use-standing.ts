import { useRouteLoaderData } from "@remix-run/react";
import type { Standing } from "#app/entities/accounts/access.ts";

/** Returns what the user may do, from the root's loader; null if no one is signed in. */
export function useStanding(): Standing | null {
  const root = useRouteLoaderData<{ standing: Standing | null }>("root");
  return root?.standing ?? null;
}
