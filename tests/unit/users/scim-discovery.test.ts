import { describe, expect, it } from "vitest";
import { resourceTypes, scimSchemas, serviceProviderConfig } from "#app/entities/users/scim/discovery.ts";

const BASE = "https://odin.example/scim/v2";
const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** The characteristics that RFC 7643 section 2.2 gives attributes that do not say otherwise. */
const usual = {
  multiValued: false,
  required: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
};
const text = { ...usual, type: "string", caseExact: false };
const description = expect.stringMatching(/\.$/);

describe("the service provider configuration (RFC 7643 section 5)", () => {
  it("says that Odin supports PATCH, filters and versions, and nothing else that is optional", () => {
    expect(serviceProviderConfig(BASE)).toStrictEqual({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
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
      meta: {
        resourceType: "ServiceProviderConfig",
        location: "https://odin.example/scim/v2/ServiceProviderConfig",
      },
    });
  });
});

describe("the resource types (RFC 7643 section 6)", () => {
  it("are users and groups, each with its endpoint and schema and without extensions", () => {
    expect(resourceTypes(BASE)).toStrictEqual([
      {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
        id: "User",
        name: "User",
        description,
        endpoint: "/Users",
        schema: USER,
        schemaExtensions: [],
        meta: {
          resourceType: "ResourceType",
          location: "https://odin.example/scim/v2/ResourceTypes/User",
        },
      },
      {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
        id: "Group",
        name: "Group",
        description,
        endpoint: "/Groups",
        schema: GROUP,
        schemaExtensions: [],
        meta: {
          resourceType: "ResourceType",
          location: "https://odin.example/scim/v2/ResourceTypes/Group",
        },
      },
    ]);
  });
});

describe("the schemas (RFC 7643 section 7)", () => {
  const attributesOf = (schema: string) => scimSchemas(BASE).find(({ id }) => id === schema)?.attributes;
  const userAttribute = (name: string) => attributesOf(USER)?.find((one) => one.name === name);
  const groupAttribute = (name: string) => attributesOf(GROUP)?.find((one) => one.name === name);

  it("are those of users and groups, with their addresses", () => {
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:Schema"];
    expect(scimSchemas(BASE)).toStrictEqual([
      {
        schemas,
        id: USER,
        name: "User",
        description,
        attributes: expect.any(Array),
        meta: { resourceType: "Schema", location: `https://odin.example/scim/v2/Schemas/${USER}` },
      },
      {
        schemas,
        id: GROUP,
        name: "Group",
        description,
        attributes: expect.any(Array),
        meta: { resourceType: "Schema", location: `https://odin.example/scim/v2/Schemas/${GROUP}` },
      },
    ]);
  });

  it("list the attributes that Odin keeps", () => {
    expect(attributesOf(USER)?.map(({ name }) => name)).toEqual([
      "externalId",
      "userName",
      "name",
      "displayName",
      "active",
      "emails",
      "groups",
    ]);
    expect(attributesOf(GROUP)?.map(({ name }) => name)).toEqual(["externalId", "displayName", "members"]);
  });

  it("describe texts: an identifier by case, a required unique name, and any other", () => {
    expect(userAttribute("externalId")).toStrictEqual({
      ...text,
      name: "externalId",
      description,
      caseExact: true,
    });
    const unique = { ...text, description, required: true, uniqueness: "server" };
    expect(userAttribute("userName")).toStrictEqual({ ...unique, name: "userName" });
    expect(groupAttribute("displayName")).toStrictEqual({ ...unique, name: "displayName" });
    expect(userAttribute("displayName")).toStrictEqual({ ...text, name: "displayName", description });
  });

  it("describe booleans without caseExact", () => {
    expect(userAttribute("active")).toStrictEqual({ ...usual, name: "active", type: "boolean", description });
  });

  it("describe objects and lists with their parts", () => {
    expect(userAttribute("name")).toStrictEqual({
      ...usual,
      name: "name",
      type: "complex",
      description,
      subAttributes: [
        { ...text, name: "formatted", description },
        { ...text, name: "familyName", description },
        { ...text, name: "givenName", description },
      ],
    });
    expect(userAttribute("emails")).toStrictEqual({
      ...usual,
      name: "emails",
      type: "complex",
      description,
      multiValued: true,
      subAttributes: [
        { ...text, name: "value", description },
        { ...text, name: "type", description },
        { ...usual, name: "primary", type: "boolean", description },
        { ...text, name: "display", description },
      ],
    });
  });

  it("describe the groups of a user as read-only, and references by what they refer to", () => {
    const fixed = { mutability: "readOnly", description };
    const $ref = {
      ...usual,
      name: "$ref",
      type: "reference",
      caseExact: true,
      referenceTypes: ["User", "Group"],
      description,
    };
    expect(userAttribute("groups")).toStrictEqual({
      ...usual,
      ...fixed,
      name: "groups",
      type: "complex",
      multiValued: true,
      subAttributes: [
        { ...text, ...fixed, name: "value", caseExact: true },
        { ...$ref, ...fixed },
        { ...text, ...fixed, name: "display" },
        { ...text, ...fixed, name: "type" },
      ],
    });
    expect(groupAttribute("members")).toStrictEqual({
      ...usual,
      description,
      name: "members",
      type: "complex",
      multiValued: true,
      subAttributes: [
        { ...text, name: "value", description, caseExact: true },
        $ref,
        { ...text, ...fixed, name: "display" },
        { ...text, name: "type", description },
      ],
    });
  });
});
