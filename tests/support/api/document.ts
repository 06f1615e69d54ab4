import type { TestProject } from "vitest/node";
import type { ApiDocument } from "#app/entities/integrations/open-api.ts";
import { openApiDocument } from "#app/routes/endpoints/api/tables.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The OpenAPI document, against which the worker tests check every JSON response. */
    apiDocument: ApiDocument;
  }
}

export default function setup(project: TestProject): void {
  project.provide("apiDocument", openApiDocument());
}
