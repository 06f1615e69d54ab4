import { resetPassword } from "#app/domain/users/access.ts";
import { addAgency, allAgencies, changeAgency } from "#app/domain/users/agencies.ts";
import { addUser, managedUsers } from "#app/domain/users/directory.ts";
import { UserReset } from "#app/entities/users/calls.ts";
import { NewUser } from "#app/entities/users/directory.ts";
import { AgencyChange, NewAgency } from "#app/entities/users/policy.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const reach = "all" as const;
const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  endpoint("GET /owner-data", "owner", none, async ({ app, actor }) => ({
    users: await managedUsers(app, actor, reach),
    agencies: await allAgencies(app),
  })),
  endpoint(
    "POST /owner/add-user",
    "owner",
    NewUser,
    ({ app, actor, body }) => addUser(app, actor, { user: body, reach }),
    STEP_UP,
  ),
  endpoint(
    "POST /owner/reset-user-password",
    "owner",
    UserReset,
    ({ app, actor, body }) =>
      resetPassword(app, actor, { id: body.user_id, password: body.new_password, reach }),
    STEP_UP,
  ),
  endpoint(
    "POST /owner/agencies",
    "owner",
    NewAgency,
    ({ app, actor, body }) => addAgency(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "PUT /owner/agencies/:id",
    "owner",
    AgencyChange,
    ({ app, actor, params, body }) => changeAgency(app, actor, { id: params.id, change: body }),
    STEP_UP,
  ),
);

export { action, loader };
