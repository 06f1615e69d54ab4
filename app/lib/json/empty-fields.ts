// Clients that generate their bodies send null or an empty text for each optional field that is not filled in.

import * as z from "zod/mini";
import { isObject } from "./is-object.ts";

/**
 * Returns a value without the optional fields that are null or an empty text, wherever its schema takes neither: those
 * are absent. Fields that the schema requires, or for which it gives null or an empty text a meaning, stay as they are.
 */
export function withoutEmptyFields(schema: z.core.$ZodType, value: unknown): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return isObject(value) ? withoutEmptyOnes(def.shape, value) : value;
    case "array":
      return Array.isArray(value) ? value.map((one) => withoutEmptyFields(def.element, one)) : value;
    case "union": {
      const options = def.options.map((option) => ({ option, value: withoutEmptyFields(option, value) }));
      return (options.find((one) => accepts(one.option, one.value)) ?? { value }).value;
    }
    case "pipe":
      return withoutEmptyFields(def.in, value);
    case "optional":
    case "nullable":
    case "default":
      return withoutEmptyFields(def.innerType, value);
    default:
      return value;
  }
}

function withoutEmptyOnes(shape: z.core.$ZodShape, value: Record<string, unknown>): Record<string, unknown> {
  const changed = { ...value };
  for (const [name, field] of Object.entries(shape)) {
    if (!Object.hasOwn(changed, name)) continue;
    const isEmpty = changed[name] === null || changed[name] === "";
    if (!isEmpty) changed[name] = withoutEmptyFields(field, changed[name]);
    else if (accepts(field, undefined) && !accepts(field, changed[name])) delete changed[name];
  }
  return changed;
}

function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  return z.safeParse(schema, value).success;
}
