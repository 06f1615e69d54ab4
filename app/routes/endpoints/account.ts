import { toCurrentUser } from "#app/entities/account.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { signInAtDoor, signOutAtDoor } from "#app/http/sign-in.ts";

const { loader, action } = endpoints(
  endpoint("POST /login", "public", none, ({ app, request }) => signInAtDoor(app, request)),
  endpoint("POST /dev-login", "local", none, ({ app, request }) => signInAtDoor(app, request)),
  endpoint("POST /logout", "signed-in", none, ({ app, actor }) => signOutAtDoor(app, actor)),
  endpoint("GET /get-current-user", "signed-in", none, ({ actor }) => toCurrentUser(actor)),
);

export { action, loader };
