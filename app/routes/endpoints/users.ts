import {
  endSessions,
  resetPassword,
  resetSecondFactor,
  setDisabled,
  unlock,
  userSessions,
} from "#app/domain/users/access.ts";
import { addUser, changeRole, deleteUser, managedUsers } from "#app/domain/users/directory.ts";
import { USERS_TEMPLATE, uploadUsers } from "#app/domain/users/upload.ts";
import { DisabledChange, MOST_UPLOADED_BYTES, RoleChange, UserReset } from "#app/entities/users/calls.ts";
import { NewUser } from "#app/entities/users/directory.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { csvFile, readUpload, uploadAnswer } from "#app/http/uploads.ts";
import { writeCsv } from "#app/lib/files/csv.ts";

const reach = "agency" as const;
/** Administrators reach their own agency, the owner every agency. */
const ownerReachesAll = "all" as const;
const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  endpoint("GET /admin-data", "admin", none, async ({ app, actor }) => ({
    users: await managedUsers(app, actor, reach),
  })),
  endpoint(
    "POST /admin/add-user",
    "admin",
    NewUser,
    ({ app, actor, body }) => addUser(app, actor, { user: body, reach }),
    STEP_UP,
  ),
  endpoint("GET /download-template", "admin", none, () =>
    csvFile("users-template.csv", writeCsv(USERS_TEMPLATE)),
  ),
  endpoint(
    "POST /bulk-upload-users",
    "admin",
    none,
    async ({ app, actor, request }) =>
      uploadAnswer(
        await uploadUsers(app, actor, {
          bytes: await readUpload(request, { field: "file", mostBytes: MOST_UPLOADED_BYTES }),
        }),
      ),
    STEP_UP,
  ),
  endpoint(
    "POST /admin/reset-user-password",
    "admin",
    UserReset,
    ({ app, actor, body }) =>
      resetPassword(app, actor, { id: body.user_id, password: body.new_password, reach: ownerReachesAll }),
    STEP_UP,
  ),
  endpoint(
    "PUT /admin/toggle-role/:id",
    "admin",
    RoleChange,
    ({ app, actor, params, body }) => changeRole(app, actor, { id: params.id, role: body.new_role, reach }),
    STEP_UP,
  ),
  endpoint(
    "DELETE /admin/delete-user/:id",
    "admin",
    none,
    ({ app, actor, params }) => deleteUser(app, actor, { id: params.id, reach }),
    STEP_UP,
  ),
  endpoint(
    "PUT /admin/disable-user/:id",
    "admin",
    DisabledChange,
    ({ app, actor, params, body }) =>
      setDisabled(app, actor, { id: params.id, disabled: body.disabled, reach }),
    STEP_UP,
  ),
  endpoint(
    "POST /admin/unlock-user/:id",
    "admin",
    none,
    ({ app, actor, params }) => unlock(app, actor, { id: params.id, reach: ownerReachesAll }),
    STEP_UP,
  ),
  endpoint(
    "POST /admin/reset-second-factor/:id",
    "admin",
    none,
    ({ app, actor, params }) => resetSecondFactor(app, actor, { id: params.id, reach }),
    STEP_UP,
  ),
  endpoint("GET /admin/sessions/:id", "admin", none, ({ app, actor, params }) =>
    userSessions(app, actor, { id: params.id, reach }),
  ),
  endpoint(
    "POST /admin/end-sessions/:id",
    "admin",
    none,
    ({ app, actor, params }) => endSessions(app, actor, { id: params.id, reach }),
    STEP_UP,
  ),
);

export { action, loader };
