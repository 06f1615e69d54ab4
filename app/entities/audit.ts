import type { Actor, Caller } from "./account.ts";

/** Acts that are written down. A name is never reused for another act. */
export type AuditAction =
  | "sign-in"
  | "sign-out"
  | "sign-in.second-factor"
  | "step-up"
  | "session.end"
  | "password.change"
  | "password.reset"
  | "second-factor.add"
  | "second-factor.remove"
  | "second-factor.codes"
  | "user.add"
  | "user.role"
  | "user.lock"
  | "user.unlock"
  | "user.disable"
  | "user.enable"
  | "user.delete"
  | "user.upload"
  | "users.view"
  | "agency.add"
  | "agency.change"
  | "access"
  | "search"
  | "search.finished"
  | "image.view"
  | "group.create"
  | "group.edit"
  | "group.archive"
  | "group.view"
  | "group.invite"
  | "group.invitation"
  | "group.members"
  | "plate.add"
  | "plate.edit"
  | "plate.remove"
  | "plate.check"
  | "hotlist-import.start"
  | "hotlist-import.apply"
  | "hotlist-import.cancel"
  | "hotlist-import.failed"
  | "attachment.view"
  | "alert-permissions.edit"
  | "push-alerts"
  | "result-set.view"
  | "export"
  | "export.finished"
  | "export.view"
  | "export.removed";

export type AuditOutcome = "ok" | "refused" | "failed";

/** One row of the audit log before it has a number (CJIS AU-3: what, when, where, source, outcome, who). */
export type AuditEntry = {
  at: number;
  agencyId: string;
  userId: string;
  username: string;
  sessionId: string;
  ip: string;
  userAgent: string;
  action: AuditAction;
  outcome: AuditOutcome;
  object?: string;
  plate?: string;
  caseNumber?: string;
  programsQueried?: string;
  detail?: Record<string, unknown>;
};

/** The part of an entry that says who acts and from where; nobody signed in leaves names empty. */
export function auditWho(actor: Actor | null, caller: Caller = { ip: "", userAgent: "" }) {
  return {
    agencyId: actor?.agencyId ?? "",
    userId: actor?.userId ?? "",
    username: actor?.username ?? "",
    sessionId: actor?.sessionId ?? "",
    ip: actor?.ip ?? caller.ip,
    userAgent: (actor?.userAgent ?? caller.userAgent).slice(0, 300),
  };
}
