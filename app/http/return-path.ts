// A user who opens a link without being signed in is redirected to the sign-in page, and sees the linked screen after
// the sign-in. A cookie keeps its path meanwhile, through the second factor and single sign-on. It is SameSite=Lax,
// since the identity provider's site sends the browser back. It grants no rights: the screen checks its user as always.

import { HOME_OF, type SessionState } from "#app/entities/accounts/access.ts";
import { localPath } from "#app/lib/local-path.ts";
import { cookieNamed } from "./session.ts";

const NAME = "__Host-odin-return";
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";
const SECONDS = 600;
/** A longer path, such as a filter with many values, is not kept. */
const MAX_CHARACTERS = 1000;

/** Returns the cookie that keeps the path of a screen, or undefined if the user will see that screen anyway. */
export function returnCookie(request: Request): string | undefined {
  const { pathname, search } = new URL(request.url);
  const path = encodeURIComponent(pathname + search);
  if (request.method !== "GET" || pathname === HOME_OF.full || path.length > MAX_CHARACTERS) return undefined;
  return `${NAME}=${path}; ${ATTRIBUTES}; Max-Age=${SECONDS}`;
}

/** The cookie that deletes the kept path. */
export const clearedReturn = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;

/** Returns the path of the screen that the user asked for before signing in, or undefined. */
export function returnPath(request: Request): string | undefined {
  const kept = cookieNamed(request, NAME);
  if (kept === undefined) return undefined;
  try {
    return localPath(decodeURIComponent(kept));
  } catch {
    return undefined;
  }
}

/** Returns the screen that a session begins with: once it is full, the one that the user asked for before signing in. */
export function firstScreen(request: Request, state: SessionState): string {
  return (state === "full" && returnPath(request)) || HOME_OF[state];
}
