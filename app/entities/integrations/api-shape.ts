/** JSON Schemas in words: a type, and the fields below it. */

import { counted } from "#app/lib/number-text.ts";
import { componentName, type JsonSchema } from "./open-api.ts";

export type ApiField = { name: string; isRequired: boolean; shape: ApiShape };

export type ApiShape = {
  /** `string`, `array of Sighting`, `"admin" | "user"`. */
  type: string;
  description: string;
  /** Limits and defaults, in words. */
  limits: string;
  fields: ApiField[];
  /** The possible objects, if there are several. */
  variants: ApiShape[];
};

type Components = Readonly<Record<string, JsonSchema>>;

/** Returns a schema in words. A component within itself is named, not repeated. */
export function shapeOf(schema: JsonSchema, components: Components, seen: readonly string[] = []): ApiShape {
  const name = componentName(schema);
  if (name !== undefined) {
    const target = components[name];
    if (!target || seen.includes(name)) return plain(name, schema);
    const shape = shapeOf(target, components, [...seen, name]);
    return { ...shape, type: isObject(target) ? name : shape.type };
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return ofOptions(schema, options, { components, seen });
  if (schema.enum) return plain(schema.enum.map((value) => JSON.stringify(value)).join(" | "), schema);
  if (schema.const !== undefined) return plain(JSON.stringify(schema.const), schema);
  if (schema.items) {
    const inner = shapeOf(schema.items, components, seen);
    return { ...inner, type: `array of ${inner.type}`, ...wordsOf(schema, inner.description) };
  }
  if (typeof schema.additionalProperties === "object" && !schema.properties) {
    const inner = shapeOf(schema.additionalProperties, components, seen);
    return { ...inner, type: `${inner.type} by name`, ...wordsOf(schema, inner.description) };
  }
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(([field, of]) => ({
    name: field,
    isRequired: required.includes(field),
    shape: shapeOf(of, components, seen),
  }));
  return { ...plain(typeText(schema), schema), fields };
}

function isObject(schema: JsonSchema): boolean {
  return schema.type === "object" || schema.anyOf !== undefined || schema.oneOf !== undefined;
}

function ofOptions(
  schema: JsonSchema,
  options: readonly JsonSchema[],
  { components, seen }: { components: Components; seen: readonly string[] },
): ApiShape {
  const isNullable = options.some(({ type }) => type === "null");
  const shapes = options.filter(({ type }) => type !== "null").map((one) => shapeOf(one, components, seen));
  const type = [...shapes.map((shape) => shape.type), ...(isNullable ? ["null"] : [])].join(" or ");
  const [only, another] = shapes;
  if (only && !another) return { ...only, type, ...wordsOf(schema, only.description, only.limits) };
  return {
    ...plain(type, schema),
    variants: shapes.filter(({ fields, variants }) => fields.length + variants.length > 0),
  };
}

function plain(type: string, schema: JsonSchema): ApiShape {
  return { type, fields: [], variants: [], ...wordsOf(schema) };
}

function typeText({ type, format }: JsonSchema): string {
  if (format === "binary") return "file";
  if (type === undefined) return "any value";
  return typeof type === "string" ? type : type.join(" or ");
}

function wordsOf(
  schema: JsonSchema,
  description = "",
  limits = "",
): Pick<ApiShape, "description" | "limits"> {
  const { minLength, maxLength, minimum, maximum, maxItems, pattern } = schema;
  const words = [
    limits,
    minLength !== undefined && minLength > 0 ? `at least ${counted(minLength, "character")}` : "",
    maxLength === undefined ? "" : `at most ${counted(maxLength, "character")}`,
    minimum === undefined ? "" : `from ${minimum}`,
    maximum === undefined ? "" : `to ${maximum}`,
    maxItems === undefined ? "" : `at most ${counted(maxItems, "entry", "entries")}`,
    pattern === undefined ? "" : `pattern ${pattern}`,
    schema.default === undefined || typeof schema.default === "object" || schema.default === ""
      ? ""
      : `default ${JSON.stringify(schema.default)}`,
  ];
  return {
    description: schema.description ?? description,
    limits: words.filter((word) => word !== "").join(", "),
  };
}
