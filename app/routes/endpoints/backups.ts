import {
  cancelBackup,
  listBackups,
  showBackup,
  startBackup,
  verifyBackup,
} from "#app/domain/operations/backups.ts";
import { clearRestore, listRestorable, restoreBackup } from "#app/domain/operations/restore.ts";
import { BackupVerifyRequest } from "#app/entities/operations/backup.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { bearerToken } from "#app/http/webhook-secret.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  endpoint("GET /backups/data", "owner", none, ({ app }) => listBackups(app)),
  endpoint("POST /backups/start", "owner", none, ({ app, actor }) => startBackup(app, actor), STEP_UP),
  endpoint("GET /backups/:id", "owner", none, ({ app, params }) => showBackup(app, params.id)),
  endpoint(
    "POST /backups/:id/cancel",
    "owner",
    none,
    ({ app, actor, params }) => cancelBackup(app, actor, params.id),
    STEP_UP,
  ),
  endpoint(
    "POST /backups/:id/verify",
    "owner",
    BackupVerifyRequest,
    ({ app, actor, params, body }) => verifyBackup(app, actor, { id: params.id, after: body.after }),
    STEP_UP,
  ),
  // No one can sign in to an empty installation, so these take the secret RESTORE_TOKEN, and exist only while it is
  // set.
  endpoint("GET /restore", "webhook", none, ({ app, request }) => listRestorable(app, bearerToken(request))),
  endpoint("POST /restore/:id", "webhook", none, ({ app, request, params }) =>
    restoreBackup(app, bearerToken(request), { id: params.id }),
  ),
  endpoint("DELETE /restore", "webhook", none, ({ app, request }) => clearRestore(app, bearerToken(request))),
);

export { action, loader };
