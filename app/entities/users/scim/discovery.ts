/** The self-description of Odin's SCIM service (RFC 7643 sections 5 to 7). Pure. */

import { AppError } from "#app/lib/errors.ts";
import { GROUP_TYPE, type ScimAttribute, type ScimType, USER_TYPE } from "./attributes.ts";
import { listResponse, SCIM_PAGE } from "./resources.ts";

const TYPES = [USER_TYPE, GROUP_TYPE];

/** Returns the features of the service (RFC 7643 section 5). `base` is the address of the SCIM service. */
export function serviceProviderConfig(base: string) {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: SCIM_PAGE.most },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "The token that an administrator creates on the page Single Sign-On.",
        specUri: "https://www.rfc-editor.org/info/rfc6750",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

/** Returns the types of resources (RFC 7643 section 6). `base` is the address of the SCIM service. */
export function resourceTypes(base: string) {
  return TYPES.map((type) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id: type.name,
    name: type.name,
    description: type.description,
    endpoint: type.endpoint,
    schema: type.urn,
    schemaExtensions: [],
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${type.name}` },
  }));
}

/** Returns the schemas of users and groups (RFC 7643 section 7). `base` is the address of the SCIM service. */
export function scimSchemas(base: string) {
  return TYPES.map((type: ScimType) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
    id: type.urn,
    name: type.name,
    description: type.description,
    attributes: type.attributes.map(described),
    meta: { resourceType: "Schema", location: `${base}/Schemas/${type.urn}` },
  }));
}

type Described = {
  name: string;
  type: string;
  mutability: string;
  subAttributes?: Described[];
  [characteristic: string]: unknown;
};

/** Returns an attribute with the characteristics of RFC 7643 section 7. */
function described(attribute: ScimAttribute): Described {
  const { name, type, description, parts } = attribute;
  return {
    name,
    type,
    multiValued: attribute.multiValued ?? false,
    description,
    required: attribute.required ?? false,
    ...(type === "string" && { caseExact: attribute.caseExact ?? false }),
    ...(type === "reference" && { caseExact: true, referenceTypes: ["User", "Group"] }),
    mutability: attribute.readOnly ? "readOnly" : "readWrite",
    returned: "default",
    uniqueness: attribute.unique ? "server" : "none",
    ...(parts && { subAttributes: parts.map(described) }),
  };
}

const LISTS = { ResourceTypes: resourceTypes, Schemas: scimSchemas };

/** Returns the answer of GET /scim/v2/ResourceTypes or /Schemas. */
export function discoveryList(base: string, name: keyof typeof LISTS) {
  const all = LISTS[name](base);
  return listResponse(all.length, 1, all);
}

/** Returns one item of a list. Throws AppError not_found. */
export function discoveryItem(base: string, { name, id }: { name: keyof typeof LISTS; id: string }) {
  const found = LISTS[name](base).find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (!found) throw new AppError("not_found", "There is no such resource.");
  return found;
}
