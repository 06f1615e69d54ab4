// Names and descriptions of schemas, for the OpenAPI document. They do not change what a schema accepts.

import * as z from "zod/mini";

/** Facts about a schema that the document adds to its type. A schema with an `id` becomes a component. */
type SchemaNotes = { id?: string; description?: string; examples?: unknown[] };

/** The notes of all schemas, which the OpenAPI document is generated with. */
export const schemaNotes = z.registry<SchemaNotes>();

/** Returns the schema itself, named, so that the document defines it once and refers to it. Names are unique. */
export function named<S extends z.ZodMiniType>(id: string, schema: S, description?: string): S {
  schemaNotes.add(schema, { id, ...(description !== undefined && { description }) });
  return schema;
}

/** Returns the schema of a field itself, with a description for the document. */
export function described<S extends z.ZodMiniType>(description: string, schema: S): S {
  schemaNotes.add(schema, { description });
  return schema;
}
