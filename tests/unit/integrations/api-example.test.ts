import { describe, expect, it } from "vitest";
import { curlOf, exampleBody, exampleOf, fetchOf } from "#app/entities/integrations/api-example.ts";
import type {
  ApiContent,
  ApiOperation,
  JsonSchema,
  PlacedOperation,
} from "#app/entities/integrations/open-api.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const COMPONENTS: Record<string, JsonSchema> = {
  Read: {
    type: "object",
    properties: { plate: { type: "string" }, note: { type: "string" }, at: { type: "string" } },
    required: ["at"],
  },
  Tree: { type: "object", properties: { parent: ref("Tree") }, required: ["parent"] },
  List: { type: "array", items: ref("List") },
};
const example = (schema: JsonSchema, name = "") =>
  exampleOf(schema, { components: COMPONENTS, isBrief: false }, name);
const brief = (schema: JsonSchema) => exampleOf(schema, { components: COMPONENTS, isBrief: true });

describe("an example of a schema", () => {
  it.each<[JsonSchema, unknown]>([
    [{ type: "string" }, "text"],
    [{ type: "boolean" }, true],
    [{ type: "integer" }, 1],
    [{ type: "number", minimum: 5 }, 5],
    [{ type: "number", minimum: 0 }, 0],
    [{ type: "array" }, []],
    [{ type: "object" }, {}],
    [{}, {}],
    [{ type: ["string", "null"] }, "text"],
    [{ type: ["integer", "null"], default: 7 }, 7],
    [{ type: "boolean", default: false }, false],
    [{ type: "string", default: "" }, ""],
    [{ type: "string", examples: ["first", "second"] }, "first"],
    [{ type: "boolean", examples: [false] }, false],
    [{ type: "string", examples: [] }, "text"],
    [{ const: 0 }, 0],
    [{ enum: ["admin", "user"] }, "admin"],
    [{ anyOf: [{ type: "null" }, { type: "boolean" }] }, true],
    [{ oneOf: [{ type: "null" }, { type: "integer" }] }, 1],
    [{ type: "array", items: { type: "boolean" } }, [true]],
    [{ type: "object", additionalProperties: { type: "boolean" } }, { name: true }],
    [{ type: "object", additionalProperties: { type: "string" } }, { name: "text" }],
    [{ type: "object", additionalProperties: false }, {}],
    [
      { type: "object", properties: { a: { type: "boolean" }, b: {} } },
      { a: true, b: {} },
    ],
    [ref("Read"), { plate: "AB12345", note: "text", at: "text" }],
    [ref("Unknown"), {}],
  ])("%j is %j", (schema, value) => {
    expect(example(schema)).toEqual(value);
  });

  it.each<[string, JsonSchema, unknown]>([
    ["plate", { type: "string" }, "AB12345"],
    ["plate", { type: ["null", "string"] }, "AB12345"],
    ["plate", { type: "boolean" }, true],
    ["plate", { type: "array", items: { type: "string" } }, ["AB12345"]],
    ["plate", { enum: ["X"] }, "X"],
    ["latitude", { type: "number" }, 41.7637],
    ["latitude", { type: "string" }, "text"],
    ["agencies", { type: "array", items: { type: "string" } }, ["hartford-pd"]],
    ["agencies", { type: "array", items: { type: "integer" } }, [1]],
    ["agencies", { type: "array" }, []],
    ["agencies", { type: "string" }, "text"],
    ["plates", { type: "array", items: { type: "string" } }, ["AB12345"]],
    ["usernames", { type: "array", items: { type: "string" } }, ["jsmith"]],
    ["names", { type: "array", items: { type: "string" } }, ["Jo Smith"]],
    ["state", { anyOf: [{ type: "null" }, { type: "string" }] }, "CT"],
    ["created_at", { type: "integer" }, 1_795_246_930_000],
    ["createdAt", { type: "integer" }, 1_795_246_930_000],
    ["paused_until", { type: "number" }, 1_795_246_930_000],
    ["paused_until", { type: "string" }, "2026-11-21T07:42:10.000Z"],
    ["last_at_home", { type: "integer" }, 1],
    ["created_at", { type: "string" }, "2026-11-21T07:42:10.000Z"],
    ["valid_after", { type: "string" }, "2026-11-21T07:42:10.000Z"],
    ["last_time", { type: "string" }, "2026-11-21T07:42:10.000Z"],
    ["timestamp", { type: "string" }, "2026-11-21T07:42:10.000Z"],
    ["time_zone", { type: "string" }, "text"],
    ["valid_after", { type: "integer" }, 1],
    ["toString", { type: "string" }, "text"],
  ])("of a field named %s, %j, is %j", (name, schema, value) => {
    expect(example(schema, name)).toEqual(value);
  });

  it("that is brief has only what is required, and the plate", () => {
    expect(brief(ref("Read"))).toEqual({ plate: "AB12345", at: "text" });
    expect(brief({ type: "array", items: ref("Read") })).toEqual([{ plate: "AB12345", at: "text" }]);
    expect(brief({ properties: { note: { type: "string" } } })).toEqual({});
  });

  it("of a schema within itself ends after 20 levels, of which half are references", () => {
    const text = (schema: JsonSchema) => JSON.stringify(example(schema));
    const nested = (start: string, times: number, inner: string, end: string) =>
      `${start.repeat(times)}${inner}${end.repeat(times)}`;
    expect(text(ref("Tree"))).toBe(nested('{"parent":', 11, "null", "}"));
    expect(text(ref("List"))).toBe(nested("[", 11, "", "]"));
    expect(text({ additionalProperties: ref("List") })).toBe(`{"name":${nested("[", 10, "null", "]")}}`);
  });
});

