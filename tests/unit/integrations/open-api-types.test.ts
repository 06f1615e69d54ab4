import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "#app/routes/endpoints/api/tables.ts";

const TYPED = resolve(import.meta.dirname, "../../support/typed");

describe("a client with types generated from the document", () => {
  it("compiles, and does not compile with a misspelled field", async () => {
    const types = astToString(await openapiTS(openApiDocument() as Parameters<typeof openapiTS>[0]));
    const source = readFileSync(join(TYPED, "search.ts"), "utf8");
    expect(problemsOf({ types, source })).toEqual([]);
    const misspelled = source.replace("justification:", "justifcation:");
    expect(problemsOf({ types, source: misspelled }).join()).toContain("justifcation");
  });
});

const parsed = new Map<string, ts.SourceFile | undefined>();

/** Returns what the compiler reports about tests/support/typed with these texts. */
function problemsOf({ types, source }: { types: string; source: string }): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: [],
  };
  const texts = new Map([
    [join(TYPED, "search.ts"), source],
    [join(TYPED, "paths.d.ts"), types],
  ]);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.readFile = (name) => texts.get(name) ?? readFile(name);
  host.getSourceFile = (name, language) => {
    const text = texts.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, language);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, language));
    return parsed.get(name);
  };
  const program = ts.createProgram([join(TYPED, "search.ts")], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}
