import { resetPassword } from "#app/domain/users/access.ts";
import { addAgency, allAgencies, changeAgency } from "#app/domain/users/agencies.ts";
import { addUser, managedUsers } from "#app/domain/users/directory.ts";
import { AddedUser, OwnerData, PasswordSet } from "#app/entities/users/answers.ts";
import { UserReset } from "#app/entities/users/calls.ts";
import { NewUser } from "#app/entities/users/directory.ts";
import { AgencyChange, NewAgency } from "#app/entities/users/policy.ts";
import { about, Created, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const reach = "all" as const;
const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  "Agencies",
  endpoint(
    "GET /owner-data",
    "owner",
    none,
    about("Returns the users and the agencies of this installation.", OwnerData),
    async ({ app, actor }) => ({
      users: await managedUsers(app, actor, reach),
      agencies: await allAgencies(app),
    }),
  ),
  endpoint(
    "POST /owner/add-user",
    "owner",
    NewUser,
    about("Adds a user to any agency, with a temporary password.", AddedUser),
    ({ app, actor, body }) => addUser(app, actor, { user: body, reach }),
    STEP_UP,
  ),
  endpoint(
    "POST /owner/reset-user-password",
    "owner",
    UserReset,
    about("Sets a temporary password for a user of any agency.", PasswordSet),
    ({ app, actor, body }) =>
      resetPassword(app, actor, { id: body.user_id, password: body.new_password, reach }),
    STEP_UP,
  ),
  endpoint(
    "POST /owner/agencies",
    "owner",
    NewAgency,
    about("Adds an agency.", Created),
    ({ app, actor, body }) => addAgency(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "PUT /owner/agencies/:id",
    "owner",
    AgencyChange,
    about("Changes the name and the whole policy of an agency.", Message),
    ({ app, actor, params, body }) => changeAgency(app, actor, { id: params.id, change: body }),
    STEP_UP,
  ),
);

export { action, loader };
