import { useRouteLoaderData } from "@remix-run/react";
import type { Standing } from "#app/entities/accounts/access.ts";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";

/** Returns the user's rights, from the root's loader; null if no one is signed in. */
export function useStanding(): Standing | null {
  const root = useRouteLoaderData<{ standing: Standing | null }>("root");
  return root?.standing ?? null;
}

/** Returns the user, from the root's loader; undefined if no one is signed in. */
export function useUser(): CurrentUser | undefined {
  const root = useRouteLoaderData<{ user: CurrentUser | null }>("root");
  return root?.user ?? undefined;
}
