/** The attributes of SCIM users and groups (RFC 7643 section 4) that Odin keeps, and how their values are read. Pure. */

import { AppError } from "#app/lib/errors.ts";
import { isObject } from "#app/lib/json/parse.ts";
import { textProblem } from "#app/lib/text.ts";

/** Keywords of RFC 7644 section 3.12 that tell a client what is wrong with its request. */
export type ScimProblem =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

/** Returns the error with a keyword of SCIM: 409 for uniqueness, otherwise 400. */
export function scimProblem(scimType: ScimProblem, message: string): AppError {
  const code = scimType === "uniqueness" ? "conflict" : "bad_request";
  return new AppError(code, message, { details: { scimType } });
}

export type ScimAttribute = {
  name: string;
  type: "string" | "boolean" | "complex" | "reference";
  description: string;
  multiValued?: boolean;
  required?: boolean;
  caseExact?: boolean;
  readOnly?: boolean;
  unique?: boolean;
  parts?: readonly ScimAttribute[];
};

export type ScimType = {
  name: "User" | "Group";
  urn: string;
  endpoint: string;
  description: string;
  attributes: readonly ScimAttribute[];
  /** Attributes of the standard that Odin does not keep. They are accepted and ignored. */
  ignored: readonly string[];
};

/** A resource as its attributes, by the names of the standard. Attributes without a value are left out. */
export type ScimDocument = { [name: string]: unknown };

const text = (name: string, description: string, more: Partial<ScimAttribute> = {}): ScimAttribute => ({
  name,
  type: "string",
  description,
  ...more,
});

const READ_ONLY = ["id", "meta", "schemas"];

/** The attributes of a user (RFC 7643 section 4.1) that Odin knows. */
export const USER_TYPE: ScimType = {
  name: "User",
  urn: "urn:ietf:params:scim:schemas:core:2.0:User",
  endpoint: "/Users",
  description: "Users of the agency whose email address is in one of its approved domains.",
  attributes: [
    text("externalId", "The client's own identifier of the person.", { caseExact: true }),
    text("userName", "The name of the person at the identity provider, unique in the agency.", {
      required: true,
      unique: true,
    }),
    {
      name: "name",
      type: "complex",
      description: "The parts of the person's name.",
      parts: [
        text("formatted", "The full name."),
        text("familyName", "The family name."),
        text("givenName", "The given name."),
      ],
    },
    text("displayName", "The name that Odin shows; without it, the full name."),
    { name: "active", type: "boolean", description: "Whether the person may sign in." },
    {
      name: "emails",
      type: "complex",
      multiValued: true,
      description:
        "Email addresses. Odin keeps one: the primary, else the first of type work, else the first.",
      parts: [
        text("value", "The address."),
        text("type", "For example work."),
        { name: "primary", type: "boolean", description: "Whether it is the address that Odin keeps." },
        text("display", "Ignored."),
      ],
    },
    {
      name: "groups",
      type: "complex",
      multiValued: true,
      readOnly: true,
      description: "The groups that the person belongs to.",
      parts: [
        text("value", "The group's id.", { readOnly: true, caseExact: true }),
        { name: "$ref", type: "reference", description: "The group's address.", readOnly: true },
        text("display", "The group's name.", { readOnly: true }),
        text("type", "Always direct.", { readOnly: true }),
      ],
    },
  ],
  ignored: [
    "addresses",
    "entitlements",
    "ims",
    "locale",
    "name.honorificPrefix",
    "name.honorificSuffix",
    "name.middleName",
    "nickName",
    "password",
    "phoneNumbers",
    "photos",
    "preferredLanguage",
    "profileUrl",
    "roles",
    "timezone",
    "title",
    "userType",
    "x509Certificates",
  ],
};

/** The attributes of a group (RFC 7643 section 4.2) that Odin knows. */
export const GROUP_TYPE: ScimType = {
  name: "Group",
  urn: "urn:ietf:params:scim:schemas:core:2.0:Group",
  endpoint: "/Groups",
  description: "Groups of the identity provider. The agency's settings say which of them grant rights.",
  attributes: [
    text("externalId", "The client's own identifier of the group.", { caseExact: true }),
    text("displayName", "The group's name, unique in the agency.", { required: true, unique: true }),
    {
      name: "members",
      type: "complex",
      multiValued: true,
      description: "The users in the group.",
      parts: [
        text("value", "The user's id.", { caseExact: true }),
        { name: "$ref", type: "reference", description: "The user's address." },
        text("display", "The user's name.", { readOnly: true }),
        text("type", "Always User."),
      ],
    },
  ],
  ignored: [],
};

