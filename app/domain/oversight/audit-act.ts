// Records what a user does in the audit log.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import { type AppError, audited } from "#app/lib/errors.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { insertAudit, insertAuditIfChanged, insertCertificate } from "#app/store/oversight/audit.ts";

type Recorder = Pick<AppContext, "db" | "clock">;

/** An audit row without its user; `detail` must not contain a secret. By default its time is now and its outcome "ok". */
type Act = Pick<AuditEntry, "action"> & Partial<AuditEntry>;

/** Returns the audit row of an act. */
export function auditRow(app: Recorder, actor: Actor | null, act: Act): AuditEntry {
  return { ...auditWho(actor), at: app.clock(), outcome: "ok", ...act };
}

/** Returns the statement that records an act. Run it in the batch of the act. */
export function auditAct(app: Recorder, actor: Actor | null, act: Act): Statement {
  return insertAudit(app.db, auditRow(app, actor, act));
}

/** Returns the statement that records an act if the previous statement of the batch changed a row. */
export function auditIfChanged(app: Recorder, actor: Actor | null, act: Act): Statement {
  return insertAuditIfChanged(app.db, auditRow(app, actor, act));
}

/**
 * Returns the statement that certifies how many records of one kind a purge removes: by default those that the previous
 * statement of the batch removed. Writes nothing for 0.
 */
export function certifyRemoved(
  app: Recorder,
  agencyId: string,
  records: Parameters<typeof insertCertificate>[2],
): Statement {
  return insertCertificate(app.db, auditRow(app, null, { agencyId, action: "retention.records" }), records);
}

/** Records an act that changes nothing else, such as opening a file. */
export async function auditNow(app: Recorder, actor: Actor | null, act: Act): Promise<void> {
  await inOneStep(app.db, [auditAct(app, actor, act)]);
}

/** Records that an act was refused, and why. Returns the error for the caller to throw. */
export async function refuse(
  app: Recorder,
  actor: Actor | null,
  { error, ...act }: Act & { error: AppError },
): Promise<AppError> {
  await auditNow(app, actor, {
    ...act,
    outcome: "refused",
    detail: { ...act.detail, reason: error.message },
  });
  return audited(error);
}