const OPERATION: ApiOperation = {
  operationId: "x",
  tags: [],
  summary: "",
  security: [],
  responses: {},
  "x-odin-access": { level: "public", permission: "", recent_sign_in: false },
};
const JSON_CONTENT = { "application/json": { schema: { type: "object" } } };

function placed(method: PlacedOperation["method"], over: Partial<ApiOperation> = {}): PlacedOperation {
  return { method, path: "/groups/{id}", operation: { ...OPERATION, ...over } };
}

const ORIGIN = "https://odin.example.gov";
const TOKEN = { security: [{ token: [] }] };
const BODY = { reason: "driver's" };

describe("a call as a command line", () => {
  it("is its address alone if it only reads", () => {
    expect(curlOf(placed("get"), { origin: ORIGIN, body: undefined })).toBe(
      "curl 'https://odin.example.gov/groups/{id}'",
    );
  });

  it("has its method, its token and its body, with quotes that a shell accepts", () => {
    expect(curlOf(placed("delete"), { origin: ORIGIN, body: undefined })).toBe(
      "curl 'https://odin.example.gov/groups/{id}' -X DELETE",
    );
    expect(curlOf(placed("post", TOKEN), { origin: ORIGIN, body: BODY }).split("\n")).toEqual([
      "curl 'https://odin.example.gov/groups/{id}' -X POST \\",
      '  -H "Authorization: Bearer $TOKEN" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d '{"reason":"driver'\\''s"}'`,
    ]);
  });

  it("has the parameters that the address requires", () => {
    const parameter = (name: string, over: object) => ({ name, in: "query" as const, schema: {}, ...over });
    const parameters = [
      parameter("after", { required: true }),
      parameter("before", { required: false }),
      parameter("limit", {}),
      parameter("id", { in: "path", required: true }),
      parameter("find", { required: true }),
    ];
    expect(curlOf(placed("get", { parameters }), { origin: ORIGIN, body: undefined })).toBe(
      "curl 'https://odin.example.gov/groups/{id}?after=…&find=…'",
    );
  });
});

describe("a call as a script", () => {
  it("is its address alone if it only reads, and a file unless it answers with JSON", () => {
    expect(fetchOf(placed("get"), { origin: ORIGIN, body: undefined }).split("\n")).toEqual([
      'const answer = await fetch("https://odin.example.gov/groups/{id}");',
      "if (!answer.ok) throw new Error((await answer.json()).message);",
      "const value = await answer.blob();",
    ]);
    for (const [responses, method] of [
      [{ "200": { description: "", content: JSON_CONTENT } }, "json"],
      [{ "200": { description: "", content: { "application/pdf": {} } } }, "blob"],
      [{ "200": { description: "" } }, "blob"],
      [{ "201": { description: "", content: JSON_CONTENT } }, "blob"],
    ] as const)
      expect(fetchOf(placed("get", { responses }), { origin: ORIGIN, body: undefined })).toContain(
        `await answer.${method}();`,
      );
  });

  it("has its method, its token and its body", () => {
    const lines = (one: PlacedOperation, body: unknown) =>
      fetchOf(one, { origin: ORIGIN, body }).split("\n").slice(0, -2);
    expect(lines(placed("put", TOKEN), BODY)).toEqual([
      'const answer = await fetch("https://odin.example.gov/groups/{id}", {',
      '  method: "PUT",',
      '  headers: { authorization: "Bearer " + token, "content-type": "application/json" },',
      `  body: JSON.stringify({"reason":"driver's"}),`,
      "});",
    ]);
    expect(lines(placed("get", TOKEN), undefined)).toEqual([
      'const answer = await fetch("https://odin.example.gov/groups/{id}", {',
      '  headers: { authorization: "Bearer " + token },',
      "});",
    ]);
    expect(lines(placed("post"), undefined)).toEqual([
      'const answer = await fetch("https://odin.example.gov/groups/{id}", {',
      '  method: "POST",',
      "});",
    ]);
    expect(lines(placed("post"), {})[2]).toBe('  headers: { "content-type": "application/json" },');
  });
});

describe("the body of an example call", () => {
  it("has what its schema requires", () => {
    const content = { "application/json": { schema: ref("Read") } };
    const one = placed("post", { requestBody: { required: true, content } });
    expect(exampleBody(one, COMPONENTS)).toEqual({ plate: "AB12345", at: "text" });
  });

  it("is absent if the call takes no JSON", () => {
    expect(exampleBody(placed("post"), COMPONENTS)).toBeUndefined();
    const contents: ApiContent[] = [
      { "multipart/form-data": { schema: {} } },
      { "application/json": {} },
      {},
    ];
    for (const content of contents) {
      const one = placed("post", { requestBody: { required: true, content } });
      expect(exampleBody(one, COMPONENTS)).toBeUndefined();
    }
  });
});
