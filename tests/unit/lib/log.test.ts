import { describe, expect, it } from "vitest";
import { readableCode } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { logError, logInfo, logWarning, rayOf, requestId, traced } from "#app/lib/log.ts";
import { expectLogged, rawLog, requestLines } from "../../support/quiet-console.ts";

const PLATE = "KRG4421";
const TRACE = { requestId: "AAAA-BBBB-CCCC", pattern: "/groups/:id", ray: "8c1f0a9b7d6e5f43-EWR" };

function linesOf(text: string): unknown[] {
  return text.split("\n").map(parseJson);
}

/** Returns the error that a piece of code throws. */
function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("the log", () => {
  it("has one JSON line per entry, with the request that it belongs to", async () => {
    expectLogged(/disk|late/);
    await traced(TRACE, async () => {
      await Promise.resolve();
      expect(requestId()).toBe(TRACE.requestId);
      logError("the disk is full", new Error("no space\nleft"));
      logWarning("late");
      logInfo("request", { method: "GET", status: 200, milliseconds: 3 });
    });
    logWarning("late");
    const own = { request_id: TRACE.requestId, pattern: TRACE.pattern, ray: TRACE.ray };
    expect(linesOf(rawLog())).toEqual([
      {
        level: "error",
        message: "the disk is full",
        ...own,
        error: { name: "Error", message: "no space", stack: expect.any(Array) },
      },
      { level: "warn", message: "late", ...own },
      { level: "warn", message: "late" },
    ]);
    expect(requestLines().map((line) => parseJson(line))).toEqual([
      { level: "info", message: "request", ...own, method: "GET", status: 200, milliseconds: 3 },
    ]);
    expect(requestId()).toBe("");
  });

  it.each<[string, unknown]>([
    ["a body that is not JSON", thrown(() => JSON.parse(`${PLATE} not JSON`))],
    ["a value that was cut off", new SyntaxError(`Unexpected end: "${PLATE}`)],
    ["a quotation in a quotation", new SyntaxError(`Unexpected token, ""${PLATE}"x" is not valid JSON`)],
    ["an address", new TypeError(`fetch failed: https://user:${PLATE}@vendor.example/search?plate=${PLATE}`)],
    [
      "a query's parameters",
      new Error(`Failed query: select * from "reads" where plate = '${PLATE}'\nparams: ${PLATE}`),
    ],
    ["a refusal", new AppError("conflict", `${PLATE} is on this list already.`)],
    ["the cause of an error", new Error("no answer", { cause: new Error(`'${PLATE}' is unknown`) })],
    ["one of several errors", new AggregateError([new Error(`no "${PLATE}"`)], "two failed")],
    ["something that is no error", { plate: PLATE }],
  ])("contains no plate from %s", (_, error) => {
    expectLogged(/./);
    logError("something failed", error);
    expect(rawLog()).not.toContain(PLATE);
    expect(linesOf(rawLog())).toMatchObject([{ level: "error", message: "something failed" }]);
  });

  it("names where an error was thrown and what the database said", () => {
    expectLogged(/./);
    logError("a row was not written", new Error("D1_ERROR: UNIQUE constraint failed: users.username"));
    expect(rawLog()).toContain("UNIQUE constraint failed: users.username");
    expect(rawLog()).toContain("log.test.ts");
  });

  it("has request ids that a caller cannot choose", () => {
    const ids = Array.from({ length: 100 }, readableCode);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^([A-HJ-NP-Z2-9]{4}-){2}[A-HJ-NP-Z2-9]{4}$/);
  });

  it("accepts only request ids in Cloudflare's format", () => {
    const rayIn = (ray: string) => rayOf(new Request("https://odin.test/", { headers: { "cf-ray": ray } }));
    expect(rayIn("8c1f0a9b7d6e5f43-EWR")).toBe("8c1f0a9b7d6e5f43-EWR");
    expect(rayIn('8c1f"} {"level":"info"')).toBeUndefined();
    expect(rayOf(new Request("https://odin.test/"))).toBeUndefined();
  });
});
