import { removeStorage, setStorageState, viewStorage } from "#app/domain/operations/storage.ts";
import { StorageReport } from "#app/entities/operations/answers.ts";
import { StorageStateRequest } from "#app/entities/operations/storage.ts";
import { about, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  "Storage",
  endpoint(
    "GET /storage/data",
    "owner",
    none,
    about("Returns the databases of reads.", StorageReport),
    ({ app }) => viewStorage(app),
  ),
  endpoint(
    "POST /storage/:name/state",
    "owner",
    StorageStateRequest,
    about("Changes whether a database takes new reads.", Message),
    ({ app, actor, params, body }) => setStorageState(app, actor, { name: params.name, state: body.state }),
    STEP_UP,
  ),
  endpoint(
    "POST /storage/:name/remove",
    "owner",
    none,
    about("Removes an empty database from use.", Message),
    ({ app, actor, params }) => removeStorage(app, actor, params.name),
    STEP_UP,
  ),
);

export { action, loader };
