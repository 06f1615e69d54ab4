/** The conditions that the filters of SCIM lists may contain (RFC 7644 section 3.4.2.2). Pure. */

import { GROUP_TYPE, type ScimType, scimProblem, USER_TYPE } from "./attributes.ts";
import { parseScimFilter, type ScimTerm } from "./filter.ts";

export type UserCondition =
  | { field: "id" | "userName" | "externalId" | "displayName" | "email" | "emailType"; value: string }
  | { field: "active"; value: boolean };

export type GroupCondition = { field: "id" | "displayName" | "externalId" | "member"; value: string };

/** Returns the conditions that a filter sets; none without a filter. Throws invalidFilter. */
export function userConditions(filter: string | null): UserCondition[] {
  return conditions<UserCondition>(USER_TYPE, filter, (term, name) => {
    if (name === "emails") return emailConditions(term);
    if (term.within || term.part !== "") return undefined;
    if (name === "active") return [{ field: "active", value: booleanIn(term) }];
    if (name === "id") return [{ field: "id", value: textIn(term) }];
    if (name === "username") return [{ field: "userName", value: textIn(term) }];
    if (name === "externalid") return [{ field: "externalId", value: textIn(term) }];
    return name === "displayname" ? [{ field: "displayName", value: textIn(term) }] : undefined;
  });
}

/** Returns the same for groups. */
export function groupConditions(filter: string | null): GroupCondition[] {
  return conditions<GroupCondition>(GROUP_TYPE, filter, (term, name) => {
    if (name === "members") return valuesOf(term, "value", (value) => ({ field: "member", value }));
    if (term.within || term.part !== "") return undefined;
    if (name === "id") return [{ field: "id", value: textIn(term) }];
    if (name === "externalid") return [{ field: "externalId", value: textIn(term) }];
    return name === "displayname" ? [{ field: "displayName", value: textIn(term) }] : undefined;
  });
}

function conditions<T>(
  type: ScimType,
  filter: string | null,
  read: (term: ScimTerm, name: string) => T[] | undefined,
): T[] {
  if (filter === null) return [];
  return parseScimFilter(filter).flatMap((term) => {
    const isOurs = term.urn === "" || term.urn === type.urn.toLowerCase();
    const found = isOurs ? read(term, term.name.toLowerCase()) : undefined;
    if (!found) throw unknown(term);
    return found;
  });
}

/** Handles `emails eq "x"`, `emails.value eq "x"`, and a type in brackets, as Microsoft Entra ID sends it. */
function emailConditions(term: ScimTerm): UserCondition[] | undefined {
  return valuesOf(term, "type", (value, part) => ({
    field: part === "type" ? "emailType" : "email",
    value,
  }));
}

/** Returns the conditions on the values of an attribute; `also` is the other part that brackets may name. */
function valuesOf<T>(
  term: ScimTerm,
  also: string,
  read: (value: string, part: string) => T,
): T[] | undefined {
  const found: T[] = [];
  for (const one of term.within ?? []) {
    const part = one.name.toLowerCase();
    if (one.part !== "" || (part !== "value" && part !== also)) return undefined;
    found.push(read(textIn(one), part));
  }
  if (term.value === undefined) return found;
  const part = term.part.toLowerCase() || "value";
  if (part !== "value") return undefined;
  return [...found, read(textIn(term), part)];
}

function unknown({ name, part }: ScimTerm) {
  const path = (part === "" ? name : `${name}.${part}`).slice(0, 60);
  return scimProblem("invalidFilter", `Lists cannot be filtered by ${path}.`);
}

function textIn({ name, value }: ScimTerm): string {
  if (typeof value === "string") return value;
  throw scimProblem("invalidFilter", `${name} is compared with a text in double quotes.`);
}

function booleanIn({ name, value }: ScimTerm): boolean {
  const word = typeof value === "string" ? value.toLowerCase() : value;
  if (word === true || word === "true") return true;
  if (word === false || word === "false") return false;
  throw scimProblem("invalidFilter", `${name} is compared with true or false.`);
}