/** The longest text of an attribute. */
const LONGEST_VALUE = 1000;
/** Maximum number of values of one attribute in a request. */
export const MAX_SCIM_VALUES = 10_000;

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** Returns the attribute or part with a name, ignoring case. */
export function named(list: readonly ScimAttribute[], name: string): ScimAttribute | undefined {
  return list.find((one) => same(one.name, name));
}

/**
 * Returns the attribute with a name: one that Odin stores, a standard one that it ignores, one that only Odin sets, or
 * undefined.
 */
export function attributeOf(
  type: ScimType,
  name: string,
): ScimAttribute | "ignored" | "read-only" | undefined {
  const attribute = named(type.attributes, name);
  if (attribute) return attribute.readOnly ? "read-only" : attribute;
  if (READ_ONLY.some((one) => same(one, name))) return "read-only";
  return isIgnored(type, name) ? "ignored" : undefined;
}

/** Returns whether the standard has an attribute, or a part of one, that Odin does not keep. */
export function isIgnored(type: ScimType, path: string): boolean {
  return type.ignored.some((one) => same(one, path));
}

/**
 * Returns the writable attributes of a whole resource. Attributes that Odin does not keep are left out. Throws
 * invalidValue.
 */
export function documentOf(type: ScimType, body: unknown): ScimDocument {
  if (!isObject(body)) throw scimProblem("invalidSyntax", "The body is not a JSON object.");
  const document: ScimDocument = {};
  for (const [key, raw] of Object.entries(body)) {
    const attribute = attributeOf(type, key);
    if (typeof attribute !== "object") continue;
    const value = readValue(attribute, raw);
    if (value !== undefined) document[attribute.name] = value;
  }
  return document;
}

/** Returns a value in the form of its attribute, or undefined for none. Throws invalidValue. */
export function readValue(attribute: ScimAttribute, raw: unknown): unknown {
  if (!attribute.multiValued) return readOneValue(attribute, raw);
  const list = Array.isArray(raw) ? raw : [raw];
  if (list.length > MAX_SCIM_VALUES)
    throw scimProblem("tooMany", `At most ${MAX_SCIM_VALUES} values of ${attribute.name} in one request.`);
  // Some clients send the value alone instead of an object.
  const values = list.flatMap((one) => {
    const value = readOneValue(attribute, typeof one === "string" ? { value: one } : one);
    return value === undefined ? [] : [value];
  });
  return values.length === 0 ? undefined : values;
}

/** Does the same for one value of an attribute, or for a part of it. */
export function readOneValue(attribute: ScimAttribute, raw: unknown): unknown {
  if (raw === null || raw === undefined) return undefined;
  if (attribute.type === "boolean") return booleanOf(attribute, raw);
  if (attribute.type === "complex") return partsOf(attribute, raw);
  if (typeof raw !== "string") throw scimProblem("invalidValue", `${attribute.name} must be text.`);
  if (raw.length > LONGEST_VALUE)
    throw scimProblem("invalidValue", `${attribute.name} can have at most ${LONGEST_VALUE} characters.`);
  const problem = textProblem(raw, { lines: false });
  if (problem) throw scimProblem("invalidValue", `${attribute.name} ${problem}.`);
  return raw.trim() === "" ? undefined : raw.trim();
}

/** Microsoft Entra ID sends booleans as text: "True" and "False". */
function booleanOf({ name }: ScimAttribute, raw: unknown): boolean {
  const word = typeof raw === "string" ? raw.trim().toLowerCase() : raw;
  if (word === true || word === "true") return true;
  if (word === false || word === "false") return false;
  throw scimProblem("invalidValue", `${name} must be true or false.`);
}

function partsOf({ name, parts = [] }: ScimAttribute, raw: unknown): ScimDocument | undefined {
  if (!isObject(raw)) throw scimProblem("invalidValue", `${name} must be an object.`);
  const values: ScimDocument = {};
  for (const [key, one] of Object.entries(raw)) {
    const part = named(parts, key);
    if (!part) continue;
    const value = readOneValue(part, one);
    if (value !== undefined) values[part.name] = value;
  }
  return Object.keys(values).length === 0 ? undefined : values;
}
