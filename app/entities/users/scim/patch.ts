/**
 * PATCH operations on SCIM resources (RFC 7644 section 3.5.2), in both forms: with a path, and without one but with an
 * object. Names of operations and attributes ignore case. Pure.
 */

import { isObject } from "#app/lib/json/parse.ts";
import {
  attributeOf,
  isIgnored,
  MAX_SCIM_VALUES,
  named,
  readOneValue,
  readValue,
  type ScimAttribute,
  type ScimDocument,
  type ScimType,
  scimProblem,
} from "./attributes.ts";
import { parseScimPath, type ScimTerm } from "./filter.ts";

export type ScimOperation = {
  op: "add" | "replace" | "remove";
  /** Undefined: the value is an object of attributes. */
  path: string | undefined;
  value: unknown;
};

/** Maximum number of operations in one request. A value without a path counts as one for each of its attributes. */
const MAX_SCIM_OPERATIONS = 200;

const PATCH_URN = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** Returns the operations of a PATCH body. Throws invalidSyntax. */
export function parseScimPatch(body: unknown): ScimOperation[] {
  const wrong = (why: string) => scimProblem("invalidSyntax", why);
  if (!isObject(body)) throw wrong("The body is not a JSON object.");
  const schemas = fieldOf(body, "schemas");
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.includes(PATCH_URN)))
    throw wrong(`schemas must contain ${PATCH_URN}.`);
  const operations = fieldOf(body, "operations");
  if (!Array.isArray(operations) || operations.length === 0) throw wrong("Operations must be a list.");
  if (operations.length > MAX_SCIM_OPERATIONS)
    throw scimProblem("tooMany", `At most ${MAX_SCIM_OPERATIONS} operations in one request.`);
  const parsed = operations.map((one: unknown): ScimOperation => {
    if (!isObject(one)) throw wrong("An operation must be an object.");
    const [op, path] = [fieldOf(one, "op"), fieldOf(one, "path")];
    const word = typeof op === "string" ? op.toLowerCase() : "";
    if (word !== "add" && word !== "replace" && word !== "remove")
      throw wrong("op must be add, replace or remove.");
    if (path !== undefined && path !== null && typeof path !== "string")
      throw scimProblem("invalidPath", "path must be text.");
    return { op: word, path: path || undefined, value: fieldOf(one, "value") };
  });
  const changes = parsed.map(({ path, value }) =>
    path === undefined && isObject(value) ? Object.keys(value).length : 1,
  );
  if (changes.reduce((sum, one) => sum + one, 0) > MAX_SCIM_OPERATIONS)
    throw scimProblem(
      "tooMany",
      `At most ${MAX_SCIM_OPERATIONS} attributes in the operations of one request.`,
    );
  return parsed;
}

