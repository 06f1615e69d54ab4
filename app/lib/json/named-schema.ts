// Names and descriptions of schemas, for the OpenAPI document. They do not change what a schema accepts.

import * as z from "zod/mini";

/** Facts about a schema that the document adds to its type. A schema with an `id` becomes a component. */
type SchemaNotes = { id?: string; description?: string; examples?: unknown[] };

export const schemaNotes = z.registry<SchemaNotes>();

/** Names a schema, so that the document defines it once and refers to it. Names are unique. */
export function named<S extends z.ZodMiniType>(id: string, schema: S, description?: string): S {
  schemaNotes.add(schema, { id, ...(description !== undefined && { description }) });
  return schema;
}

/** Adds a description to a schema of a field. */
export function said<S extends z.ZodMiniType>(description: string, schema: S): S {
  schemaNotes.add(schema, { description });
  return schema;
}
