// One operation of the OpenAPI document: the parameters, body and responses of an endpoint.

import type * as z from "zod/mini";
import {
  type ApiComponents,
  type ApiContent,
  type ApiParameter,
  type ApiResponse,
  type JsonSchema,
  type Reference,
  shared,
  type WrittenOperation,
} from "#app/entities/integrations/open-api.ts";
import type { EndpointFacts } from "#app/http/about.ts";
import type { Endpoint } from "#app/http/endpoint.ts";
import { capitalized } from "#app/lib/text.ts";
import { failuresOf } from "./failures.ts";
import { jsonSchemaOf, type Schemas } from "./schemas.ts";
import { accessOf, personOf, SESSION_SECURITY, securityOf } from "./security.ts";
import type { Tag } from "./tags.ts";

type Input = { endpoint: Endpoint; path: string; tag: Tag; components: ApiComponents };

/** Returns the operation of an endpoint. Adds the schemas that it refers to to the components. */
export function operationOf({ endpoint, path, tag, components }: Input): WrittenOperation {
  const { access, options, about } = endpoint;
  const { details, internal } = about.more;
  const parameters = parametersOf(endpoint, path, components);
  const content = bodyOf(endpoint, components.schemas);
  const security = securityOf(endpoint);
  return {
    operationId: operationId(endpoint.method, path),
    tags: [tag],
    summary: about.summary,
    ...(details !== undefined && { description: details }),
    ...(security !== SESSION_SECURITY && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: true, content } }),
    responses: { ...successesOf(endpoint, components.schemas), ...failuresOf(endpoint, components) },
    "x-odin-access": accessOf(access, options),
    ...(internal && { "x-internal": internal }),
  };
}

/** Returns `getGroupsByIdEditData` for GET /groups/{id}/edit-data. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/\{(\w+)\}/g, "by-$1")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map(capitalized);
  return method.toLowerCase() + words.join("");
}

const ID_PARAMETERS: Record<string, string> = {
  slug: "The name of the page in its address.",
  secret: "The secret that was shown when the address was created.",
  row: "The number of the row, from 0.",
  file: "The stored name of the file, as `attachment_path` gives it.",
  agency: "The id of the agency.",
  kind: "`vehicle` or `plate`.",
  name: "The name of the database.",
  z: "The zoom level.",
  x: "The column.",
  y: "The row.",
};

const PERSON: ApiParameter = {
  name: "on_behalf_of",
  in: "query",
  description:
    "Whom a service account makes the call for: the username or work email of a user of its agency. No one else may send it.",
  schema: { type: "string" },
};

/** The parameter as a component, for calls that a service account makes for a person, and for those it makes for itself. */
const PERSONS = {
  required: { name: PERSON.name, value: PERSON },
  optional: {
    name: `optional_${PERSON.name}`,
    value: {
      ...PERSON,
      description: `${PERSON.description} A service account that sends \`plate\` in the query has to; without a plate, it may leave this out.`,
    },
  },
};

function parametersOf(
  endpoint: Endpoint,
  path: string,
  { schemas, parameters }: ApiComponents,
): (ApiParameter | Reference)[] {
  const { query, headers = {} } = endpoint.about.more;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    shared(parameters, {
      kind: "parameters",
      name,
      value: {
        name,
        in: "path",
        required: true,
        description: ID_PARAMETERS[name] ?? "The id.",
        schema: { type: "string" },
      },
    }),
  );
  const inHeaders = Object.entries(headers).map(
    ([name, description]): ApiParameter => ({ name, in: "header", description, schema: { type: "string" } }),
  );
  const person = personOf(endpoint);
  const inQuery = [
    ...(query ? queryParameters(query, schemas) : []),
    ...(person ? [shared(parameters, { kind: "parameters", ...PERSONS[person] })] : []),
  ];
  return [...inPath, ...inQuery, ...inHeaders];
}

function queryParameters(query: z.ZodMiniObject, schemas: Schemas): ApiParameter[] {
  const { properties = {}, required = [] } = jsonSchemaOf(query, schemas);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema,
  }));
}

/** Returns the body that an endpoint accepts, by media type; undefined if it accepts none. */
function bodyOf({ body, about }: Endpoint, schemas: Schemas): ApiContent | undefined {
  const { json = body, form, file = {} } = about.more;
  const content: ApiContent = {
    ...(json && { "application/json": { schema: jsonSchemaOf(json, schemas) } }),
    ...(form && { [formType(form)]: { schema: formSchema(form, schemas) } }),
    ...Object.fromEntries(Object.keys(file).map((type) => [type, {}])),
  };
  return Object.keys(content).length > 0 ? content : undefined;
}

type Form = NonNullable<EndpointFacts["form"]>;

function formType({ urlEncoded }: Form): string {
  return urlEncoded ? "application/x-www-form-urlencoded" : "multipart/form-data";
}

function formSchema({ fields, files = {} }: Form, schemas: Schemas): JsonSchema {
  const schema = jsonSchemaOf(fields, schemas);
  const parts = Object.entries(files).map(([name, description]): [string, JsonSchema] => [
    name,
    { type: "string", format: "binary", description },
  ]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(parts) } };
}

function successesOf({ about }: Endpoint, schemas: Schemas): Record<string, ApiResponse> {
  const { schema, status = 200, inParts, media, bare, headers } = about.answer;
  const content: ApiContent = {
    ...(schema && { "application/json": { schema: jsonSchemaOf(schema, schemas) } }),
    ...Object.fromEntries(
      Object.entries(media).map(([type, description]) => [type, { schema: mediaSchema(type, description) }]),
    ),
  };
  const named = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: "string" } },
  ]);
  const success: ApiResponse = {
    description: schema ? "The answer." : (Object.values(media)[0] ?? "The answer."),
    ...(named.length > 0 && { headers: Object.fromEntries(named) }),
    content,
  };
  return {
    ...(Object.keys(content).length > 0 && { [status]: success }),
    ...(inParts && { 206: success }),
    ...Object.fromEntries(Object.entries(bare).map(([status, description]) => [status, { description }])),
  };
}

/** Returns the schema of a body that no zod schema describes. */
function mediaSchema(type: string, description: string): JsonSchema {
  if (type === "application/json" || type.endsWith("+json")) return { type: "object", description };
  const isText = type.startsWith("text/") || type === "application/x-ndjson";
  return { type: "string", description, ...(!isText && { format: "binary" }) };
}
