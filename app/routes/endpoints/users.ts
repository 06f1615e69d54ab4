import * as z from "zod/mini";
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
import {
  AccountChanged,
  AddedUser,
  AdminData,
  PasswordSet,
  RoleChanged,
  UserSessions,
  UsersUploaded,
} from "#app/entities/users/answers.ts";
import { DisabledChange, MAX_UPLOADED_BYTES, RoleChange, UserReset } from "#app/entities/users/calls.ts";
import { NewUser } from "#app/entities/users/directory.ts";
import { about, file, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { UploadFailure } from "#app/http/openapi/failures.ts";
import { readPageSize } from "#app/http/queries.ts";
import { csvFile, readUpload, uploadAnswer } from "#app/http/uploads.ts";
import { writeCsv } from "#app/lib/files/csv.ts";
import { described } from "#app/lib/json/named-schema.ts";

const reach = "agency" as const;
/** Administrators reach their own agency, the owner every agency. */
const ownerReachesAll = "all" as const;
const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  "Users",
  endpoint(
    "GET /admin-data",
    "admin",
    none,
    about("Returns the users of the caller's agency.", AdminData),
    async ({ app, actor }) => ({
      users: await managedUsers(app, actor, reach),
    }),
  ),
  endpoint(
    "POST /admin/add-user",
    "admin",
    NewUser,
    about("Adds a user with a temporary password.", AddedUser),
    ({ app, actor, body }) => addUser(app, actor, { user: body, reach }),
    STEP_UP,
  ),
  endpoint(
    "GET /download-template",
    "admin",
    none,
    about("Returns the CSV template for users.", file({ "text/csv": "The template." })),
    () => csvFile("users-template.csv", writeCsv(USERS_TEMPLATE)),
  ),
  endpoint(
    "POST /bulk-upload-users",
    "admin",
    (request) => readUpload(request, { field: "file", mostBytes: MAX_UPLOADED_BYTES }),
    about(
      "Adds users from a CSV file. Only this answer contains their temporary passwords; sending the same file again returns it again while none of them was changed.",
      UsersUploaded,
      {
        form: { fields: z.object({}), files: { file: "CSV with the columns of the template." } },
        failure: UploadFailure,
      },
    ),
    async ({ app, actor, body }) => uploadAnswer(await uploadUsers(app, actor, { bytes: body.bytes })),
    STEP_UP,
  ),
  endpoint(
    "POST /admin/reset-user-password",
    "admin",
    UserReset,
    about("Sets a temporary password for a user.", PasswordSet),
    ({ app, actor, body }) =>
      resetPassword(app, actor, { id: body.user_id, password: body.new_password, reach: ownerReachesAll }),
    STEP_UP,
  ),
  endpoint(
    "PUT /admin/toggle-role/:id",
    "admin",
    RoleChange,
    about("Changes the role of a user.", RoleChanged),
    ({ app, actor, params, body }) => changeRole(app, actor, { id: params.id, role: body.new_role, reach }),
    STEP_UP,
  ),
  endpoint(
    "DELETE /admin/delete-user/:id",
    "admin",
    none,
    about("Deletes a user.", AccountChanged),
    ({ app, actor, params }) => deleteUser(app, actor, { id: params.id, reach }),
    STEP_UP,
  ),
  endpoint(
    "PUT /admin/disable-user/:id",
    "admin",
    DisabledChange,
    about("Disables a user, or enables one again.", AccountChanged),
    ({ app, actor, params, body }) =>
      setDisabled(app, actor, { id: params.id, disabled: body.disabled, reach }),
    STEP_UP,
  ),
  endpoint(
    "POST /admin/unlock-user/:id",
    "admin",
    none,
    about("Unlocks a user after failed sign-ins.", Message),
    ({ app, actor, params }) => unlock(app, actor, { id: params.id, reach: ownerReachesAll }),
    STEP_UP,
  ),
  endpoint(
    "POST /admin/reset-second-factor/:id",
    "admin",
    none,
    about("Removes the second factors of a user.", Message),
    ({ app, actor, params }) => resetSecondFactor(app, actor, { id: params.id, reach }),
    STEP_UP,
  ),
  endpoint(
    "GET /admin/sessions/:id",
    "admin",
    none,
    about("Returns the open sessions of a user, used last first.", UserSessions, {
      details: "Returns all of them, or the first ones if `limit` is given.",
      query: z.object({
        limit: described("The most sessions to return, from 1 to 500.", z.optional(z.string())),
      }),
    }),
    ({ app, actor, params, query }) =>
      userSessions(app, actor, { id: params.id, reach, limit: readPageSize(query) }),
  ),
  endpoint(
    "POST /admin/end-sessions/:id",
    "admin",
    none,
    about("Ends the sessions of a user.", Message),
    ({ app, actor, params }) => endSessions(app, actor, { id: params.id, reach }),
    STEP_UP,
  ),
);

export { action, loader };
