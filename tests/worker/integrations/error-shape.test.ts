import { beforeAll, expect, inject, it } from "vitest";
import { type ApiOperation, operationsOf } from "#app/entities/integrations/open-api.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { anonymous, type Client, client, newAgency, newUser, send } from "../../factories.ts";

// All failures have the same shape (docs/api.md#conventions). Every worker test also checks its responses against the
// OpenAPI document.

let owner: Client;
beforeAll(async () => {
  owner = await client(await newUser((await newAgency()).id, { username: "owner", role: "admin" }));
});

const operations = operationsOf(inject("apiDocument")).map(({ path, method, operation }) => ({
  // "none" is not a valid id.
  path: path.replace(/\{\w+\}/g, "none"),
  template: path,
  method: method.toUpperCase(),
  operation,
}));
/** Its body is optional: a call without one toggles the setting. */
const OPTIONAL = "/toggle-push-alerts";
const isScim = ({ operation }: { operation: ApiOperation }) => operation["x-odin-access"].level === "scim";
const withJson = operations.filter(
  (one) =>
    one.path !== OPTIONAL &&
    one.operation.requestBody?.content["application/json"] &&
    one.operation["x-odin-access"].level !== "webhook" &&
    !isScim(one),
);

/** Expects a failure in the common shape. Returns its code. */
async function codeOf(what: string, answer: Response): Promise<string> {
  const text = await answer.text();
  const body = parseJson(text) as Record<string, unknown>;
  expect(body, `${what}: ${answer.status} ${text.slice(0, 100)}`).toMatchObject({
    msg: expect.stringMatching(/\S/),
    request_id: answer.headers.get("x-request-id"),
  });
  expect([body.message, body.error], what).toEqual([body.msg, body.msg]);
  return String(body.code);
}

it.each([
  ["another media type", { "content-type": "text/plain" }, "{}", 415],
  ["a body that is not JSON", { "content-type": "application/json" }, "{oops", 400],
  ["a body that is too large", { "content-type": "application/json" }, `"${"x".repeat(3_000_000)}"`, 413],
] as const)("a call with %s fails in the common shape", async (_, headers, body, status) => {
  // The large body is sent to only one operation per tag.
  const tags = new Set<string>();
  const asked = withJson.filter(({ operation }) => {
    const [tag = ""] = operation.tags;
    const isFirst = !tags.has(tag);
    tags.add(tag);
    return status !== 413 || isFirst;
  });
  const codes = new Map<number, number>();
  for (const { method, path } of asked) {
    const answer = await owner.fetch(path, { method, headers, body });
    // Some endpoints check other things first, such as whether the id exists.
    expect.soft(`${method} ${path}: ${answer.status}`).toMatch(/: 4\d\d$/);
    if (answer.status < 400) continue;
    codes.set(answer.status, (codes.get(answer.status) ?? 0) + 1);
    const code = await codeOf(`${method} ${path}`, answer);
    if (answer.status === 415) expect(code).toBe("unsupported_media");
    if (answer.status === 413) expect(code).toBe("too_large");
  }
  expect(codes.get(status) ?? 0).toBeGreaterThan(asked.length / 2);
});

it("a call with another method fails in the common shape and names the allowed methods", async () => {
  const templates = new Map(operations.map((one) => [one.template, one]));
  for (const { template, path } of templates.values()) {
    const allowed = operations.filter((one) => one.template === template).map(({ method }) => method);
    const other = ["DELETE", "PUT", "PATCH", "POST", "GET"].find((method) => !allowed.includes(method));
    const answer = await owner.fetch(path, { method: other ?? "" });
    expect([path, answer.status]).toEqual([path, 405]);
    // A path may match several templates.
    expect(answer.headers.get("allow")?.split(", "), path).toEqual(expect.arrayContaining(allowed));
    await codeOf(path, answer);
  }
  const unheard = await owner.fetch("/search-data", { method: "PROPFIND" });
  expect([unheard.status, await codeOf("PROPFIND", unheard)]).toEqual([405, "undefined"]);
});

it("calls without a session or to unknown paths fail in the common shape", async () => {
  for (const { path, method, operation } of operations) {
    if (operation.security.length === 0 || operation.responses.default?.content?.["text/plain"]) continue;
    const answer = await anonymous.fetch(path, { method });
    // A caller without a session is signed out already.
    if (path === "/logout") {
      expect(answer.status).toBe(200);
      continue;
    }
    expect([method, path, answer.status]).toEqual([method, path, 401]);
    if (!isScim({ operation })) expect(await codeOf(path, answer)).toBe("unauthenticated");
    // SCIM has its own shape.
    else
      expect(await answer.json(), path).toEqual({
        schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
        status: "401",
        detail: expect.stringMatching(/\S/),
      });
  }
  const headers = { authorization: "Bearer x", accept: "application/json" };
  for (const method of ["GET", "POST", "DELETE"]) {
    const answer = await send("/api/no-such-call", { method, headers });
    expect([method, answer.status]).toEqual([method, 404]);
    await codeOf(`${method} /api/no-such-call`, answer);
  }
});

const range = { start_time: "2026-11-01T00:00Z", end_time: "2026-11-02T00:00Z" };
const search = { justification: "Stolen vehicle", agencies: ["none"], ...range };

it.each([
  ["/search-data", { ...search, plate: {} }, "plate"],
  ["/search-data", { ...search, filters: { top_rack: "yes" } }, "filters.top_rack"],
  ["/update-alert-permissions-api", { hotlist_admin_none: "x" }, "hotlist_admin_none"],
  ["/export-pdf", { justification: "Stolen vehicle", records: [null] }, "records.0"],
])("a body of %s with a wrong field fails with its name: %j", async (path, body, field) => {
  const answer = await owner.post(path, body);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ msg: `The field "${field}" is missing or invalid.` });
});
