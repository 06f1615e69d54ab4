/** The OpenAPI document as the API pages show it. */

import { isForPrograms } from "#app/entities/accounts/access.ts";
import { curlOf, exampleBody, exampleOf, fetchOf } from "./api-example.ts";
import { type ApiShape, shapeOf } from "./api-shape.ts";
import { type ApiDocument, type JsonSchema, operationsOf, type PlacedOperation } from "./open-api.ts";

/** An operation in the list. */
export type ApiEntry = {
  id: string;
  method: string;
  path: string;
  summary: string;
  permission: string;
  isInternal: boolean;
};
export type ApiGroup = { name: string; description: string; entries: ApiEntry[] };

function entryOf({ method, path, operation }: PlacedOperation): ApiEntry {
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    permission: operation["x-odin-access"].permission,
    isInternal: operation["x-internal"] ?? false,
  };
}

/** Returns the operations of a document by group. */
export function apiGroups(document: ApiDocument): ApiGroup[] {
  const all = operationsOf(document);
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    entries: all.filter(({ operation }) => operation.tags.includes(name)).map(entryOf),
  }));
}

/** Returns the groups with the operations that contain every word. */
export function findOperations(groups: readonly ApiGroup[], find: string): ApiGroup[] {
  const words = find.toLowerCase().split(/\s/);
  return groups.flatMap((group) => {
    const entries = group.entries.filter(({ method, path, summary, permission }) => {
      const text = `${method} ${path} ${summary} ${permission} ${group.name}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return entries.length > 0 ? [{ ...group, entries }] : [];
  });
}

export type ApiParameterRow = { name: string; place: string; isRequired: boolean; description: string };
export type ApiBody = { type: string; shape: ApiShape | null };
export type ApiHeader = { name: string; description: string };
type ApiAnswer = { status: string; description: string; headers: ApiHeader[]; bodies: ApiBody[] };

export type ApiPage = ApiEntry & {
  group: string;
  details: string;
  needsRecentSignIn: boolean;
  parameters: ApiParameterRow[];
  request: ApiBody[];
  /** The answers to success, then the failures. All failures have the same shape. */
  answers: ApiAnswer[];
  failures: Pick<ApiAnswer, "status" | "description">[];
  failure: ApiShape | null;
  curl: string;
  fetch: string;
  /** The answer as JSON text, or "". */
  answer: string;
  /** A call that changes nothing and answers with JSON. */
  canTry: boolean;
};

/** Returns the page of an operation, or undefined if there is no such operation. */
export function apiPage(document: ApiDocument, id: string, origin: string): ApiPage | undefined {
  const placed = operationsOf(document).find(({ operation }) => operation.operationId === id);
  if (!placed) return undefined;
  const { operation, method } = placed;
  const components = document.components.schemas;
  const answers = Object.entries(operation.responses);
  const success = operation.responses["200"]?.content?.["application/json"]?.schema;
  const body = exampleBody(placed, components);
  const [failure] = Object.values(operation.responses.default?.content ?? {});
  return {
    ...entryOf(placed),
    group: operation.tags[0] ?? "",
    details: operation.description ?? "",
    needsRecentSignIn: operation["x-odin-access"].recent_sign_in,
    parameters: (operation.parameters ?? []).map((one) => ({
      name: one.name,
      place: one.in,
      isRequired: one.required ?? false,
      description: one.description ?? "",
    })),
    request: bodiesOf(operation.requestBody?.content, components),
    answers: answers
      .filter(([status]) => /^[23]/.test(status))
      .map(([status, { description, headers = {}, content }]) => ({
        status,
        description,
        headers: Object.entries(headers).map(([name, of]) => ({ name, description: of.description })),
        bodies: bodiesOf(content, components),
      })),
    failures: answers
      .filter(([status]) => !/^[23]/.test(status))
      .map(([status, { description }]) => ({ status: status === "default" ? "Other" : status, description })),
    failure: failure?.schema ? shapeOf(failure.schema, components) : null,
    curl: curlOf(placed, { origin, body }),
    fetch: fetchOf(placed, { origin, body }),
    answer: success ? JSON.stringify(exampleOf(success, { components, isBrief: false }), null, 2) : "",
    canTry: method === "get" && success !== undefined && !isForPrograms(operation["x-odin-access"].level),
  };
}

function bodiesOf(
  content: Record<string, { schema?: JsonSchema }> | undefined,
  components: Record<string, JsonSchema>,
): ApiBody[] {
  return Object.entries(content ?? {}).map(([type, { schema }]) => ({
    type,
    shape: schema ? shapeOf(schema, components) : null,
  }));
}