function fieldOf(object: Record<string, unknown>, name: string): unknown {
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Returns the resource after all operations, in their order. Throws the problem of the first invalid one. */
export function applyScimPatch(
  type: ScimType,
  before: ScimDocument,
  operations: readonly ScimOperation[],
): ScimDocument {
  return operations.reduce((document, operation) => apply(type, document, operation), before);
}

function apply(type: ScimType, document: ScimDocument, operation: ScimOperation): ScimDocument {
  const { op, path, value } = operation;
  if (path !== undefined) {
    const target = targetOf(type, path);
    return target ? change(document, target, { op, value }) : document;
  }
  if (op === "remove") throw scimProblem("noTarget", "To remove something, name its path.");
  if (!isObject(value)) throw scimProblem("invalidValue", "Without a path, the value must be an object.");
  return Object.entries(value).reduce((now, [key, one]) => {
    const target = knownTarget(type, key);
    return target ? change(now, target, { op, value: one }) : now;
  }, document);
}

type Target = { attribute: ScimAttribute; part: ScimAttribute | undefined; within: ScimTerm[] | null };

/**
 * Returns the target of a path; undefined for an extension or an attribute that Odin does not keep. Throws invalidPath
 * or mutability.
 */
function targetOf(type: ScimType, text: string): Target | undefined {
  const path = parseScimPath(text);
  if (path.urn !== "" && path.urn !== type.urn.toLowerCase()) return undefined;
  const attribute = attributeOf(type, path.name);
  const shown = text.slice(0, 100);
  if (attribute === "read-only") throw scimProblem("mutability", `${shown} cannot be changed.`);
  if (attribute === "ignored" || isIgnored(type, `${path.name}.${path.part}`)) return undefined;
  const part = named(attribute?.parts ?? [], path.part);
  const hasNoPart = path.part !== "" && !part;
  if (!attribute || hasNoPart || (path.within && !attribute.multiValued))
    throw scimProblem("invalidPath", `There is no attribute ${shown}.`);
  return { attribute, part, within: path.within };
}

/**
 * Does the same for a key of an object, which may be anything: attributes that Odin does not know or set are left out.
 */
function knownTarget(type: ScimType, key: string): Target | undefined {
  const schema = `${type.urn}:`.toLowerCase();
  const isOurs = key.toLowerCase().startsWith(schema);
  const [name = ""] = key.slice(isOurs ? schema.length : 0).split(/[.[]/);
  return typeof attributeOf(type, name) === "object" ? targetOf(type, key) : undefined;
}

type Change = { op: ScimOperation["op"]; value: unknown };

function change(document: ScimDocument, target: Target, { op, value }: Change): ScimDocument {
  const { attribute, part } = target;
  const now = document[attribute.name];
  const set = (after: unknown) => withValue(document, attribute.name, after);
  if (attribute.multiValued) return set(changedList(target, listOf(now), { op, value }));
  if (part) {
    const parts = isObject(now) ? now : {};
    const after = op === "remove" ? undefined : readOneValue(part, value);
    return set(filled(withValue(parts, part.name, after)));
  }
  if (op === "remove") return set(undefined);
  const after = readValue(attribute, value);
  // Parts that are not named stay as they are.
  return set(isObject(now) && isObject(after) ? { ...now, ...after } : after);
}

function withValue(document: ScimDocument, name: string, value: unknown): ScimDocument {
  const { [name]: _before, ...rest } = document;
  return value === undefined ? rest : { ...rest, [name]: value };
}

const filled = (parts: ScimDocument) => (Object.keys(parts).length === 0 ? undefined : parts);

function listOf(value: unknown): ScimDocument[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function changedList(target: Target, before: ScimDocument[], change: Change): ScimDocument[] | undefined {
  const isSome = target.within !== null || target.part !== undefined;
  const after = isSome ? changedValues(target, before, change) : changedWhole(target, before, change);
  if (after.length > MAX_SCIM_VALUES)
    throw scimProblem("tooMany", `At most ${MAX_SCIM_VALUES} values of ${target.attribute.name}.`);
  const list = onePrimary(before, after);
  return list.length === 0 ? undefined : list;
}

/** Changes an attribute as a whole: `members`. */
function changedWhole({ attribute }: Target, before: ScimDocument[], { op, value }: Change): ScimDocument[] {
  const given = listOf(readValue(attribute, value));
  const keyOf = keyOfValues(attribute);
  if (op === "replace") return [...new Map(given.map((one) => [keyOf(one), one])).values()];
  if (op === "remove") {
    // Microsoft Entra ID names the values to remove beside the path.
    if (value === undefined || value === null) return [];
    const gone = new Set(given.map(keyOf));
    return before.filter((one) => !gone.has(keyOf(one)));
  }
  const all = new Map(before.map((one) => [keyOf(one), one]));
  for (const one of given) all.set(keyOf(one), { ...all.get(keyOf(one)), ...one });
  return [...all.values()];
}

/** Changes some values of an attribute, or one part of them: `emails[type eq "work"].value`. */
function changedValues(target: Target, before: ScimDocument[], { op, value }: Change): ScimDocument[] {
  const { attribute, part, within } = target;
  const isMeant = within === null ? () => true : matcher(attribute, within);
  const given = op === "remove" ? undefined : part ? readOneValue(part, value) : oneOf(attribute, value);
  const changed = (one: ScimDocument): ScimDocument[] => {
    if (op === "remove" && !part) return [];
    if (part) {
      const rest = withValue(one, part.name, given);
      return Object.keys(rest).length === 0 ? [] : [rest];
    }
    return [{ ...one, ...(isObject(given) ? given : {}) }];
  };
  if (op === "remove" || before.some(isMeant))
    return before.flatMap((one) => (isMeant(one) ? changed(one) : [one]));
  if (op === "replace" && within !== null)
    throw scimProblem("noTarget", "No value matches the filter in the path.");
  return [...before, ...changed(within ? termsAsValue(attribute, within) : {})];
}

/** Returns one value of an attribute; a list with one item counts as that item. */
function oneOf(attribute: ScimAttribute, value: unknown): unknown {
  const list = listOf(readValue(attribute, value));
  if (list.length > 1) throw scimProblem("invalidValue", "A path with a filter takes one value.");
  return list[0];
}

/** Returns the part that distinguishes the values of an attribute. */
function keyOfValues({ parts = [] }: ScimAttribute) {
  const isExact = named(parts, "value")?.caseExact === true;
  return (one: ScimDocument) => {
    const value = typeof one.value === "string" ? one.value : "";
    return isExact ? value : value.toLowerCase();
  };
}

function matcher({ name, parts = [] }: ScimAttribute, terms: ScimTerm[]) {
  const tests = terms.map((term) => {
    const part = named(parts, term.name);
    if (!part || term.part !== "")
      throw scimProblem("invalidPath", `${name} has no ${term.name.slice(0, 60)}.`);
    const fold = (value: unknown) =>
      typeof value === "string" && !part.caseExact ? value.toLowerCase() : value;
    const wanted = fold(part.type === "boolean" ? readOneValue(part, term.value) : term.value);
    return (one: ScimDocument) => fold(one[part.name]) === wanted;
  });
  return (one: ScimDocument) => tests.every((test) => test(one));
}

/** Returns the value to add that a filter describes: `emails[type eq "work"]`. */
function termsAsValue({ parts = [] }: ScimAttribute, terms: ScimTerm[]): ScimDocument {
  return terms.reduce<ScimDocument>((value, term) => {
    const part = named(parts, term.name);
    return part ? withValue(value, part.name, readOneValue(part, term.value)) : value;
  }, {});
}

/** A value that becomes primary takes this property from the others (RFC 7644 section 3.5.2). */
function onePrimary(before: ScimDocument[], after: ScimDocument[]): ScimDocument[] {
  const known = new Set(before);
  const fresh = after.findLast((one) => one.primary === true && !known.has(one));
  if (!fresh) return after;
  return after.map((one) => (one !== fresh && one.primary === true ? { ...one, primary: false } : one));
}
