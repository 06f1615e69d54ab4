// What the SCIM service says about itself, to clients with a valid token.

import type { ScimClient } from "#app/domain/accounts/scim-token.ts";
import { resourceTypes, scimSchemas, serviceProviderConfig } from "#app/entities/users/scim/discovery.ts";
import { listResponse } from "#app/entities/users/scim/resources.ts";
import { AppError } from "#app/lib/errors.ts";

/** GET /scim/v2/ServiceProviderConfig. */
export function scimConfig({ base }: ScimClient) {
  return serviceProviderConfig(base);
}

const LISTS = { ResourceTypes: resourceTypes, Schemas: scimSchemas };

/** GET /scim/v2/ResourceTypes and /Schemas. */
export function scimList({ base }: ScimClient, name: keyof typeof LISTS) {
  const all = LISTS[name](base);
  return listResponse(all.length, 1, all);
}

/** Returns one of a list. Throws AppError not_found. */
export function scimListed({ base }: ScimClient, { name, id }: { name: keyof typeof LISTS; id: string }) {
  const found = LISTS[name](base).find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (!found) throw new AppError("not_found", "There is no such resource.");
  return found;
}
