import * as z from "zod/mini";
import type { Role, SessionState } from "./access.ts";
import type { SecondFactorStatus } from "./second-factor.ts";

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

/** The actor with what the guard looks at: the state of the session, and when its holder last proved who they are. */
export type SessionActor = Actor & {
  sessionState: SessionState;
  provedAt: number;
  /** When the session is over if it is not used, and when in any case. */
  unusedUntil: number;
  endsAt: number;
};

/** Where a request comes from, known also where nobody is signed in. */
export type Caller = { ip: string; userAgent: string };

/**
 * The CJIS use notification (AC-8): its four statements, shown before access and acknowledged by signing in. A new
 * text needs a new version: a screen that showed another one cannot sign in.
 */
export const USE_NOTIFICATION = {
  version: "2026-11",
  statements: [
    "You are about to use a restricted information system.",
    "Use of this system may be monitored, recorded and audited.",
    "Unauthorized use is prohibited and may be subject to criminal and civil penalties.",
    "Using this system means that you consent to monitoring and recording.",
  ],
} as const;

/** What is said to a sign-in that does not acknowledge the present version. */
export const NOTICE_REQUIRED =
  "Read the use notification and acknowledge it: reload this page, then sign in.";

/** How many failed sign-ins, within how long, lock an account until an administrator releases it (CJIS AC-7). */
export const MOST_FAILED_SIGN_INS = 5;
export const FAILED_SIGN_INS_MS = 15 * 60 * 1000;

/** Failed sign-ins of one address within the same time, over all names. */
export const MOST_FAILED_FROM_ADDRESS = 60;

/** How long a temporary password may be used. */
export const TEMPORARY_PASSWORD_MS = 24 * 60 * 60 * 1000;

/** A session as its user sees it. */
export type SessionSummary = {
  id: string;
  kind: "cookie" | "bearer";
  current: boolean;
  created_at: number;
  last_seen_at: number;
  ip: string;
  /** In words: "Firefox on Windows". */
  client: string;
};

/** What GET /session-time gives: whose session it is, what it is worth, and how much is left, unused and in all. */
export type SessionTime = {
  username: string;
  state: SessionState;
  unused_left_ms: number;
  left_ms: number;
};

/** What GET /profile-data gives, and the profile shows. */
export type ProfileData = {
  username: string;
  email: string;
  role: Role;
  name: string;
  department: string;
  password_changed_at: number | null;
  /** When it has to be changed; null where the agency sets no age. */
  password_expires_at: number | null;
  second_factor: SecondFactorStatus;
  sessions: SessionSummary[];
};

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
