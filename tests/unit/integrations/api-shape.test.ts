import { describe, expect, it } from "vitest";
import { type ApiShape, shapeOf } from "#app/entities/integrations/api-shape.ts";
import type { JsonSchema } from "#app/entities/integrations/open-api.ts";

const NOTHING = { description: "", limits: "", fields: [], variants: [] };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const COMPONENTS: Record<string, JsonSchema> = {
  Sighting: {
    type: "object",
    description: "One read.",
    properties: { plate: { type: "string" } },
    required: ["plate"],
  },
  Program: { enum: ["Rekor", "Axon"], description: "Where a read comes from." },
  Tree: { type: "object", properties: { parent: ref("Tree") } },
  Either: { anyOf: [ref("Sighting"), { type: "string" }] },
  One: { oneOf: [ref("Sighting"), { type: "string" }] },
};

const plateField = { name: "plate", isRequired: true, shape: { ...NOTHING, type: "string" } };
const sighting: ApiShape = { ...NOTHING, type: "Sighting", description: "One read.", fields: [plateField] };

const shape = (schema: JsonSchema) => shapeOf(schema, COMPONENTS);
const limitsOf = (schema: JsonSchema) => shape({ type: "string", ...schema }).limits;

describe("the type of a schema in words", () => {
  it.each<[JsonSchema, string]>([
    [{ type: "string" }, "string"],
    [{ type: ["string", "null"] }, "string or null"],
    [{}, "any value"],
    [{ type: "string", format: "binary" }, "file"],
    [{ type: "string", format: "uuid" }, "string"],
    [{ enum: ["admin", 2, null] }, '"admin" | 2 | null'],
    [{ const: "Rekor" }, '"Rekor"'],
    [{ const: false }, "false"],
    [{ type: "array", items: { type: "integer" } }, "array of integer"],
    [{ type: "array", items: { type: "array", items: {} } }, "array of array of any value"],
    [{ type: "array", items: ref("Sighting") }, "array of Sighting"],
    [{ type: "object", additionalProperties: { type: "number" } }, "number by name"],
    [{ type: "object", additionalProperties: false }, "object"],
    [{ type: "object", additionalProperties: true }, "object"],
    [{ type: "object", properties: {}, additionalProperties: { type: "number" } }, "object"],
    [{ anyOf: [{ type: "string" }, { type: "integer" }] }, "string or integer"],
    [{ oneOf: [{ type: "string" }, { type: "integer" }] }, "string or integer"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string or null"],
    [{ anyOf: [{ type: "null" }, { type: "string" }, { type: "integer" }] }, "string or integer or null"],
    [ref("Sighting"), "Sighting"],
    [ref("Program"), '"Rekor" | "Axon"'],
    [ref("Either"), "Either"],
    [ref("One"), "One"],
    [ref("Unknown"), "Unknown"],
  ])("of %j is %s", (schema, type) => {
    expect(shape(schema).type).toBe(type);
  });
});

describe("the limits of a schema in words", () => {
  it.each<[JsonSchema, string]>([
    [{}, ""],
    [{ minLength: 0 }, ""],
    [{ minLength: 1 }, "at least 1 character"],
    [{ minLength: 2 }, "at least 2 characters"],
    [{ maxLength: 0 }, "at most 0 characters"],
    [{ maxLength: 1 }, "at most 1 character"],
    [{ maxLength: 2000 }, "at most 2,000 characters"],
    [{ minimum: 0 }, "from 0"],
    [{ minimum: -90 }, "from -90"],
    [{ minimum: -9007199254740990 }, "from -9007199254740990"],
    [{ maximum: 0 }, "to 0"],
    [{ maximum: 9007199254740990 }, "to 9007199254740990"],
    [{ maxItems: 1 }, "at most 1 entry"],
    [{ maxItems: 5000 }, "at most 5,000 entries"],
    [{ pattern: "^[0-9]+$" }, "pattern ^[0-9]+$"],
    [{ default: "UTC" }, 'default "UTC"'],
    [{ default: false }, "default false"],
    [{ default: 0 }, "default 0"],
    [{ default: "" }, ""],
    [{ default: null }, ""],
    [{ default: [] }, ""],
    [{ minLength: 1, maxLength: 64, pattern: "x" }, "at least 1 character, at most 64 characters, pattern x"],
    [{ minimum: 1, maximum: 9, default: 3 }, "from 1, to 9, default 3"],
  ])("%j are: %s", (schema, limits) => {
    expect(limitsOf(schema)).toBe(limits);
  });
});

describe("the shape of a schema", () => {
  it("has its fields with what is required", () => {
    const schema = {
      type: "object",
      description: "A place.",
      properties: {
        latitude: { type: "number", description: "In degrees.", minimum: -90 },
        name: { type: "string" },
      },
      required: ["latitude"],
    };
    expect(shape(schema)).toEqual({
      type: "object",
      description: "A place.",
      limits: "",
      variants: [],
      fields: [
        {
          name: "latitude",
          isRequired: true,
          shape: { ...NOTHING, type: "number", description: "In degrees.", limits: "from -90" },
        },
        { name: "name", isRequired: false, shape: { ...NOTHING, type: "string" } },
      ],
    });
    expect(shape({ type: "string" })).toEqual({ ...NOTHING, type: "string" });
  });

  it("has the fields and description of a component under the component's name", () => {
    expect(shape(ref("Sighting"))).toEqual(sighting);
    expect(shape(ref("Program")).description).toBe("Where a read comes from.");
    expect(shape({ ...ref("Unknown"), description: "Elsewhere." })).toEqual({
      ...NOTHING,
      type: "Unknown",
      description: "Elsewhere.",
    });
  });

  it("names a component within itself without its fields", () => {
    expect(shape(ref("Tree"))).toEqual({
      ...NOTHING,
      type: "Tree",
      fields: [{ name: "parent", isRequired: false, shape: { ...NOTHING, type: "Tree" } }],
    });
  });

  it("has the fields of its items, and their description unless it has its own", () => {
    const ofSightings = { ...sighting, type: "array of Sighting" };
    expect(shape({ items: ref("Sighting") })).toEqual(ofSightings);
    expect(shape({ items: ref("Sighting"), description: "Newest first.", maxItems: 2 })).toEqual({
      ...ofSightings,
      description: "Newest first.",
      limits: "at most 2 entries",
    });
    expect(shape({ items: { type: "string", maxLength: 5 } }).limits).toBe("");
  });

  it("has the fields of its values by name, and their description unless it has its own", () => {
    const byName = { ...sighting, type: "Sighting by name" };
    expect(shape({ additionalProperties: ref("Sighting") })).toEqual(byName);
    expect(shape({ additionalProperties: ref("Sighting"), description: "By camera." })).toEqual({
      ...byName,
      description: "By camera.",
    });
  });

  it("that may be null has the fields, the description and the limits of the other option", () => {
    expect(shape({ anyOf: [ref("Sighting"), { type: "null" }] })).toEqual({
      ...sighting,
      type: "Sighting or null",
    });
    const limited = { anyOf: [{ type: "string", maxLength: 5 }, { type: "null" }] };
    expect(shape(limited)).toEqual({ ...NOTHING, type: "string or null", limits: "at most 5 characters" });
    expect(shape({ ...limited, description: "Or none.", default: "x" })).toMatchObject({
      description: "Or none.",
      limits: 'at most 5 characters, default "x"',
    });
  });

  it("of several options has those as variants that have fields or variants", () => {
    const options = {
      anyOf: [ref("Sighting"), { type: "string" }, ref("Tree")],
      description: "One of them.",
    };
    const tree = shape(ref("Tree"));
    expect(shape(options)).toEqual({
      ...NOTHING,
      type: "Sighting or string or Tree",
      description: "One of them.",
      variants: [sighting, tree],
    });
    expect(shape(ref("Either"))).toEqual({ ...NOTHING, type: "Either", variants: [sighting] });
    expect(shape({ oneOf: [ref("Either"), { type: "string" }] }).variants).toEqual([
      { ...NOTHING, type: "Either", variants: [sighting] },
    ]);
  });

  it("whose only option is null has no fields", () => {
    expect(shape({ anyOf: [{ type: "null" }] })).toEqual({ ...NOTHING, type: "null" });
  });
});
