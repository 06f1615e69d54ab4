/** The answers of SCIM (RFC 7643 section 3, RFC 7644 section 3.4.2): resources, lists, and parts of resources. Pure. */

import { isObject } from "#app/lib/json/parse.ts";
import { GROUP_TYPE, type ScimDocument, type ScimType, scimProblem, USER_TYPE } from "./attributes.ts";
import { groupDocument, personDocument, type ScimGroup, type ScimPerson } from "./person.ts";

/** A resource with its common attributes. `meta` has no version yet. */
export type ScimResource = ScimDocument & { id: string; meta: ScimMeta };
type ScimMeta = {
  resourceType: string;
  created: string;
  lastModified: string;
  location: string;
  version?: string;
};

type Times = { id: string; createdAt: number; changedAt: number };

/** Returns a user as a resource. `base` is the address of /scim/v2. */
export function userResource(
  base: string,
  input: Times & { person: Omit<ScimPerson, "name">; groups: { id: string; displayName: string }[] },
): ScimResource {
  const { id, person, groups } = input;
  return {
    schemas: [USER_TYPE.urn],
    id,
    ...personDocument(person),
    ...(groups.length > 0 && {
      groups: groups.map((group) => ({
        value: group.id,
        $ref: addressOf(base, GROUP_TYPE, group.id),
        display: group.displayName,
        type: "direct",
      })),
    }),
    meta: metaOf(base, USER_TYPE, input),
  };
}

/** Returns a group as a resource. */
export function groupResource(
  base: string,
  input: Times & { group: Omit<ScimGroup, "members">; members: { id: string; name: string }[] },
): ScimResource {
  const { id, group, members } = input;
  return {
    schemas: [GROUP_TYPE.urn],
    id,
    ...groupDocument({ ...group, members: [] }),
    ...(members.length > 0 && {
      members: members.map((member) => ({
        value: member.id,
        $ref: addressOf(base, USER_TYPE, member.id),
        display: member.name,
        type: "User",
      })),
    }),
    meta: metaOf(base, GROUP_TYPE, input),
  };
}

const addressOf = (base: string, { endpoint }: ScimType, id: string) =>
  `${base}${endpoint}/${encodeURIComponent(id)}`;

function metaOf(base: string, type: ScimType, { id, createdAt, changedAt }: Times): ScimMeta {
  return {
    resourceType: type.name,
    created: new Date(createdAt).toISOString(),
    lastModified: new Date(changedAt).toISOString(),
    location: addressOf(base, type, id),
  };
}

/** Resources in one page by default, and at most. */
export const SCIM_PAGE = { usual: 100, most: 200 };

export type ScimPaging = { startIndex: number; count: number };

/** Returns the page that a query asks for. Throws invalidValue. */
export function pagingOf(query: URLSearchParams): ScimPaging {
  const numberIn = (name: string, usual: number) => {
    const text = query.get(name)?.trim() || String(usual);
    if (!/^-?\d{1,15}$/.test(text)) throw scimProblem("invalidValue", `${name} must be a whole number.`);
    return Number(text);
  };
  return {
    startIndex: Math.max(1, numberIn("startIndex", 1)),
    count: Math.min(SCIM_PAGE.most, Math.max(0, numberIn("count", SCIM_PAGE.usual))),
  };
}

/** Returns a page of a list. */
export function listResponse(total: number, startIndex: number, resources: readonly unknown[]) {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** Attributes that are in every answer. */
const ALWAYS = ["schemas", "id"];

/** Returns the names of attributes in a query, in lower case and without their schema. */
function namesIn(query: URLSearchParams, field: string): string[] {
  const text = query.get(field)?.slice(0, 2000) ?? "";
  return text
    .split(",")
    .map((name) =>
      name
        .trim()
        .replace(/^urn:.*:/i, "")
        .toLowerCase(),
    )
    .filter(Boolean);
}

/** Returns whether a query leaves an attribute out, so that it need not be read. */
export function leavesOut(query: URLSearchParams, name: string): boolean {
  const only = namesIn(query, "attributes");
  if (only.length > 0) return !only.some((one) => one === name || one.startsWith(`${name}.`));
  return namesIn(query, "excludedAttributes").includes(name);
}

/** Returns the parts of a resource that a query asks for (RFC 7644 section 3.9). */
export function selected(resource: ScimResource, query: URLSearchParams): ScimDocument {
  const only = namesIn(query, "attributes");
  const without = only.length > 0 ? [] : namesIn(query, "excludedAttributes");
  if (only.length === 0 && without.length === 0) return resource;
  const isKept = (path: string) => (only.length > 0 ? only.includes(path) : !without.includes(path));
  const isInParts = (name: string) => [...only, ...without].some((one) => one.startsWith(`${name}.`));
  return Object.fromEntries(
    Object.entries(resource).flatMap(([key, value]) => {
      const name = key.toLowerCase();
      if (ALWAYS.includes(key)) return [[key, value]];
      const isWhole = typeof value !== "object" || !isInParts(name);
      if (isWhole || only.includes(name) || without.includes(name)) return isKept(name) ? [[key, value]] : [];
      const kept = partsOf(value, (part) => isKept(`${name}.${part.toLowerCase()}`));
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}

function partsOf(value: unknown, isKept: (part: string) => boolean): unknown {
  if (Array.isArray(value)) {
    const list = value.flatMap((one) => partsOf(one, isKept) ?? []);
    return list.length === 0 ? undefined : list;
  }
  if (!isObject(value)) return undefined;
  const kept = Object.entries(value).filter(([part]) => isKept(part));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
