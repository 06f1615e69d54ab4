import { scimConfig, scimList, scimListed } from "#app/domain/users/scim/discovery.ts";
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
import { about } from "#app/http/about.ts";
import { endpoints } from "#app/http/endpoint.ts";
import {
  SCIM_CREATED,
  SCIM_DOCUMENTED,
  SCIM_FOUND,
  SCIM_LISTED,
  SCIM_REMOVED,
  SCIM_REPLACED,
} from "#app/http/openapi/scim.ts";
import { scimDocument, scimEndpoint, scimRemoved, scimResource } from "#app/http/users/scim.ts";

const { loader, action } = endpoints(
  "SCIM 2.0",
  scimEndpoint(
    "GET /scim/v2/Users",
    about("Lists users, by filter and page.", ...SCIM_LISTED),
    ({ app, sent }) => scimDocument(listUsersByScim(app, sent)),
  ),
  scimEndpoint(
    "POST /scim/v2/Users",
    about("Creates a user, or takes over the one with this address.", ...SCIM_CREATED),
    ({ app, sent, request }) => scimResource(request, createUserByScim(app, sent), 201),
  ),
  scimEndpoint(
    "GET /scim/v2/Users/:id",
    about("Returns a user.", ...SCIM_FOUND),
    ({ app, sent, request, params: { id } }) => scimResource(request, getUserByScim(app, sent, id)),
  ),
  scimEndpoint(
    "PUT /scim/v2/Users/:id",
    about("Replaces a user.", ...SCIM_REPLACED),
    ({ app, sent, request, params: { id } }) => scimResource(request, replaceUserByScim(app, sent, id)),
  ),
  scimEndpoint(
    "PATCH /scim/v2/Users/:id",
    about("Changes a user; `active: false` ends their sessions at once.", ...SCIM_REPLACED),
    ({ app, sent, request, params: { id } }) => scimResource(request, patchUserByScim(app, sent, id)),
  ),
  scimEndpoint(
    "DELETE /scim/v2/Users/:id",
    about("Disables a user and hides the user from the provider. Nothing is erased.", ...SCIM_REMOVED),
    ({ app, sent, params: { id } }) => scimRemoved(removeUserByScim(app, sent, id)),
  ),
  scimEndpoint(
    "GET /scim/v2/Groups",
    about("Lists groups, by filter and page.", ...SCIM_LISTED),
    ({ app, sent }) => scimDocument(listGroupsByScim(app, sent)),
  ),
  scimEndpoint(
    "POST /scim/v2/Groups",
    about("Creates a group. Its members get the rights of its name at once.", ...SCIM_CREATED),
    ({ app, sent, request }) => scimResource(request, createGroupByScim(app, sent), 201),
  ),
  scimEndpoint(
    "GET /scim/v2/Groups/:id",
    about("Returns a group.", ...SCIM_FOUND),
    ({ app, sent, request, params: { id } }) => scimResource(request, getGroupByScim(app, sent, id)),
  ),
  scimEndpoint(
    "PUT /scim/v2/Groups/:id",
    about("Replaces a group.", ...SCIM_REPLACED),
    ({ app, sent, request, params: { id } }) => scimResource(request, replaceGroupByScim(app, sent, id)),
  ),
  scimEndpoint(
    "PATCH /scim/v2/Groups/:id",
    about("Changes a group or its members.", ...SCIM_REPLACED),
    ({ app, sent, request, params: { id } }) => scimResource(request, patchGroupByScim(app, sent, id)),
  ),
  scimEndpoint(
    "DELETE /scim/v2/Groups/:id",
    about("Deletes a group. Its members lose its rights.", ...SCIM_REMOVED),
    ({ app, sent, params: { id } }) => scimRemoved(removeGroupByScim(app, sent, id)),
  ),
  scimEndpoint(
    "GET /scim/v2/ServiceProviderConfig",
    about("Says what the service supports.", ...SCIM_DOCUMENTED),
    ({ app, sent }) => scimDocument(scimConfig(app, sent)),
  ),
  scimEndpoint(
    "GET /scim/v2/ResourceTypes",
    about("Lists the types of resources.", ...SCIM_DOCUMENTED),
    ({ app, sent }) => scimDocument(scimList(app, sent, "ResourceTypes")),
  ),
  scimEndpoint(
    "GET /scim/v2/ResourceTypes/:id",
    about("Returns a type of resource.", ...SCIM_DOCUMENTED),
    ({ app, sent, params: { id } }) => scimDocument(scimListed(app, sent, { name: "ResourceTypes", id })),
  ),
  scimEndpoint(
    "GET /scim/v2/Schemas",
    about("Lists the schemas of resources.", ...SCIM_DOCUMENTED),
    ({ app, sent }) => scimDocument(scimList(app, sent, "Schemas")),
  ),
  scimEndpoint(
    "GET /scim/v2/Schemas/:id",
    about("Returns a schema.", ...SCIM_DOCUMENTED),
    ({ app, sent, params: { id } }) => scimDocument(scimListed(app, sent, { name: "Schemas", id })),
  ),
);

export { action, loader };
