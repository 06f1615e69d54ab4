import { describe, expect, it } from "vitest";
import { apiGroups, apiPage, findOperations } from "#app/entities/integrations/api-page.ts";
import {
  type ApiDocument,
  componentName,
  componentRef,
  operationsOf,
  shared,
  type WrittenOperation,
} from "#app/entities/integrations/open-api.ts";

const ORIGIN = "https://odin.example.gov";
const FAILURE = { type: "object", properties: { message: { type: "string" } }, required: ["message"] };

function written(operationId: string, over: Partial<WrittenOperation> = {}): WrittenOperation {
  return {
    operationId,
    tags: ["Hotlists"],
    summary: "Returns the groups.",
    responses: { default: { $ref: "#/components/responses/Failure" } },
    "x-odin-access": { level: "signed-in", permission: "Signed in", recent_sign_in: false },
    ...over,
  };
}

const DOCUMENT: ApiDocument = {
  openapi: "3.1.0",
  info: { title: "Odin", version: "1", description: "", summary: "" },
  servers: [],
  tags: [
    { name: "Hotlists", description: "Groups and plates." },
    { name: "Search", description: "Reads." },
    { name: "Empty", description: "Nothing." },
  ],
  security: [{ session: [] }],
  paths: {
    "/groups": {
      post: written("addGroup", {
        summary: "Creates a group.",
        description: "The caller becomes a member.",
        security: [],
        requestBody: {
          required: true,
          content: { "application/json": { schema: FAILURE }, "multipart/form-data": {} },
        },
        responses: {
          "201": { description: "Created." },
          "303": { description: "Redirects." },
          "400": { description: "Invalid." },
          "423": { description: "Locked." },
          default: { description: "Failed." },
        },
        "x-odin-access": { level: "admin", permission: "Administrator", recent_sign_in: true },
        "x-internal": true,
      }),
      get: written("listGroups", {
        parameters: [
          { $ref: "#/components/parameters/After" },
          { name: "X-Agency", in: "header", required: true, description: "The agency.", schema: {} },
        ],
        responses: {
          "200": {
            description: "The groups.",
            headers: { ETag: { description: "The version.", schema: {} } },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Group" } } },
          },
          default: { $ref: "#/components/responses/Failure" },
        },
      }),
    },
    "/reads": { delete: written("removeReads", { tags: ["Search"], summary: "Deletes reads." }) },
  },
  components: {
    schemas: { Group: { type: "object", properties: { name: { type: "string" } } } },
    responses: {
      Failure: { description: "Failed.", content: { "application/json": { schema: FAILURE } } },
    },
    parameters: { After: { name: "after", in: "query", schema: {} } },
    securitySchemes: {},
  },
};

const LIST = {
  id: "listGroups",
  method: "GET",
  path: "/groups",
  summary: "Returns the groups.",
  permission: "Signed in",
  isInternal: false,
};
const ADD = {
  id: "addGroup",
  method: "POST",
  path: "/groups",
  summary: "Creates a group.",
  permission: "Administrator",
  isInternal: true,
};
const REMOVE = { ...LIST, id: "removeReads", method: "DELETE", path: "/reads", summary: "Deletes reads." };

const NO_SHAPE = { description: "", limits: "", fields: [], variants: [] };
const GROUP_SHAPE = {
  ...NO_SHAPE,
  type: "Group",
  fields: [{ name: "name", isRequired: false, shape: { ...NO_SHAPE, type: "string" } }],
};
const FAILURE_SHAPE = {
  ...NO_SHAPE,
  type: "object",
  fields: [{ name: "message", isRequired: true, shape: { ...NO_SHAPE, type: "string" } }],
};

describe("the list of operations", () => {
  const groups = apiGroups(DOCUMENT);

  it("has the groups of the document, each with its operations in the order of their methods", () => {
    expect(groups).toEqual([
      { name: "Hotlists", description: "Groups and plates.", entries: [LIST, ADD] },
      { name: "Search", description: "Reads.", entries: [REMOVE] },
      { name: "Empty", description: "Nothing.", entries: [] },
    ]);
  });

  it.each([
    ["", ["listGroups", "addGroup", "removeReads"]],
    ["groups", ["listGroups", "addGroup"]],
    [" CREATES \t group ", ["addGroup"]],
    ["delete", ["removeReads"]],
    ["/reads", ["removeReads"]],
    ["administrator", ["addGroup"]],
    ["search", ["removeReads"]],
    ["hotlists signed", ["listGroups"]],
    ["group reads", []],
    ["groupscreates", []],
  ])("finds the operations with every word of %j", (find, ids) => {
    const found = findOperations(groups, find);
    expect(found.flatMap(({ entries }) => entries.map(({ id }) => id))).toEqual(ids);
    expect(found.every(({ entries }) => entries.length > 0)).toBe(true);
  });
});

