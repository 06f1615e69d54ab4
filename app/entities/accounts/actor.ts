import * as z from "zod/mini";
import type { Role, SessionState } from "./access.ts";
import type * as answers from "./answers.ts";

/** The answer to an address from which too many sign-ins failed. */
export const ADDRESS_MUST_WAIT = "Too many failed sign-ins from your address. Try again later.";

/** The longest username that a sign-in accepts. */
export const USERNAME_MAX = 200;

/** The body of POST /login and POST /dev-login (specification section 7). */
export const Credentials = z.object({
  username: z.string().check(z.trim(), z.minLength(1), z.maxLength(USERNAME_MAX)),
  password: z.string().check(z.minLength(1), z.maxLength(1024)),
});
export type Credentials = z.infer<typeof Credentials>;

/** The signed-in user as GET /get-current-user returns it. */
export type CurrentUser = z.infer<typeof answers.CurrentUser>;

/** The service account that calls, for itself or for a person, and the user who holds its token. */
export type ServiceRef = { id: string; name: string; answered_by: string };

/** The user who acts: the signed-in user with the session, address and user agent of the request. */
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
  investigator: boolean;
  sessionId: string;
  ip: string;
  userAgent: string;
  /** Absent if the user acts themself. */
  service?: ServiceRef;
};

/** The actor with what the access guard checks: the session's state, and when its user last proved their identity. */
export type SessionActor = Actor & {
  /** Where its token is: in a cookie, which no script can read, or in the header of a program. */
  kind: "cookie" | "bearer";
  sessionState: SessionState;
  provedAt: number;
  /** The use notification still has to be acknowledged in this session. */
  noticeDue?: boolean;
  /** The device token, if the browser sent one. */
  device?: string;
  /** The issuer of the agency's identity provider, if it opened the session; otherwise null. */
  signedOnBy?: string | null;
  /** When the session ends if it is not used, and when it ends at the latest; milliseconds since 1970. */
  unusedUntil: number;
  endsAt: number;
};

/** The origin of a request, known even without a session. `device` is the token in the browser's cookie. */
export type Caller = { ip: string; userAgent: string; device?: string };

/**
 * The CJIS use notification (AC-8). Our sign-in page shows its four statements and sends their version. A client that
 * sends no version, or another one, gets them as the session's first screen. A changed text needs a new version.
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

/** Failed sign-ins within this time that lock an account until an administrator unlocks it (CJIS AC-7). */
export const MAX_FAILED_SIGN_INS = 5;
export const FAILED_SIGN_INS_MS = 15 * 60 * 1000;

/**
 * Limits of an address for sign-ins from unknown devices: 60 attempts within the same 15 minutes; of these, 7 that
 * repeat a name it has already tried, or 20 within a day. Locking an account takes 4 repeats, so an address can lock
 * one in 15 minutes and five a day. The first try of a name is always allowed, so that colleagues behind the same
 * address can sign in.
 */
export const ADDRESS_LIMITS = { attempts: 60, repeats: 7, repeatsADay: 20 };
/** The time, in milliseconds, in which `repeatsADay` counts. */
export const ADDRESS_REPEATS_MS = 24 * 60 * 60 * 1000;

/** How long an unused device stays known, and how many known devices a user may have. */
export const KNOWN_DEVICE_MS = 180 * 24 * 60 * 60 * 1000;
export const MAX_KNOWN_DEVICES = 20;

/** What a lock blocks: devices that the user has never signed in on, or all sign-ins. */
export const LOCK_SCOPES = ["unknown devices", "everyone"] as const;
export type LockScope = (typeof LOCK_SCOPES)[number];

/** How long a temporary password is valid. */
export const TEMPORARY_PASSWORD_MS = 24 * 60 * 60 * 1000;

/** A session as shown to its user. */
export type SessionSummary = z.infer<typeof answers.SessionSummary>;

/** The response of GET /session-time: user, state, and time until the session ends, if unused and at the latest. */
export type SessionTime = z.infer<typeof answers.SessionTime>;

/** The response of GET /profile-data, shown on the profile. */
export type ProfileData = z.infer<typeof answers.ProfileData>;

/** Returns the signed-in user as the screens and GET /get-current-user show it. */
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
