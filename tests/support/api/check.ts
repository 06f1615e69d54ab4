/** Checks responses against the OpenAPI document, which allows responses to have additional fields. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import {
  type ApiDocument,
  type ApiOperation,
  type ApiResponse,
  operationsOf,
} from "#app/entities/integrations/open-api.ts";

const DOCUMENT = "document";
const ERROR = `${DOCUMENT}#/components/schemas/Error`;

type Found = {
  operation: ApiOperation;
  /** Returns where a response is in the document: at its operation, or among the components. */
  placeOf: (status: string) => string;
};
type Pattern = { expression: RegExp; path: string; parameters: number };

/** Returns a function that throws if a response does not match the document. It compiles each schema once. */
export function apiChecker(document: ApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addSchema(document, DOCUMENT);
  const compiled = new Map<string, ValidateFunction>();
  const patterns = Object.keys(document.paths)
    .map(patternOf)
    // A path without parameters wins, as in the router.
    .sort((a, b) => a.parameters - b.parameters);

  const operations = new Map(
    operationsOf(document).map(({ method, path, operation }): [string, Found] => {
      const written = document.paths[path]?.[method]?.responses ?? {};
      const own = `#/paths/${escaped(path)}/${method}/responses`;
      const placeOf = (status: string) => {
        const one = written[status];
        return DOCUMENT + (one && "$ref" in one ? one.$ref : `${own}/${status}`);
      };
      return [`${method} ${path}`, { operation, placeOf }];
    }),
  );

  function validate(pointer: string, value: unknown): string | undefined {
    const check = compiled.get(pointer) ?? ajv.compile({ $ref: pointer });
    compiled.set(pointer, check);
    if (check(value)) return undefined;
    const details = (check.errors ?? []).map(({ params }) => JSON.stringify(params));
    return `${ajv.errorsText(check.errors, { dataVar: "answer" })} ${details.join(" ")}`;
  }

  function find(method: string, pathname: string): Found | "no method" | undefined {
    const name = method === "HEAD" ? "get" : method.toLowerCase();
    const here = patterns.filter(({ expression }) => expression.test(pathname));
    for (const { path } of here) {
      const operation = operations.get(`${name} ${path}`);
      if (operation) return operation;
    }
    return here.length > 0 ? "no method" : undefined;
  }

  return async (method: string, address: string, answer: Response): Promise<void> => {
    const { pathname } = new URL(address);
    const found = find(method, pathname);
    if (found === undefined) return;
    const problem = await problemOf(found, answer, validate);
    if (problem) throw new Error(`${method} ${pathname} answered ${answer.status}: ${problem}`);
  };
}

async function problemOf(
  found: Found | "no method",
  answer: Response,
  validate: (pointer: string, value: unknown) => string | undefined,
): Promise<string | undefined> {
  const { status } = answer;
  const type = answer.headers.get("content-type")?.split(";")[0]?.trim() ?? "";
  const isJson = type === "application/json";
  if (found === "no method")
    return isJson && status >= 400 ? validate(ERROR, await jsonOf(answer)) : undefined;
  const { responses } = found.operation;
  const name = responses[status] ? String(status) : status >= 400 ? "default" : undefined;
  const response = name === undefined ? undefined : responses[name];
  if (name === undefined || !response) return "the document does not name this status";
  if (answer.body === null || type === "") return undefined;
  const media = mediaOf(response, type);
  if (media === undefined) return `the document does not name ${type}`;
  if (!isJson) return undefined;
  const pointer = `${found.placeOf(name)}/content/${escaped(media)}/schema`;
  const value = await jsonOf(answer);
  return value === undefined ? undefined : validate(pointer, value);
}

/** Returns the media type under which the document describes the body of a response. */
function mediaOf({ content = {} }: ApiResponse, type: string): string | undefined {
  return Object.keys(content).find((one) => one === type || one === type.replace(/\/.*/, "/*"));
}

/** Returns the JSON of a copy of a response; undefined if the body ends early, which some tests cause. */
async function jsonOf(answer: Response): Promise<unknown> {
  try {
    return await answer.clone().json();
  } catch {
    return undefined;
  }
}

function patternOf(path: string): Pattern {
  const names = [...path.matchAll(/\{\w+\}/g)];
  const source = path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+");
  return { expression: new RegExp(`^${source}$`), path, parameters: names.length };
}

/** Escapes a name of a JSON pointer in a URI. */
function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
