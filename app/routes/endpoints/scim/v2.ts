import {
  createGroupByScim,
  getGroupByScim,
  listGroupsByScim,
  patchGroupByScim,
  removeGroupByScim,
  replaceGroupByScim,
} from "#app/domain/users/scim/groups.ts";
import { getUserByScim, listUsersByScim } from "#app/domain/users/scim/people.ts";
import {
  createUserByScim,
  patchUserByScim,
  removeUserByScim,
  replaceUserByScim,
} from "#app/domain/users/scim/person-changes.ts";
import { discoveryItem, discoveryList, serviceProviderConfig } from "#app/entities/users/scim/discovery.ts";
import { about } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import {
  SCIM_CREATED,
  SCIM_DOCUMENTED,
  SCIM_FOUND,
  SCIM_LISTED,
  SCIM_REMOVED,
  SCIM_REPLACED,
} from "#app/http/openapi/scim.ts";
import { scimCall, scimDocument, scimRemoved, scimResource } from "#app/http/users/scim.ts";

const { loader, action } = endpoints(
  "SCIM 2.0",
  endpoint(
    "GET /scim/v2/Users",
    "scim",
    none,
    about("Lists users, by filter and page.", ...SCIM_LISTED),
    ({ app, actor, query }) => scimDocument(listUsersByScim(app, actor, query)),
  ),
  endpoint(
    "POST /scim/v2/Users",
    "scim",
    none,
    about("Creates a user, or takes over the one with this address.", ...SCIM_CREATED),
    ({ app, actor, request }) => scimResource(request, createUserByScim(app, actor, scimCall(request)), 201),
  ),
  endpoint(
    "GET /scim/v2/Users/:id",
    "scim",
    none,
    about("Returns a user.", ...SCIM_FOUND),
    ({ app, actor, request, params: { id } }) => scimResource(request, getUserByScim(app, actor, id)),
  ),
  endpoint(
    "PUT /scim/v2/Users/:id",
    "scim",
    none,
    about("Replaces a user.", ...SCIM_REPLACED),
    ({ app, actor, request, params: { id } }) =>
      scimResource(request, replaceUserByScim(app, actor, { id, ...scimCall(request) })),
  ),
  endpoint(
    "PATCH /scim/v2/Users/:id",
    "scim",
    none,
    about("Changes a user; `active: false` ends their sessions at once.", ...SCIM_REPLACED),
    ({ app, actor, request, params: { id } }) =>
      scimResource(request, patchUserByScim(app, actor, { id, ...scimCall(request) })),
  ),
  endpoint(
    "DELETE /scim/v2/Users/:id",
    "scim",
    none,
    about("Disables a user and hides the user from the provider. Nothing is erased.", ...SCIM_REMOVED),
    ({ app, actor, request, params: { id } }) =>
      scimRemoved(removeUserByScim(app, actor, { id, ...scimCall(request) })),
  ),
  endpoint(
    "GET /scim/v2/Groups",
    "scim",
    none,
    about("Lists groups, by filter and page.", ...SCIM_LISTED),
    ({ app, actor, query }) => scimDocument(listGroupsByScim(app, actor, query)),
  ),
  endpoint(
    "POST /scim/v2/Groups",
    "scim",
    none,
    about("Creates a group. Its members get the rights of its name at once.", ...SCIM_CREATED),
    ({ app, actor, request }) => scimResource(request, createGroupByScim(app, actor, scimCall(request)), 201),
  ),
  endpoint(
    "GET /scim/v2/Groups/:id",
    "scim",
    none,
    about("Returns a group.", ...SCIM_FOUND),
    ({ app, actor, request, params: { id } }) => scimResource(request, getGroupByScim(app, actor, id)),
  ),
  endpoint(
    "PUT /scim/v2/Groups/:id",
    "scim",
    none,
    about("Replaces a group.", ...SCIM_REPLACED),
    ({ app, actor, request, params: { id } }) =>
      scimResource(request, replaceGroupByScim(app, actor, { id, ...scimCall(request) })),
  ),
  endpoint(
    "PATCH /scim/v2/Groups/:id",
    "scim",
    none,
    about("Changes a group or its members.", ...SCIM_REPLACED),
    ({ app, actor, request, params: { id } }) =>
      scimResource(request, patchGroupByScim(app, actor, { id, ...scimCall(request) })),
  ),
  endpoint(
    "DELETE /scim/v2/Groups/:id",
    "scim",
    none,
    about("Deletes a group. Its members lose its rights.", ...SCIM_REMOVED),
    ({ app, actor, request, params: { id } }) =>
      scimRemoved(removeGroupByScim(app, actor, { id, ...scimCall(request) })),
  ),
  endpoint(
    "GET /scim/v2/ServiceProviderConfig",
    "scim",
    none,
    about("Returns what the service supports.", ...SCIM_DOCUMENTED),
    ({ actor }) => scimDocument(serviceProviderConfig(actor.base)),
  ),
  endpoint(
    "GET /scim/v2/ResourceTypes",
    "scim",
    none,
    about("Lists the types of resources.", ...SCIM_DOCUMENTED),
    ({ actor }) => scimDocument(discoveryList(actor.base, "ResourceTypes")),
  ),
  endpoint(
    "GET /scim/v2/ResourceTypes/:id",
    "scim",
    none,
    about("Returns a type of resource.", ...SCIM_DOCUMENTED),
    ({ actor, params: { id } }) => scimDocument(discoveryItem(actor.base, { name: "ResourceTypes", id })),
  ),
  endpoint(
    "GET /scim/v2/Schemas",
    "scim",
    none,
    about("Lists the schemas of resources.", ...SCIM_DOCUMENTED),
    ({ actor }) => scimDocument(discoveryList(actor.base, "Schemas")),
  ),
  endpoint(
    "GET /scim/v2/Schemas/:id",
    "scim",
    none,
    about("Returns a schema.", ...SCIM_DOCUMENTED),
    ({ actor, params: { id } }) => scimDocument(discoveryItem(actor.base, { name: "Schemas", id })),
  ),
);

export { action, loader };
