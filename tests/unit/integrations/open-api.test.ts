import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { exampleOf } from "#app/entities/integrations/api-example.ts";
import { apiPage } from "#app/entities/integrations/api-page.ts";
import { operationsOf } from "#app/entities/integrations/open-api.ts";
import { openApiDocument } from "#app/routes/endpoints/api/tables.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const ENDPOINTS = join(ROOT, "app/routes/endpoints");

const document = openApiDocument();
const operations = operationsOf(document);

/** Returns METHOD and path of every endpoint as written in the tables, in the notation of OpenAPI. */
function declared(): string[] {
  const files = readdirSync(ENDPOINTS, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  return files
    .flatMap((name) => [
      ...readFileSync(join(ENDPOINTS, name), "utf8").matchAll(/\bendpoint\(\s*"([A-Z]+ [^"]+)"/g),
    ])
    .map(([, route = ""]) => route.replace(/:(\w+)\*?/g, "{$1}"));
}

/** Endpoints that their tables hide from the document; the tables state the reason. */
const HIDDEN = ["POST /dev-login"];

describe("the OpenAPI document", () => {
  it("is accepted by an independent validator", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it("has every endpoint of the tables, except those that declare themselves hidden", () => {
    const documented = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(documented.length).toBeGreaterThan(150);
    expect([...documented, ...HIDDEN].sort()).toEqual(declared().sort());
  });

  it("describes every operation and the content of every response", () => {
    for (const { method, path, operation } of operations) {
      expect(operation.summary, `${method} ${path}`).toMatch(/^[A-Z].{8,}\.$|\?$/);
      const successes = Object.entries(operation.responses).filter(([status]) => /^[23]/.test(status));
      expect(successes.length, `${method} ${path}`).toBeGreaterThan(0);
      for (const [status, { content }] of successes)
        if (status === "200") expect(Object.values(content ?? {}), `${method} ${path}`).not.toEqual([]);
      expect(operation.responses, `${method} ${path}`).toHaveProperty("default");
    }
  });

  it("defines failures and parameters that several calls share once, as components", () => {
    expect(JSON.stringify(document).length).toBeLessThan(340_000);
    const written = Object.values(document.paths).flatMap((item) => Object.values(item));
    for (const { operationId, responses } of written)
      for (const [status, response] of Object.entries(responses))
        expect("$ref" in response, `${operationId} ${status}`).toBe(!/^[23]/.test(status));
    const { responses, parameters } = document.components;
    for (const components of [responses, parameters]) {
      const texts = Object.values<object>(components).map((one) => JSON.stringify(one));
      expect(new Set(texts).size).toBe(texts.length);
    }
  });

  it("states the permission and the confirmation that a call needs", () => {
    const of = (id: string) => operations.find(({ operation }) => operation.operationId === id)?.operation;
    expect(of("deleteAdminDeleteUserById")?.["x-odin-access"]).toEqual({
      level: "admin",
      permission: "Administrator",
      recent_sign_in: true,
    });
    expect(of("postIngestAxisBySecret")?.security).toEqual([]);
    expect(of("postSearchData")?.security).toEqual([{ session: [] }, { token: [] }, { service: [] }]);
    expect(of("postSearchData")?.requestBody?.content["application/json"]?.schema?.required).toEqual([
      "justification",
      "start_time",
      "end_time",
      "agencies",
    ]);
  });

  it("states that every SCIM call takes the agency's SCIM token, and nothing else does", () => {
    const withToken = operations.filter(({ operation }) => operation.security.some((one) => "scim" in one));
    const byPath = operations.filter(({ path }) => path.startsWith("/scim/"));
    expect(withToken).toEqual(byPath);
    expect(byPath).toHaveLength(17);
    for (const { method, operation } of byPath) {
      const { responses, security } = operation;
      expect(security).toEqual([{ scim: [] }]);
      expect(operation["x-odin-access"]).toEqual({
        level: "scim",
        permission: "SCIM token of the agency",
        recent_sign_in: false,
      });
      expect(["401" in responses, "403" in responses]).toEqual([true, method !== "get"]);
    }
    expect(document.components.securitySchemes.scim).toMatchObject({ type: "http", scheme: "bearer" });
  });

  it("states which calls service accounts can make, and which of them must name a person", () => {
    const facts = (id: string) => {
      const { operation } = operations.find((one) => one.operation.operationId === id) ?? {};
      return {
        service: operation?.security.some((one) => "service" in one),
        person: operation?.parameters?.some(({ name }) => name === "on_behalf_of") ?? false,
      };
    };
    expect(facts("postSearchData")).toEqual({ service: true, person: true });
    // Such a call may name a person too, and has to for a plate in the query.
    expect(facts("getCameraHealth")).toEqual({ service: true, person: true });
    expect(facts("getAlertsGroupByIdData")).toEqual({ service: true, person: true });
    expect(facts("getAdminAuditLogsApi")).toEqual({ service: true, person: true });
    expect(facts("postServiceAccounts")).toEqual({ service: false, person: false });
  });

  it("has examples that its own schemas accept", () => {
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(document, "document");
    for (const { method, path, operation } of operations) {
      const schema = operation.responses["200"]?.content?.["application/json"]?.schema;
      if (!schema) continue;
      const place = encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"));
      const check = ajv.compile({
        $ref: `document#/paths/${place}/${method}/responses/200/content/application~1json/schema`,
      });
      const example = exampleOf(schema, { components: document.components.schemas, isBrief: false });
      expect(check(example) ? [] : check.errors, `${method} ${path}`).toEqual([]);
    }
  });

  it("shows a call as a request for curl and fetch, with its body, its fields and an answer", () => {
    const page = apiPage(document, "postSearchData", "https://odin.example.gov");
    expect(page?.curl).toContain("curl 'https://odin.example.gov/search-data' -X POST");
    expect(page?.curl).toContain('"justification":"Stolen vehicle, case 26-1044"');
    expect(page?.fetch).toContain('method: "POST"');
    expect(page?.request[0]?.shape?.fields.find(({ name }) => name === "justification")).toMatchObject({
      isRequired: true,
      shape: { type: "string", limits: "at most 2,000 characters" },
    });
    expect(JSON.parse(page?.answer ?? "")[0]).toMatchObject({ plate: "AB12345", source_program: "Rekor" });
    expect(apiPage(document, "noSuchCall", "https://odin.example.gov")).toBeUndefined();
  });
});