describe("the page of an operation", () => {
  it("has everything about a call that reads", () => {
    expect(apiPage(DOCUMENT, "listGroups", ORIGIN)).toEqual({
      ...LIST,
      group: "Hotlists",
      details: "",
      needsRecentSignIn: false,
      parameters: [
        { name: "after", place: "query", isRequired: false, description: "" },
        { name: "X-Agency", place: "header", isRequired: true, description: "The agency." },
      ],
      request: [],
      answers: [
        {
          status: "200",
          description: "The groups.",
          headers: [{ name: "ETag", description: "The version." }],
          bodies: [{ type: "application/json", shape: GROUP_SHAPE }],
        },
      ],
      failures: [{ status: "Other", description: "Failed." }],
      failure: FAILURE_SHAPE,
      curl: `curl 'https://odin.example.gov/groups' \\\n  -H "Authorization: Bearer $TOKEN"`,
      fetch: [
        'const answer = await fetch("https://odin.example.gov/groups", {',
        '  headers: { authorization: "Bearer " + token },',
        "});",
        "if (!answer.ok) throw new Error((await answer.json()).message);",
        "const value = await answer.json();",
      ].join("\n"),
      answer: '{\n  "name": "Jo Smith"\n}',
      canTry: true,
    });
  });

  it("has everything about a call that changes something and answers without a body", () => {
    expect(apiPage(DOCUMENT, "addGroup", ORIGIN)).toMatchObject({
      ...ADD,
      details: "The caller becomes a member.",
      needsRecentSignIn: true,
      parameters: [],
      request: [
        { type: "application/json", shape: FAILURE_SHAPE },
        { type: "multipart/form-data", shape: null },
      ],
      answers: [
        { status: "201", description: "Created.", headers: [], bodies: [] },
        { status: "303", description: "Redirects.", headers: [], bodies: [] },
      ],
      failures: [
        { status: "400", description: "Invalid." },
        { status: "423", description: "Locked." },
        { status: "Other", description: "Failed." },
      ],
      failure: null,
      curl: [
        "curl 'https://odin.example.gov/groups' -X POST \\",
        "  -H 'Content-Type: application/json' \\",
        `  -d '{"message":"text"}'`,
      ].join("\n"),
      answer: "",
      canTry: false,
    });
  });

  it("is absent if there is no such operation", () => {
    expect(apiPage(DOCUMENT, "noSuchCall", ORIGIN)).toBeUndefined();
  });

  it("has no group and no failure if the operation states none", () => {
    const paths = { "/x": { get: written("bare", { tags: [], responses: {} }) } };
    expect(apiPage({ ...DOCUMENT, paths }, "bare", ORIGIN)).toMatchObject({
      group: "",
      answers: [],
      failures: [],
      failure: null,
    });
  });

  it.each([
    ["get", "signed-in", "application/json", true],
    ["get", "webhook", "application/json", false],
    ["get", "scim", "application/json", false],
    ["get", "signed-in", "application/pdf", false],
    ["post", "signed-in", "application/json", false],
    ["delete", "signed-in", "application/json", false],
  ] as const)("offers to try %s of level %s that answers with %s: %s", (method, level, type, canTry) => {
    const operation = written("tried", {
      responses: { "200": { description: "", content: { [type]: { schema: {} } } } },
      "x-odin-access": { level, permission: "", recent_sign_in: false },
    });
    const paths = { "/x": { [method]: operation } };
    expect(apiPage({ ...DOCUMENT, paths }, "tried", ORIGIN)?.canTry).toBe(canTry);
  });

  it("offers to try no call that answers without content", () => {
    const paths = { "/x": { get: written("tried", { responses: { "200": { description: "" } } }) } };
    expect(apiPage({ ...DOCUMENT, paths }, "tried", ORIGIN)).toMatchObject({ answer: "", canTry: false });
  });
});

describe("the operations of a document", () => {
  it("come path by path, with the parts that they share and the document's security unless they have their own", () => {
    const operations = operationsOf(DOCUMENT);
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "get /groups",
      "post /groups",
      "delete /reads",
    ]);
    const [list, add, remove] = operations.map(({ operation }) => operation);
    expect([list?.security, add?.security]).toEqual([[{ session: [] }], []]);
    expect(list?.parameters?.[0]).toEqual({ name: "after", in: "query", schema: {} });
    expect(list?.responses.default?.description).toBe("Failed.");
    expect(remove).not.toHaveProperty("parameters");
  });

  it("have every method of an API", () => {
    const operation = written("x");
    const item = { put: operation, patch: operation, delete: operation, post: operation, get: operation };
    const found = operationsOf({ ...DOCUMENT, paths: { "/x": item } });
    expect(found.map(({ method }) => method)).toEqual(["get", "post", "put", "patch", "delete"]);
  });

  it("are refused if they refer to a part that does not exist", () => {
    const operation = written("x", { responses: { default: { $ref: "#/components/responses/Other" } } });
    expect(() => operationsOf({ ...DOCUMENT, paths: { "/x": { get: operation } } })).toThrow(
      "The document has no #/components/responses/Other.",
    );
  });
});

describe("a reference to a schema", () => {
  it("has the name of a component", () => {
    expect(componentRef("Group")).toEqual({ $ref: "#/components/schemas/Group" });
    expect(componentName({ $ref: "#/components/schemas/Group" })).toBe("Group");
    expect(componentName({ $ref: "#/components/responses/Failure" })).toBeUndefined();
    expect(componentName({ $ref: "other.json#/components/schemas/Group" })).toBeUndefined();
    expect(componentName({ type: "string" })).toBeUndefined();
  });
});

describe("a part that several operations share", () => {
  it("is added once under its name", () => {
    const among: Record<string, object> = {};
    const add = (name: string, value: object) => shared(among, { kind: "responses", name, value });
    expect(add("Failure", { description: "Failed." })).toEqual({ $ref: "#/components/responses/Failure" });
    expect(add("Failure", { description: "Failed." })).toEqual({ $ref: "#/components/responses/Failure" });
    expect(() => add("Failure", { description: "Lost." })).toThrow("Two responses are named Failure.");
    expect(among).toEqual({ Failure: { description: "Failed." } });
    expect(shared({}, { kind: "parameters", name: "After", value: {} })).toEqual({
      $ref: "#/components/parameters/After",
    });
  });
});
