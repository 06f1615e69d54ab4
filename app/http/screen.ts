// Screens declare who may see them, as endpoints do. Nobody signed in is sent to the sign-in screen.

import { type LoaderFunctionArgs, redirect } from "@remix-run/cloudflare";
import type { AppContext } from "#app/context.ts";
import type { Access, Standing } from "#app/entities/access.ts";
import { type CurrentUser, toCurrentUser } from "#app/entities/account.ts";
import { ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { type ActorOf, guard } from "./access.ts";
import { noteBug } from "./responses.ts";

export type ScreenCall<A extends Access> = {
  app: AppContext;
  actor: ActorOf<A>;
  params: Record<string, string | undefined>;
  query: URLSearchParams;
  request: Request;
};

/** A loader for one screen; expected failures become error pages with their message and status. */
export function screenLoader<A extends Access, T>(access: A, load: (call: ScreenCall<A>) => T | Promise<T>) {
  return async ({ context, request, params }: LoaderFunctionArgs): Promise<T> => {
    try {
      const actor = await guard({ app: context.app, access, actor: await context.session(), request });
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
      if (error.code === "unauthenticated") throw redirect("/");
      throw new Response(error.message, { status: ERROR_STATUS[error.code], statusText: error.code });
    }
  };
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
    standing: actor && {
      role: actor.role,
      hotlistAdmin: actor.hotlistAdmin,
      hotlistViewer: actor.hotlistViewer,
      isOwner: actor.isOwner,
    },
    theme: THEMES.find((theme) => theme === chosen) ?? "system",
  };
}
