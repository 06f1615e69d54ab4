/** Examples of requests and answers, made from their schemas with synthetic values. */

import { componentName, type JsonSchema, type PlacedOperation } from "./open-api.ts";

type Components = Readonly<Record<string, JsonSchema>>;

/** Values by the name of a field, where the type alone says too little. */
const VALUES: Record<string, unknown> = {
  plate: "AB12345",
  plate_number: "AB12345",
  number: "AB12345",
  state: "CT",
  plate_state: "CT",
  make: "Honda",
  color: "Blue",
  body_type: "SUV",
  vehicle_make: "Honda",
  username: "jsmith",
  name: "Jo Smith",
  email: "jsmith@police.example",
  agency: "Hartford Police",
  agency_name: "Hartford Police",
  agencies: ["hartford-pd"],
  camera: "Main St",
  camera_name: "Main St",
  justification: "Stolen vehicle, case 26-1044",
  reason: "Stolen vehicle",
  case_number: "26-1044",
  start_time: "2026-11-20T08:00:00Z",
  end_time: "2026-11-21T08:00:00Z",
  timestamp: "2026-11-21T07:42:10.000Z",
  latitude: 41.7637,
  longitude: -72.6851,
  confidence: 91,
  url: "https://cad.example.gov/odin",
  base_url: "https://agency.evidence.example",
  msg: "Saved",
  token: "Zr5…",
  password: "…",
};

/** A time as a number of milliseconds since 1970. */
const TIME_MS = Date.UTC(2026, 10, 21, 7, 42, 10);
/** Far deeper than any answer. Recursive schemas end here. */
const MAX_DEPTH = 20;

type How = { components: Components /** Leaves out what is not required. */; isBrief: boolean };

/** Returns a value that a schema accepts. */
export function exampleOf(schema: JsonSchema, how: How, name = "", depth = 0): unknown {
  const component = componentName(schema);
  if (component !== undefined)
    return depth > MAX_DEPTH ? null : exampleOf(how.components[component] ?? {}, how, name, depth + 1);
  const [given] = schema.examples ?? [];
  if (given !== undefined) return given;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [option] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== "null");
  if (option) return exampleOf(option, how, name, depth);
  if (name in VALUES && fits(VALUES[name], schema)) return VALUES[name];
  if (schema.properties) return objectOf(schema, how, depth);
  if (schema.items) return depth > MAX_DEPTH ? [] : [exampleOf(schema.items, how, singular(name), depth + 1)];
  if (typeof schema.additionalProperties === "object")
    return { name: exampleOf(schema.additionalProperties, how, "", depth + 1) };
  return primitiveOf(schema, name);
}

function objectOf({ properties = {}, required = [] }: JsonSchema, how: How, depth: number): unknown {
  const fields = Object.entries(properties).filter(
    ([field]) => !how.isBrief || required.includes(field) || field === "plate",
  );
  return Object.fromEntries(
    fields.map(([field, of]) => [field, depth > MAX_DEPTH ? null : exampleOf(of, how, field, depth + 1)]),
  );
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return typeof type === "string" ? [type] : (type ?? []);
}

function fits(value: unknown, schema: JsonSchema): boolean {
  const types = typesOf(schema);
  if (Array.isArray(value)) return types.includes("array") && typesOf(schema.items ?? {}).includes("string");
  return types.includes(typeof value);
}

function primitiveOf(schema: JsonSchema, name: string): unknown {
  const [type] = typesOf(schema);
  if (schema.default !== undefined) return schema.default;
  if (type === "boolean") return true;
  if (type === "integer" || type === "number")
    return /(_at|At|_until)$/.test(name) ? TIME_MS : (schema.minimum ?? 1);
  if (type === "string") return /(_at|_until|_after|time|timestamp)$/.test(name) ? VALUES.timestamp : "text";
  return type === "array" ? [] : {};
}

function singular(name: string): string {
  return name.replace(/s$/, "");
}

/** Returns a path with example values in place of its parameters. */
function examplePath({ path, operation }: Pick<PlacedOperation, "path" | "operation">): string {
  const query = (operation.parameters ?? []).filter((one) => one.in === "query" && one.required);
  const search = query.map(({ name }) => `${name}=…`).join("&");
  return `${path}${search === "" ? "" : `?${search}`}`;
}

/** Returns the JSON body of an example request, or undefined if the operation takes none. */
export function exampleBody({ operation }: PlacedOperation, components: Components): unknown {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return schema && exampleOf(schema, { components, isBrief: true });
}

/** Returns the request as a command line for curl. */
export function curlOf(placed: PlacedOperation, input: { origin: string; body: unknown }): string {
  const { method, operation } = placed;
  const lines = [`curl '${input.origin}${examplePath(placed)}'`];
  if (method !== "get") lines[0] += ` -X ${method.toUpperCase()}`;
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (input.body !== undefined)
    lines.push(
      "-H 'Content-Type: application/json'",
      `-d '${JSON.stringify(input.body).replaceAll("'", "'\\''")}'`,
    );
  return lines.join(" \\\n  ");
}

/** Returns the request as a script for a browser, Node or Deno. */
export function fetchOf(placed: PlacedOperation, input: { origin: string; body: unknown }): string {
  const { method, operation } = placed;
  const headers = [
    ...(operation.security.length > 0 ? ['authorization: "Bearer " + token'] : []),
    ...(input.body === undefined ? [] : ['"content-type": "application/json"']),
  ];
  const options = [
    ...(method === "get" ? [] : [`  method: "${method.toUpperCase()}",`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(", ")} },`] : []),
    ...(input.body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(input.body)}),`]),
  ];
  const address = `"${input.origin}${examplePath(placed)}"`;
  const call = options.length === 0 ? `fetch(${address})` : `fetch(${address}, {\n${options.join("\n")}\n})`;
  const isJson = operation.responses["200"]?.content?.["application/json"] !== undefined;
  return `const answer = await ${call};\nif (!answer.ok) throw new Error((await answer.json()).message);\nconst value = await answer.${isJson ? "json" : "blob"}();`;
}
