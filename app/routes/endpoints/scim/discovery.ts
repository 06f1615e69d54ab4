import { scimConfig, scimList, scimListed } from "#app/domain/users/scim/discovery.ts";
import { about } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { SCIM_DOCUMENTED } from "#app/http/openapi/scim.ts";
import { scimDocument, scimFailure, scimRequest } from "#app/http/users/scim.ts";

// The bearer token names the agency; every domain function checks it first.
const SCIM = { failure: scimFailure };

const { loader, action } = endpoints(
  "SCIM 2.0",
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
