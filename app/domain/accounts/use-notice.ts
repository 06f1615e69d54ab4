// The use notification (CJIS AC-8), for sessions whose client did not show it before sign-in.

import type { AppContext } from "#app/context.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import { type SessionActor, USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { acknowledgeNotice } from "#app/store/accounts/sessions.ts";
import { inOneStep } from "#app/store/database.ts";

/** Records that the notification was acknowledged in this session. Idempotent: a repeat writes no second audit row. */
export async function acknowledgeUseNotice(app: AppContext, actor: SessionActor): Promise<void> {
  const { version } = USE_NOTIFICATION;
  await inOneStep(app.db, [
    acknowledgeNotice(app.db, { id: actor.sessionId, version }),
    auditIfChanged(app, actor, { action: "sign-in.notice", detail: { notice: version } }),
  ]);
}
