// Generates the OpenAPI document from the endpoint tables. Access, bodies and responses come from the tables, so
// nothing is written twice.

import {
  type ApiComponents,
  type ApiDocument,
  type ApiMethod,
  type ApiOperation,
  operationsOf,
} from "#app/entities/integrations/open-api.ts";
import type { Endpoint } from "#app/http/endpoint.ts";
import { ApiError } from "./failures.ts";
import { operationOf } from "./operation.ts";
import { jsonSchemaOf } from "./schemas.ts";
import { SECURITY_SCHEMES, SESSION_SECURITY } from "./security.ts";
import { TAGS, type Tag } from "./tags.ts";

/** An endpoint table with the group of its endpoints. */
type DocumentedTable = { tag: Tag; table: readonly Endpoint[] };

/** The version of the API, by Semantic Versioning. A change that breaks a client raises its first number. */
const API_VERSION = "1.0.0";

const DESCRIPTION = [
  "The calls of Odin's screens, of phones, of programs and of cameras.",
  'A program signs in with `POST /login` and `"client": "api"`, and sends the `token` of the answer as a bearer token.',
  "Times are ISO 8601, or milliseconds since 1970 where a field is a number. Ids may be sent as numbers.",
  "Optional fields of a body may also be null or an empty text, which mean the same as no field unless their schema says otherwise.",
  "Every failure has the shape `Error`, except those of SCIM and OpenID Connect. Answers may get new fields without a new version.",
  "Calls marked `x-internal` are made for Odin's own screens and may change without notice.",
].join("\n\n");

/** Returns the document of these tables, without the endpoints that declare themselves hidden. */
export function apiDocument(tables: readonly DocumentedTable[]): ApiDocument {
  const components: ApiComponents = { schemas: {}, responses: {}, parameters: {} };
  jsonSchemaOf(ApiError, components.schemas);
  const paths: ApiDocument["paths"] = {};
  for (const { tag, table } of tables)
    for (const endpoint of table) {
      if (endpoint.about.more.hidden !== undefined) continue;
      const path = documentedPath(endpoint.path);
      const method = endpoint.method.toLowerCase() as ApiMethod;
      const operation = operationOf({ endpoint, path, tag, components });
      paths[path] = { ...paths[path], [method]: operation };
    }
  const used = new Set(tables.map(({ tag }) => tag));
  const document: ApiDocument = {
    openapi: "3.1.0",
    info: {
      title: "Odin",
      version: API_VERSION,
      summary: "License-plate reads: search, hotlists, hits, exports and audit.",
      description: DESCRIPTION,
    },
    servers: [{ url: "/", description: "This installation" }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name as Tag))
      .map(([name, description]) => ({ name, description })),
    security: SESSION_SECURITY,
    paths,
    components: { ...components, securitySchemes: SECURITY_SCHEMES },
  };
  requireUniqueIds(operationsOf(document).map(({ operation }) => operation));
  return document;
}

/** Returns the path of a table in the notation of OpenAPI: `{id}` for `:id` and for `:id*`. */
function documentedPath(path: string): string {
  return path.replace(/:(\w+)\*?/g, "{$1}");
}

/** Generated clients name their functions by these. */
function requireUniqueIds(operations: readonly ApiOperation[]): void {
  const seen = new Set<string>();
  for (const { operationId } of operations) {
    if (seen.has(operationId)) throw new Error(`The operation ${operationId} is declared twice.`);
    seen.add(operationId);
  }
}
