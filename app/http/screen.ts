// Screens declare their access level, as endpoints do. Users who are not signed in are redirected to the sign-in
// screen. If a page is already shown, its lock asks for the sign-in instead, so that the user stays on the screen.
// The message of a form without scripts survives its redirect in a cookie: the next page shows and clears it.

import { data, type LoaderFunctionArgs, redirect } from "@remix-run/cloudflare";
import type { AppContext } from "#app/context.ts";
import { HOME_OF, type SessionAccess, type Standing } from "#app/entities/accounts/access.ts";
import { type CurrentUser, type SessionActor, toCurrentUser } from "#app/entities/accounts/actor.ts";
import { type AppError, ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { beginning } from "#app/lib/text.ts";
import { type ActorOf, auditingRefusal, guard, type RouteOptions } from "./access.ts";
import { requireCleanFields } from "./clean-text.ts";
import { json, noteBug, refusalBody } from "./responses.ts";
import { clearedReturn, returnCookie, returnPath } from "./return-path.ts";

export type ScreenCall<A extends SessionAccess> = {
  app: AppContext;
  actor: ActorOf<A>;
  params: Record<string, string | undefined>;
  query: URLSearchParams;
  request: Request;
};

export type ScreenOptions = Pick<RouteOptions, "during"> & {
  /**
   * Whether the screen may be shown before the use notification is acknowledged, because it is the notification itself.
   */
  beforeNotice?: boolean;
};

/**
 * Returns the screen that a session gets instead of the requested one, or undefined: first the use notification if its
 * client did not show it (CJIS AC-8), then the one screen of a session that is not fully signed in.
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

/** Returns the loader of a screen. Expected failures become error pages with their message and status. */
export function screenLoader<A extends SessionAccess, T>(
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
      const { app } = context;
      return await auditingRefusal({ app, actor, request }, () =>
        load({ app, actor, params, query, request }),
      );
    } catch (error) {
      if (isAppError(error) && error.code === "unauthenticated" && !context.isDataCall) {
        const kept = returnCookie(request);
        throw redirect("/", kept === undefined ? {} : { headers: { "set-cookie": kept } });
      }
      throw errorPage(error);
    }
  };
}

/** Returns the data of an error page: the message, the status and the request id. */
function errorPage(error: unknown): Response {
  if (error instanceof Response) return error;
  if (!isAppError(error)) return json(refusalBody(noteBug(error)), { status: 500 });
  const init = { status: ERROR_STATUS[error.code], statusText: error.code };
  return json(refusalBody(screenMessage(error)), init);
}

/** Returns the message of an error page. For a refused user, it names the missing permission and who can grant it. */
function screenMessage({ message, details }: AppError): string {
  const { missing_permission: missing, granted_by: who } = details ?? {};
  return typeof missing === "string"
    ? `You need the ${missing} permission to open this page. ${who}`
    : message;
}

/** Loads optional data. Returns null, and logs the bug, if that fails. */
export async function orNull<T>(loading: Promise<T>): Promise<T | null> {
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
  /** The agency's identity provider opened the session. */
  signedOn: boolean;
  theme: Theme;
  /** The message of a form without scripts, after its redirect; empty without one. */
  notice: string;
};

// The message of a form without scripts, which survives the redirect in a cookie. The next page shows and clears it.

const NAME = "__Host-odin-notice";
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Strict";
const MAX_CHARACTERS = 300;

/** Returns the cookie that carries a message to the next page. */
export function noticeCookie(message: string): string {
  return `${NAME}=${encodeURIComponent(beginning(message, MAX_CHARACTERS))}; ${ATTRIBUTES}; Max-Age=60`;
}

/** Returns the message for this page, if there is one, and the cookie that clears it. */
function takeNotice(request: Request): { message: string; cleared: string } | undefined {
  const found = new RegExp(`(?:^|;\\s*)${NAME}=([^;]*)`).exec(request.headers.get("cookie") ?? "")?.[1];
  if (!found) return undefined;
  const cleared = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;
  try {
    return { message: decodeURIComponent(found).slice(0, MAX_CHARACTERS), cleared };
  } catch {
    return { message: "", cleared };
  }
}

/** Loads the data of the document shell: the user, the theme and the message of the last form. */
export async function rootLoader({ context, request }: LoaderFunctionArgs) {
  const actor = await context.session().catch((error: unknown) => {
    throw errorPage(error);
  });
  const chosen = /(?:^|;\s*)odin-theme=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1];
  const notice = takeNotice(request);
  const shell: Shell = {
    user: actor && toCurrentUser(actor),
    // A user who has not finished signing in sees the bar of a signed-out page, but can sign out.
    standing:
      actor?.sessionState === "full" && !actor.noticeDue
        ? {
            role: actor.role,
            hotlistAdmin: actor.hotlistAdmin,
            hotlistViewer: actor.hotlistViewer,
            isOwner: actor.isOwner,
            investigator: actor.investigator,
          }
        : null,
    signedOn: Boolean(actor?.signedOnBy),
    theme: THEMES.find((theme) => theme === chosen) ?? "system",
    notice: notice?.message ?? "",
  };
  const headers = new Headers();
  if (notice) headers.append("set-cookie", notice.cleared);
  // The user has reached the kept path, so the cookie is cleared.
  if (shell.standing && returnPath(request)) headers.append("set-cookie", clearedReturn);
  return data(shell, { headers });
}
