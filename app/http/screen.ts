// Screens declare who may see them, as endpoints do. Nobody signed in is sent to the sign-in screen; where a page stands
// already, its lock asks instead, so that the way to the screen is not lost.

import { type LoaderFunctionArgs, redirect } from "@remix-run/cloudflare";
import type { AppContext } from "#app/context.ts";
import { type Access, HOME_OF, type SessionState, type Standing } from "#app/entities/access.ts";
import { type CurrentUser, toCurrentUser } from "#app/entities/account.ts";
import { ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { type ActorOf, guard, type RouteOptions } from "./access.ts";
import { noteBug } from "./responses.ts";

export type ScreenCall<A extends Access> = {
  app: AppContext;
  actor: ActorOf<A>;
  params: Record<string, string | undefined>;
  query: URLSearchParams;
  request: Request;
};

/** The one screen of a session that is not worth this one, or undefined. */
function homeInstead(state: SessionState, { during = ["full"] }: Pick<RouteOptions, "during">) {
  return during.includes(state) ? undefined : HOME_OF[state];
}

/** A loader for one screen; expected failures become error pages with their message and status. */
export function screenLoader<A extends Access, T>(
  access: A,
  load: (call: ScreenCall<A>) => T | Promise<T>,
  options: Pick<RouteOptions, "during"> = {},
) {
  return async ({ context, request, params }: LoaderFunctionArgs): Promise<T> => {
    try {
      const session = await context.session();
      const elsewhere = session && access !== "public" && homeInstead(session.sessionState, options);
      if (elsewhere) throw redirect(elsewhere);
      const actor = await guard({ app: context.app, access, actor: session, request, options });
      return await load({
        app: context.app,
        actor,
        params,
        query: new URL(request.url).searchParams,
        request,
      });
    } catch (error) {
      if (error instanceof Response) throw error;
      if (!isAppError(error)) throw new Response(noteBug(error), { status: 500 });
      if (error.code === "unauthenticated" && !context.isDataCall) throw redirect("/");
      throw new Response(error.message, { status: ERROR_STATUS[error.code], statusText: error.code });
    }
  };
}

/** What a screen can do without: null where it could not be loaded, which is noted like every bug. */
export async function orNothing<T>(loading: Promise<T>): Promise<T | null> {
  try {
    return await loading;
  } catch (error) {
    if (isAppError(error)) throw error;
    noteBug(error);
    return null;
  }
}

export const THEMES = ["system", "light", "dark", "night"] as const;
export type Theme = (typeof THEMES)[number];

/** What the document shell shows: who is signed in and in which theme. */
export async function rootLoader({ context, request }: LoaderFunctionArgs): Promise<{
  user: CurrentUser | null;
  standing: Standing | null;
  theme: Theme;
}> {
  const actor = await context.session();
  const chosen = /(?:^|;\s*)odin-theme=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1];
  return {
    user: actor && toCurrentUser(actor),
    // Who has not finished signing in sees the bar as nobody does, but can sign out.
    standing:
      actor?.sessionState === "full"
        ? {
            role: actor.role,
            hotlistAdmin: actor.hotlistAdmin,
            hotlistViewer: actor.hotlistViewer,
            isOwner: actor.isOwner,
          }
        : null,
    theme: THEMES.find((theme) => theme === chosen) ?? "system",
  };
}
