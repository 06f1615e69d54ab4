import type { Actor, Caller, ServiceRef } from "#app/entities/accounts/actor.ts";

/** Audited acts. A name is never reused for another act. */
export type AuditAction =
  | "sign-in"
  | "sign-out"
  | "sign-in.second-factor"
  | "sign-in.notice"
  | "step-up"
  | "session.end"
  | "password.change"
  | "password.reset"
  | "second-factor.add"
  | "second-factor.remove"
  | "second-factor.codes"
  | "user.add"
  | "user.role"
  | "user.rights"
  | "user.lock"
  | "user.unlock"
  | "user.disable"
  | "user.enable"
  | "user.delete"
  | "user.upload"
  | "user.change"
  | "users.view"
  | "agency.add"
  | "agency.change"
  | "sign-on.change"
  | "sign-on.remove"
  | "sign-on.test"
  | "sign-on.domain-request"
  | "sign-on.domain-remove"
  | "sign-on.domain-approve"
  | "sign-on.domain-refuse"
  | "sign-on.factor-approve"
  | "sign-on.factor-withdraw"
  | "sign-on.unlink"
  | "scim.token-create"
  | "scim.token-rotate"
  | "scim.token-revoke"
  | "scim.user-remove"
  | "scim.group-add"
  | "scim.group-change"
  | "scim.group-remove"
  | "access"
  | "audit.view"
  | "audit.export"
  | "audit.verify"
  | "review.view"
  | "review.examine"
  | "review.decide"
  | "legal-hold.request"
  | "legal-hold.approve"
  | "legal-hold.refuse"
  | "legal-hold.release"
  | "figures.change"
  | "figures.publish"
  | "figures.withdraw"
  | "retention.purge"
  | "retention.records"
  | "retention.audit"
  | "search"
  | "search.partial"
  | "search.finished"
  | "search-places"
  | "search-places.finished"
  | "search-convoy"
  | "search-convoy.finished"
  | "saved-search.save"
  | "saved-search.remove"
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
  | "plate.renew"
  | "plate.check"
  | "plate.past-reads"
  | "plates.view"
  | "hotlist-import.start"
  | "hotlist-import.apply"
  | "hotlist-import.cancel"
  | "hotlist-import.failed"
  | "hotlist-import.map"
  | "hotlist-mapping.add"
  | "hotlist-mapping.rename"
  | "hotlist-mapping.delete"
  | "attachment.view"
  | "attachment.refuse"
  | "alert.view"
  | "hits.view"
  | "alert.disposition"
  | "alert-permissions.edit"
  | "push-alerts"
  | "push-device.add"
  | "push-device.remove"
  | "dead-jobs.drive"
  | "dead-jobs.discard"
  | "result-set.view"
  | "export"
  | "export.finished"
  | "export.view"
  | "export.removed"
  | "integration.add"
  | "integration.change"
  | "integration.upload"
  | "integration.remove"
  | "integration.test"
  | "sharing.allow"
  | "sharing.refuse"
  | "door.add"
  | "door.revoke"
  | "outgoing-webhook.add"
  | "outgoing-webhook.change"
  | "outgoing-webhook.secret"
  | "outgoing-webhook.on"
  | "outgoing-webhook.off"
  | "outgoing-webhook.delete"
  | "outgoing-webhook.test"
  | "outgoing-webhook.retry"
  | "service-account.add"
  | "service-account.change"
  | "service-account.rotate"
  | "service-account.on"
  | "service-account.off"
  | "service-account.delete"
  | "service-account.refused"
  | "camera.add"
  | "camera.change"
  | "camera.secret"
  | "camera.revoke"
  | "secrets.rotate"
  | "backup.start"
  | "backup.finished"
  | "backup.failed"
  | "backup.cancel"
  | "backup.verify"
  | "restore.finished"
  | "restore.images"
  | "storage.state"
  | "storage.remove";

type AuditOutcome = "ok" | "refused" | "failed";

/** A row of the audit log without its number (CJIS AU-3: what, when, where, source, outcome, who). */
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
  /** The service account that acts, for itself or for the user. Stored as `service_account` of the details. */
  service?: ServiceRef;
};

/** Returns the details of an entry as they are stored. */
export function auditDetails({ detail = {}, service }: AuditEntry): Record<string, unknown> {
  return service ? { ...detail, service_account: service } : detail;
}

/** The name that an agency's identity provider has in the log when it calls by SCIM. No user may have it. */
export const SCIM_USERNAME = "SCIM client";

/** Returns a typed name in the log's form: usernames and service accounts are in lower case. */
export function loggedUsername(typed: string): string {
  const name = typed.toLowerCase();
  return name === SCIM_USERNAME.toLowerCase() ? SCIM_USERNAME : name;
}

/** The name that a service account has in the log when it acts for itself. No username contains a colon. */
export function serviceUsername(name: string): string {
  return `service:${name.toLowerCase()}`;
}

/** Returns the fields of an entry that say who acts and from where. Without an actor, names are empty. */
export function auditWho(actor: Actor | null, caller: Caller = { ip: "", userAgent: "" }) {
  return {
    agencyId: actor?.agencyId ?? "",
    userId: actor?.userId ?? "",
    username: actor?.username ?? "",
    sessionId: actor?.sessionId ?? "",
    ip: actor?.ip ?? caller.ip,
    userAgent: (actor?.userAgent ?? caller.userAgent).slice(0, 300),
    ...(actor?.service && { service: actor.service }),
  };
}
