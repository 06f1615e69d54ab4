// What the SCIM service says about itself, to clients with a valid token.

import type { AppContext } from "#app/context.ts";
import type { ScimCall } from "#app/entities/users/scim/call.ts";
import { resourceTypes, scimSchemas, serviceProviderConfig } from "#app/entities/users/scim/discovery.ts";
import { listResponse } from "#app/entities/users/scim/resources.ts";
import { AppError } from "#app/lib/errors.ts";
import { scimClient } from "./client.ts";

/** GET /scim/v2/ServiceProviderConfig. */
export async function scimConfig(app: AppContext, call: ScimCall) {
  return serviceProviderConfig((await scimClient(app, call)).base);
}

const LISTS = { ResourceTypes: resourceTypes, Schemas: scimSchemas };

/** GET /scim/v2/ResourceTypes and /Schemas. */
export async function scimList(app: AppContext, call: ScimCall, name: keyof typeof LISTS) {
  const { base } = await scimClient(app, call);
  const all = LISTS[name](base);
  return listResponse(all.length, 1, all);
}

/** Returns one of a list. Throws AppError not_found. */
export async function scimListed(
  app: AppContext,
  call: ScimCall,
  { name, id }: { name: keyof typeof LISTS; id: string },
) {
  const { base } = await scimClient(app, call);
  const found = LISTS[name](base).find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (!found) throw new AppError("not_found", "There is no such resource.");
  return found;
}
