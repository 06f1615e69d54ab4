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
  /** Whether the use notification is still to be acknowledged in this session. */
  noticeDue?: boolean;
  /** The token of the device, where the browser sent one. */
  device?: string;
  /** When the session is over if it is not used, and when in any case. */
  unusedUntil: number;
  endsAt: number;
};

/** Where a request comes from, known also where nobody is signed in. `device` is what the browser's cookie says. */
export type Caller = { ip: string; userAgent: string; device?: string };

/**
 * The CJIS use notification (AC-8). Our sign-in page shows its four statements and sends their version. The session of a
 * client that sends no version, or another one, gets them as its first screen. A new text needs a new version.
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

/** How many failed sign-ins, within how long, lock an account until an administrator releases it (CJIS AC-7). */
export const MOST_FAILED_SIGN_INS = 5;
export const FAILED_SIGN_INS_MS = 15 * 60 * 1000;

/**
 * What an address may try from unknown devices: 60 times within the same 15 minutes, and of these 7 times a name that it
 * has tried before, 20 times within a day. Locking an account takes 4 repeats: an address locks one in 15 minutes and
 * five a day. A first try at a name stays free, so that colleagues behind the same address can sign in.
 */
export const ADDRESS_LIMITS = { attempts: 60, repeats: 7, repeatsADay: 20 };
export const ADDRESS_REPEATS_MS = 24 * 60 * 60 * 1000;

/** How long a device that was not used stays known, and how many of one user do. */
export const KNOWN_DEVICE_MS = 180 * 24 * 60 * 60 * 1000;
export const MOST_KNOWN_DEVICES = 20;

/** Whom a lock keeps out: devices that the user has never signed in on, or everyone. */
export const LOCK_SCOPES = ["unknown devices", "everyone"] as const;
export type LockScope = (typeof LOCK_SCOPES)[number];

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
