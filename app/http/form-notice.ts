// The message of a form without scripts, which survives the redirect in a cookie. The next page shows and clears it.

const NAME = "__Host-odin-notice";
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Strict";
const MOST_CHARACTERS = 300;

/** Returns the cookie that carries a message to the next page. */
export function noticeCookie(message: string): string {
  return `${NAME}=${encodeURIComponent(message.slice(0, MOST_CHARACTERS))}; ${ATTRIBUTES}; Max-Age=60`;
}

/** Returns the message for this page, if there is one, and the cookie that clears it. */
export function takeNotice(request: Request): { message: string; cleared: string } | undefined {
  const found = new RegExp(`(?:^|;\\s*)${NAME}=([^;]*)`).exec(request.headers.get("cookie") ?? "")?.[1];
  if (!found) return undefined;
  const cleared = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;
  try {
    return { message: decodeURIComponent(found).slice(0, MOST_CHARACTERS), cleared };
  } catch {
    return { message: "", cleared };
  }
}
