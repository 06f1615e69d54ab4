import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { checkedJson } from "#app/http/body.ts";
import type { Endpoint } from "#app/http/endpoint.ts";

// Clients send null or an empty text for an optional field that is not filled in (docs/api.md, "Conventions").

type Table = { loader?: { documented?: { table: Endpoint[] } } };
const tables = Object.values(import.meta.glob<Table>("/app/routes/endpoints/**/*.ts", { eager: true }));

/** The documented calls that take JSON. */
const calls = tables
  .flatMap(({ loader }) => loader?.documented?.table ?? [])
  .flatMap(({ method, path, body, about }) => {
    const schema = about.more.json ?? body;
    return schema && about.more.hidden === undefined ? [{ call: `${method} ${path}`, schema }] : [];
  });

type Field = { path: string; name: string; schema: z.core.$ZodType };

/** Returns the optional fields of a body, also those of objects in it. */
function optionalFields(schema: z.core.$ZodType, path = ""): Field[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return Object.entries(def.shape).flatMap(([name, field]) => {
        const isOptional = z.safeParse(field, undefined).success;
        const here = `${path}.${name}`;
        return [...(isOptional ? [{ path: here, name, schema: field }] : []), ...optionalFields(field, here)];
      });
    case "array":
      return optionalFields(def.element, path);
    case "union":
      return def.options.flatMap((option) => optionalFields(option, path));
    case "pipe":
      return optionalFields(def.in, path);
    case "optional":
    case "nullable":
    case "default":
      return optionalFields(def.innerType, path);
    default:
      return [];
  }
}

const fields = calls.flatMap(({ call, schema }) =>
  optionalFields(schema).map((field) => ({ ...field, call: `${call} ${field.path}` })),
);

/** Returns whether a body with this field alone is taken. */
function isTaken({ name, schema }: Field, value: unknown): boolean {
  try {
    checkedJson(z.object({ [name]: schema as z.ZodMiniType }), { [name]: value });
    return true;
  } catch {
    return false;
  }
}

describe("an optional field", () => {
  it.each([
    ["null", null],
    ["an empty text", ""],
  ])("may be %s in every documented call", (_, value) => {
    expect(calls.length).toBeGreaterThan(60);
    expect(fields.length).toBeGreaterThan(100);
    expect(fields.filter((field) => !isTaken(field, value)).map(({ call }) => call)).toEqual([]);
  });

  it("is not filled in if it is null, at any depth, unless null has a meaning", () => {
    const schema = z.object({
      known: z._default(z.nullable(z.string()), "x"),
      other: z.optional(z.string()),
      days: z._default(z.number(), 90),
      areas: z.array(z.union([z.object({ name: z.optional(z.string()), at: z.number() }), z.literal("all")])),
    });
    const areas = [{ name: null, at: 1 }, "all"];
    expect(checkedJson(schema, { known: null, other: null, days: "", areas })).toEqual({
      known: null,
      days: 90,
      areas: [{ at: 1 }, "all"],
    });
  });
});

it("a required field is neither null nor empty", () => {
  const schema = z.object({ name: z.string().check(z.minLength(1)) });
  for (const name of [null, ""]) expect(() => checkedJson(schema, { name })).toThrow();
});
