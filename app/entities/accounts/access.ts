/** Who may do what: the permission table of the specification's section 6, in one vocabulary for server and screen. */

export type Role = "admin" | "user";

/** Roles as screens show them. */
export const ROLE_NAMES: Record<Role, string> = { user: "User", admin: "Admin" };

/** The rights of a user that the permission table uses. */
export type Standing = {
  role: Role;
  hotlistAdmin: boolean;
  hotlistViewer: boolean;
  isOwner: boolean;
  /** The agency's policy lets the user search many places and convoys. */
  investigator: boolean;
};

/**
 * Levels that a route declares. `public`, `webhook` and `scim` have no user. A webhook is authorized by its own secret,
 * such as a camera's, which the domain checks; `scim` by the SCIM token of an agency, which is checked before the
 * handler runs. `local` is `public` on a loopback host and does not exist elsewhere.
 */
export const ACCESS_LEVELS = [
  "public",
  "local",
  "webhook",
  "scim",
  "signed-in",
  "hotlist-viewer",
  "hotlist-admin",
  "investigator",
  "admin",
  "owner",
] as const;

export type Access = (typeof ACCESS_LEVELS)[number];

/** Levels of calls that reach their handler without credentials. */
export type OpenAccess = "public" | "local" | "webhook";
/** Levels of calls that users and visitors make, and webhooks. */
export type SessionAccess = Exclude<Access, "scim">;
/** Levels of calls that only users make. */
export type UserAccess = Exclude<SessionAccess, OpenAccess>;

/** Returns whether calls of this level reach their handler without credentials. */
export function isOpen(access: Access): access is OpenAccess {
  return access === "public" || access === "local" || access === "webhook";
}

/** Returns whether the callers are programs with their own secret, without a session or a service account. */
export function isForPrograms(access: Access): boolean {
  return access === "webhook" || access === "scim";
}

/** Returns whether only signed-in users, and service accounts acting for them, make calls of this level. */
export function needsUser(access: Access): access is UserAccess {
  return !isOpen(access) && access !== "scim";
}

/**
 * Returns whether a user with these rights, or a visitor (`null`), may use a route of this level. Denies by default; no
 * user may use `scim`.
 */
export function mayUse(access: Access, standing: Standing | null): boolean {
  if (isOpen(access)) return true;
  if (!standing) return false;
  switch (access) {
    case "signed-in":
      return true;
    case "hotlist-viewer":
      return standing.hotlistViewer || standing.hotlistAdmin || standing.role === "admin";
    case "hotlist-admin":
      return standing.hotlistAdmin || standing.role === "admin";
    case "investigator":
      return standing.investigator;
    case "admin":
      return standing.role === "admin";
    case "owner":
      return standing.isOwner;
    default:
      return false;
  }
}

/** States of a session. Only a full session has the rights of its user; each other state reaches only its own screen. */
export const SESSION_STATES = [
  "full",
  "must-change-password",
  "must-enrol-second-factor",
  "awaiting-second-factor",
] as const;

export type SessionState = (typeof SESSION_STATES)[number];

/** The screen that a session in each state is redirected to. */
export const HOME_OF: Record<SessionState, string> = {
  full: "/search",
  "must-change-password": "/change-password",
  "must-enrol-second-factor": "/second-factor/set-up",
  "awaiting-second-factor": "/second-factor",
};

/** How long after proving a password or a second factor a user may use privileged functions (CJIS IA-11). */
export const STEP_UP_MS = 10 * 60 * 1000;
