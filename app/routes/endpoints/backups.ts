import {
  cancelBackup,
  listBackups,
  showBackup,
  startBackup,
  verifyBackup,
} from "#app/domain/operations/backups.ts";
import { clearRestore, listRestorable, restoreBackup } from "#app/domain/operations/restore.ts";
import {
  BackupCheck,
  BackupList,
  BackupSummary,
  Restorable,
  RestoreReport,
} from "#app/entities/operations/answers.ts";
import { BackupVerifyRequest } from "#app/entities/operations/backup.ts";
import { about, Created, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { bearerToken } from "#app/http/webhook-secret.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  "Backups",
  endpoint("GET /backups/data", "owner", none, about("Returns all backups.", BackupList), ({ app }) =>
    listBackups(app),
  ),
  endpoint(
    "POST /backups/start",
    "owner",
    none,
    about("Starts a backup.", Created),
    ({ app, actor }) => startBackup(app, actor),
    STEP_UP,
  ),
  endpoint(
    "GET /backups/:id",
    "owner",
    none,
    about("Returns the state of a backup.", BackupSummary),
    ({ app, params }) => showBackup(app, params.id),
  ),
  endpoint(
    "POST /backups/:id/cancel",
    "owner",
    none,
    about("Cancels a backup that is running.", Message),
    ({ app, actor, params }) => cancelBackup(app, actor, params.id),
    STEP_UP,
  ),
  endpoint(
    "POST /backups/:id/verify",
    "owner",
    BackupVerifyRequest,
    about("Checks a part of a backup.", BackupCheck),
    ({ app, actor, params, body }) => verifyBackup(app, actor, { id: params.id, after: body.after }),
    STEP_UP,
  ),
  // No one can sign in to an empty installation, so these take the secret RESTORE_TOKEN, and exist only while it is
  // set.
  endpoint(
    "GET /restore",
    "webhook",
    none,
    about("Returns the backups that can be restored.", Restorable, {
      details:
        "The bearer token is the secret `RESTORE_TOKEN` of the installation. Without that secret, the call does not exist.",
    }),
    ({ app, request }) => listRestorable(app, bearerToken(request)),
  ),
  endpoint(
    "POST /restore/:id",
    "webhook",
    none,
    about("Restores the next part of a backup into an empty installation.", RestoreReport, {
      details: "The bearer token is the secret `RESTORE_TOKEN`. Repeat until it is done.",
    }),
    ({ app, request, params }) => restoreBackup(app, bearerToken(request), { id: params.id }),
  ),
  endpoint(
    "DELETE /restore",
    "webhook",
    none,
    about("Removes what an unfinished restore has written.", RestoreReport, {
      details: "The bearer token is the secret `RESTORE_TOKEN`. Repeat until it is done.",
    }),
    ({ app, request }) => clearRestore(app, bearerToken(request)),
  ),
);

export { action, loader };
