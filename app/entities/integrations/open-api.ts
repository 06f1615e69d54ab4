/** The parts of OpenAPI 3.1 and JSON Schema 2020-12 that Odin's API document uses. */

import type { Access } from "#app/entities/accounts/access.ts";

/** The access levels of the endpoint tables, as the document names them. */
export type ApiAccess = { level: Access; permission: string; recent_sign_in: boolean };

export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};

export type ApiParameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: JsonSchema;
};

export type ApiContent = Record<string, { schema?: JsonSchema }>;

export type ApiResponse = {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: ApiContent;
};

type Security = Record<string, string[]>[];

export type ApiOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Security;
  parameters?: ApiParameter[];
  requestBody?: { required: boolean; content: ApiContent };
  responses: Record<string, ApiResponse>;
  "x-odin-access": ApiAccess;
  /** For Odin's own screens: it may change without notice. */
  "x-internal"?: true;
};

export type Reference = { $ref: string };

/** An operation as the document writes it: references replace the parts that it shares with others. */
export type WrittenOperation = Omit<ApiOperation, "security" | "parameters" | "responses"> & {
  security?: Security;
  parameters?: (ApiParameter | Reference)[];
  responses: Record<string, ApiResponse | Reference>;
};

export type ApiComponents = {
  schemas: Record<string, JsonSchema>;
  responses: Record<string, ApiResponse>;
  parameters: Record<string, ApiParameter>;
};

const API_METHODS = ["get", "post", "put", "patch", "delete"] as const;
export type ApiMethod = (typeof API_METHODS)[number];

export type ApiDocument = {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string; summary: string };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  /** Applies to every operation that has none of its own. */
  security: Security;
  paths: Record<string, Partial<Record<ApiMethod, WrittenOperation>>>;
  components: ApiComponents & { securitySchemes: Record<string, Record<string, string>> };
};

/** An operation with its method and path. */
export type PlacedOperation = { method: ApiMethod; path: string; operation: ApiOperation };

/** Returns every operation of a document, in its order, with what it refers to. */
export function operationsOf(document: ApiDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    API_METHODS.flatMap((method) => {
      const written = item[method];
      return written ? [{ method, path, operation: resolved(written, document) }] : [];
    }),
  );
}

function resolved(written: WrittenOperation, { security, components }: ApiDocument): ApiOperation {
  const { parameters, responses, ...rest } = written;
  const answers = Object.entries(responses).map(([status, one]): [string, ApiResponse] => [
    status,
    targetOf(one, components.responses),
  ]);
  return {
    security,
    ...rest,
    ...(parameters && { parameters: parameters.map((one) => targetOf(one, components.parameters)) }),
    responses: Object.fromEntries(answers),
  };
}

function targetOf<T extends object>(one: T | Reference, among: Record<string, T>): T {
  if (!("$ref" in one)) return one;
  const target = among[one.$ref.slice(one.$ref.lastIndexOf("/") + 1)];
  if (!target) throw new Error(`The document has no ${one.$ref}.`);
  return target;
}

const COMPONENT = "#/components/schemas/";

/** Returns the name of the component that a schema refers to, or undefined. */
export function componentName(schema: JsonSchema): string | undefined {
  return schema.$ref?.startsWith(COMPONENT) ? schema.$ref.slice(COMPONENT.length) : undefined;
}

/** Returns the reference to a schema. */
export function componentRef(name: string): JsonSchema {
  return { $ref: `${COMPONENT}${name}` };
}

/** Adds a shared component and returns the reference to it. Throws if the name is taken by a different one. */
export function shared<T extends object>(
  among: Record<string, T>,
  { kind, name, value }: { kind: "responses" | "parameters"; name: string; value: T },
): Reference {
  const known = among[name];
  if (known && JSON.stringify(known) !== JSON.stringify(value))
    throw new Error(`Two ${kind} are named ${name}.`);
  among[name] = value;
  return { $ref: `#/components/${kind}/${name}` };
}
