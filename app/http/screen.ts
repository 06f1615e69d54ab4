// Screens declare who may see them, as endpoints do. Nobody signed in is sent to the sign-in screen; where a page stands
// already, its lock asks instead, so that the way to the screen is not lost.

import { data, type LoaderFunctionArgs, redirect } from "@remix-run/cloudflare";
import type { AppContext } from "#app/context.ts";
import { type Access, HOME_OF, type Standing } from "#app/entities/accounts/access.ts";
import { type CurrentUser, type SessionActor, toCurrentUser } from "#app/entities/accounts/actor.ts";
import { ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { type ActorOf, guard, type RouteOptions } from "./access.ts";
import { requireCleanFields } from "./clean-text.ts";
import { takeNotice } from "./form-notice.ts";
import { noteBug } from "./responses.ts";

export type ScreenCall<A extends Access> = {
  app: AppContext;
  actor: ActorOf<A>;
  params: Record<string, string | undefined>;
  query: URLSearchParams;
  request: Request;
};

export type ScreenOptions = Pick<RouteOptions, "during"> & {
  /** The screen is shown before the use notification was acknowledged: it is the notification. */
  beforeNotice?: boolean;
};

/**
 * The screen that a session gets instead of the one it asked for, or undefined: first the use notification where its
 * client did not show it (CJIS AC-8), then the one screen of a session that is not full.
 */
export function screenInstead(
  session: SessionActor,
  request: Request,
  options: ScreenOptions,
): string | undefined {
  if (session.noticeDue && !options.beforeNotice) {
    const { pathname, search } = new URL(request.url);
    return `/use-notice?to=${encodeURIComponent(pathname + search)}`;
  }
  const { during = ["full"] } = options;
  return during.includes(session.sessionState) ? undefined : HOME_OF[session.sessionState];
}

/** A loader for one screen; expected failures become error pages with their message and status. */
export function screenLoader<A extends Access, T>(
  access: A,
  load: (call: ScreenCall<A>) => T | Promise<T>,
  options: ScreenOptions = {},
) {
  return async ({ context, request, params }: LoaderFunctionArgs): Promise<T> => {
    try {
      const session = await context.session();
      const elsewhere = session && access !== "public" && screenInstead(session, request, options);
      if (elsewhere) throw redirect(elsewhere);
      const actor = await guard({ app: context.app, access, actor: session, request, options });
      const query = new URL(request.url).searchParams;
      requireCleanFields(query);
      return await load({
        app: context.app,
        actor,
        params,
        query,
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

const THEMES = ["system", "light", "dark", "night"] as const;
type Theme = (typeof THEMES)[number];

type Shell = {
  user: CurrentUser | null;
  standing: Standing | null;
  theme: Theme;
  /** What a form without scripts has to say after its redirect; empty otherwise. */
  notice: string;
};

/** What the document shell shows: who is signed in, in which theme, and what the last form has to say. */
export async function rootLoader({ context, request }: LoaderFunctionArgs) {
  const actor = await context.session();
  const chosen = /(?:^|;\s*)odin-theme=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1];
  const notice = takeNotice(request);
  const shell: Shell = {
    user: actor && toCurrentUser(actor),
    // Who has not finished signing in sees the bar as nobody does, but can sign out.
    standing:
      actor?.sessionState === "full" && !actor.noticeDue
        ? {
            role: actor.role,
            hotlistAdmin: actor.hotlistAdmin,
            hotlistViewer: actor.hotlistViewer,
            isOwner: actor.isOwner,
          }
        : null,
    theme: THEMES.find((theme) => theme === chosen) ?? "system",
    notice: notice?.message ?? "",
  };
  return data(shell, notice ? { headers: { "set-cookie": notice.cleared } } : {});
}
