import type { TestProject } from "vitest/node";
import type { ApiDocument } from "#app/entities/integrations/open-api.ts";
import { openApiDocument } from "#app/routes/endpoints/api/tables.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The API's document, of which the worker tests check every JSON answer. */
    apiDocument: ApiDocument;
  }
}

export default function setup(project: TestProject): void {
  project.provide("apiDocument", openApiDocument());
}
