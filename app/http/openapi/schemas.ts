// Turns zod schemas into the JSON Schemas of the OpenAPI document.

import * as z from "zod/mini";
import { componentRef, type JsonSchema } from "#app/entities/integrations/open-api.ts";
import { schemaNotes } from "#app/lib/json/named-schema.ts";

/** The schemas of a document by name. */
export type Schemas = Record<string, JsonSchema>;

const DEFINITION = "#/$defs/";

type Converted = { schema: JsonSchema; definitions: Schemas };

const converted = new WeakMap<z.ZodMiniType, Converted>();

/**
 * Returns the JSON Schema of the values that a schema accepts. Adds named schemas to `schemas` and refers to them.
 * Rules that only code can check (a plate pattern, a time zone) are left out.
 */
export function jsonSchemaOf(schema: z.ZodMiniType, schemas: Schemas): JsonSchema {
  const made = converted.get(schema) ?? convert(schema);
  converted.set(schema, made);
  for (const [name, definition] of Object.entries(made.definitions)) schemas[name] ??= definition;
  return made.schema;
}

function convert(schema: z.ZodMiniType): Converted {
  // Within another schema, a named schema becomes a reference as well.
  const { properties, $defs = {} } = z.toJSONSchema(z.object({ schema }), {
    io: "input",
    metadata: schemaNotes,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      delete jsonSchema.id;
      // The range of JavaScript's safe integers is not a rule of the field.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (zodSchema._zod.def.type === "object") setRequired(zodSchema, jsonSchema);
    },
  });
  const definitions = Object.entries($defs).map(([name, of]) => [name, withReferences(of)] as const);
  return { schema: withReferences(properties?.schema), definitions: Object.fromEntries(definitions) };
}

/** A field is required if its schema refuses undefined: many fill in a default by a transform. */
function setRequired(zodSchema: z.core.$ZodType, jsonSchema: { required?: string[] | undefined }): void {
  const { shape } = zodSchema._zod.def as z.core.$ZodObjectDef;
  const required = Object.keys(shape).filter((name) => {
    const field = shape[name];
    return field !== undefined && !z.safeParse(field, undefined).success;
  });
  if (required.length > 0) jsonSchema.required = required;
  else delete jsonSchema.required;
}

/** Returns a copy with references to components, as plain data. */
function withReferences(schema: unknown): JsonSchema {
  const text = JSON.stringify(schema ?? {}, (key, value: unknown) =>
    key === "$ref" && typeof value === "string" && value.startsWith(DEFINITION)
      ? componentRef(value.slice(DEFINITION.length)).$ref
      : value,
  );
  return JSON.parse(text);
}
