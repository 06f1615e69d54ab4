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
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import {
  SCIM_CREATED,
  SCIM_DOCUMENTED,
  SCIM_FOUND,
  SCIM_LISTED,
  SCIM_REMOVED,
  SCIM_REPLACED,
} from "#app/http/openapi/scim.ts";
import { scimDocument, scimFailure, scimRemoved, scimRequest, scimResource } from "#app/http/users/scim.ts";

// The bearer token names the agency; every domain function checks it first.
const SCIM = { failure: scimFailure };

const { loader, action } = endpoints(
  "SCIM 2.0",
  endpoint(
    "GET /scim/v2/Users",
    "webhook",
    none,
    about("Lists users, by filter and page.", ...SCIM_LISTED),
    ({ app, request }) => scimDocument(listUsersByScim(app, scimRequest(app, request))),
    SCIM,
  ),
  endpoint(
    "POST /scim/v2/Users",
    "webhook",
    none,
    about("Creates a user, or takes over the one with this address.", ...SCIM_CREATED),
    ({ app, request }) => scimResource(request, createUserByScim(app, scimRequest(app, request)), 201),
    SCIM,
  ),
  endpoint(
    "GET /scim/v2/Users/:id",
    "webhook",
    none,
    about("Returns a user.", ...SCIM_FOUND),
    ({ app, request, params: { id } }) =>
      scimResource(request, getUserByScim(app, scimRequest(app, request), id)),
    SCIM,
  ),
  endpoint(
    "PUT /scim/v2/Users/:id",
    "webhook",
    none,
    about("Replaces a user.", ...SCIM_REPLACED),
    ({ app, request, params: { id } }) =>
      scimResource(request, replaceUserByScim(app, scimRequest(app, request), id)),
    SCIM,
  ),
  endpoint(
    "PATCH /scim/v2/Users/:id",
    "webhook",
    none,
    about("Changes a user; `active: false` ends their sessions at once.", ...SCIM_REPLACED),
    ({ app, request, params: { id } }) =>
      scimResource(request, patchUserByScim(app, scimRequest(app, request), id)),
    SCIM,
  ),
  endpoint(
    "DELETE /scim/v2/Users/:id",
    "webhook",
    none,
    about("Disables a user and hides the user from the provider. Nothing is erased.", ...SCIM_REMOVED),
    ({ app, request, params: { id } }) => scimRemoved(removeUserByScim(app, scimRequest(app, request), id)),
    SCIM,
  ),
  endpoint(
    "GET /scim/v2/Groups",
    "webhook",
    none,
    about("Lists groups, by filter and page.", ...SCIM_LISTED),
    ({ app, request }) => scimDocument(listGroupsByScim(app, scimRequest(app, request))),
    SCIM,
  ),
  endpoint(
    "POST /scim/v2/Groups",
    "webhook",
    none,
    about("Creates a group. Its members get the rights of its name at once.", ...SCIM_CREATED),
    ({ app, request }) => scimResource(request, createGroupByScim(app, scimRequest(app, request)), 201),
    SCIM,
  ),
  endpoint(
    "GET /scim/v2/Groups/:id",
    "webhook",
    none,
    about("Returns a group.", ...SCIM_FOUND),
    ({ app, request, params: { id } }) =>
      scimResource(request, getGroupByScim(app, scimRequest(app, request), id)),
    SCIM,
  ),
  endpoint(
    "PUT /scim/v2/Groups/:id",
    "webhook",
    none,
    about("Replaces a group.", ...SCIM_REPLACED),
    ({ app, request, params: { id } }) =>
      scimResource(request, replaceGroupByScim(app, scimRequest(app, request), id)),
    SCIM,
  ),
  endpoint(
    "PATCH /scim/v2/Groups/:id",
    "webhook",
    none,
    about("Changes a group or its members.", ...SCIM_REPLACED),
    ({ app, request, params: { id } }) =>
      scimResource(request, patchGroupByScim(app, scimRequest(app, request), id)),
    SCIM,
  ),
  endpoint(
    "DELETE /scim/v2/Groups/:id",
    "webhook",
    none,
    about("Deletes a group. Its members lose its rights.", ...SCIM_REMOVED),
    ({ app, request, params: { id } }) => scimRemoved(removeGroupByScim(app, scimRequest(app, request), id)),
    SCIM,
  ),
  endpoint(
    "GET /scim/v2/ServiceProviderConfig",
    "webhook",
    none,
    about("Says what the service supports.", ...SCIM_DOCUMENTED),
    ({ app, request }) => scimDocument(scimConfig(app, scimRequest(app, request))),
    SCIM,
  ),
  endpoint(
    "GET /scim/v2/ResourceTypes",
    "webhook",
    none,
    about("Lists the types of resources.", ...SCIM_DOCUMENTED),
    ({ app, request }) => scimDocument(scimList(app, scimRequest(app, request), "ResourceTypes")),
    SCIM,
  ),
  endpoint(
    "GET /scim/v2/ResourceTypes/:id",
    "webhook",
    none,
    about("Returns a type of resource.", ...SCIM_DOCUMENTED),
    ({ app, request, params: { id } }) =>
      scimDocument(scimListed(app, scimRequest(app, request), { name: "ResourceTypes", id })),
    SCIM,
  ),
  endpoint(
    "GET /scim/v2/Schemas",
    "webhook",
    none,
    about("Lists the schemas of resources.", ...SCIM_DOCUMENTED),
    ({ app, request }) => scimDocument(scimList(app, scimRequest(app, request), "Schemas")),
    SCIM,
  ),
  endpoint(
    "GET /scim/v2/Schemas/:id",
    "webhook",
    none,
    about("Returns a schema.", ...SCIM_DOCUMENTED),
    ({ app, request, params: { id } }) =>
      scimDocument(scimListed(app, scimRequest(app, request), { name: "Schemas", id })),
    SCIM,
  ),
);

export { action, loader };
