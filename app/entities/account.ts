import * as z from "zod/mini";
import type { Role } from "./access.ts";

/** The call of POST /login and POST /dev-login (specification section 7). */
export const Credentials = z.object({
  username: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
  password: z.string().check(z.minLength(1), z.maxLength(1024)),
});
export type Credentials = z.infer<typeof Credentials>;

/** The signed-in user as GET /get-current-user gives it. */
export type CurrentUser = {
  id: string;
  username: string;
  role: Role;
  hotlist_admin: boolean;
  hotlist_viewer: boolean;
  email: string;
  name: string;
  department: string;
};

/** Who acts: the signed-in user with the session and the place that the request came from. */
export type Actor = {
  userId: string;
  username: string;
  name: string;
  email: string;
  agencyId: string;
  agencyName: string;
  role: Role;
  hotlistAdmin: boolean;
  hotlistViewer: boolean;
  isOwner: boolean;
  sessionId: string;
  ip: string;
  userAgent: string;
};

/** Where a request comes from, known also where nobody is signed in. */
export type Caller = { ip: string; userAgent: string };

/** The CJIS use notification (AC-8): its four statements, shown before access and acknowledged by signing in. */
export const USE_NOTIFICATION = {
  version: "2026-11",
  statements: [
    "You are about to use a restricted information system.",
    "Use of this system may be monitored, recorded and audited.",
    "Unauthorized use is prohibited and may be subject to criminal and civil penalties.",
    "Using this system means that you consent to monitoring and recording.",
  ],
} as const;

/** Idle and absolute lifetimes of a session, decided on the server (CJIS AC-11, IA-5 j). */
export const SESSION_IDLE_MS = 30 * 60 * 1000;
export const SESSION_ABSOLUTE_MS = 12 * 60 * 60 * 1000;

/** The signed-in user as the screens and GET /get-current-user show it. */
export function toCurrentUser(actor: Actor): CurrentUser {
  return {
    id: actor.userId,
    username: actor.username,
    role: actor.role,
    hotlist_admin: actor.hotlistAdmin,
    hotlist_viewer: actor.hotlistViewer,
    email: actor.email,
    name: actor.name,
    department: actor.agencyName,
  };
}
