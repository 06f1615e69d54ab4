import { describe, expect, it } from "vitest";
import { AppError } from "#app/lib/errors.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { logError, logWarning, rayOf, traced } from "#app/lib/log.ts";
import { expectLogged, rawLog } from "../../support/quiet-console.ts";

/** Returns what the log has of an error. */
function logged(error: unknown, log = logError) {
  expectLogged(/./);
  log("failed", error);
  const line = rawLog().split("\n").at(-1) ?? "";
  return Object(parseJson(line)).error;
}
const messageOf = (message: string) => logged(new Error(message)).message;

describe("the log of an error", () => {
  it.each([
    ["no space\nleft on the disk", "no space"],
    [
      "fetch failed: https://amy:secret@vendor.example:8443/a?b=c today",
      "fetch failed: https://vendor.example:8443 today",
    ],
    ["fetch of HTTP://vendor.example/a, twice", "fetch of http://vendor.example twice"],
    ["see <https://vendor.example/a>", "see <https://vendor.example>"],
    ["see https://[::1/a", "see (address)"],
    ['no "ABC123" and no "XYZ"', 'no "…" and no "…"'],
    ['ends in "ABC123', 'ends in "…"'],
    ["no 'ABC123' and no 'XYZ'", "no '…' and no '…'"],
    ["ends in 'ABC123", "ends in '…'"],
    ["the agency's row isn't there", "the agency's row isn't there"],
    [
      `Failed query: select "id" from "users" where id = 'x'`,
      `Failed query: select "id" from "users" where id = '…'`,
    ],
    [`x Failed query: "id"`, `x Failed query: "…"`],
    ["x".repeat(301), "x".repeat(300)],
  ])("has of the message %j only %j", (message, shown) => {
    expect(messageOf(message)).toBe(shown);
  });

  it("has no message of a refusal or of a parser", () => {
    for (const error of [new AppError("conflict", "ABC123 is on this list."), new SyntaxError("ABC123")])
      expect(logged(error)).toEqual({
        name: error.name,
        ...(error instanceof AppError && { code: "conflict" }),
        stack: expect.any(Array),
      });
  });

  it("has its code if that is a text", () => {
    expect(logged(Object.assign(new Error("x"), { code: "ENOSPC" })).code).toBe("ENOSPC");
    expect(logged(Object.assign(new Error("x"), { code: 28 }))).not.toHaveProperty("code");
  });

  it("has at most twelve lines of its stack, without the message", () => {
    const lines = Array.from({ length: 20 }, (_, i) => `    at step${i} (file.ts:${i}:1)`);
    const error = Object.assign(new Error("x"), {
      stack: ["Error: ABC123", "or at ABC123", ...lines].join("\n"),
    });
    expect(logged(error).stack).toEqual(lines.slice(0, 12).map((line) => line.trim()));
    expect(logged(Object.assign(new Error("x"), { stack: undefined })).stack).toEqual([]);
  });

  it("has its causes, four deep and four of several", () => {
    const chain = Array.from({ length: 6 }, (_, i) => i).reduce(
      (cause: Error | undefined, i) => new Error(`level ${5 - i}`, cause && { cause }),
      undefined,
    );
    const depths: unknown[] = [];
    for (let one = logged(chain); one; one = one.causes?.[0]) depths.push(one.message);
    expect(depths).toEqual(["level 0", "level 1", "level 2", "level 3", "level 4"]);
    const several = new AggregateError(
      [1, 2, 3, 4, 5].map((i) => new Error(`failure ${i}`)),
      "five failed",
    );
    expect(logged(several).causes.map(({ message }: Error) => message)).toEqual(
      [1, 2, 3, 4].map((i) => `failure ${i}`),
    );
    expect(logged(new Error("alone"))).not.toHaveProperty("causes");
    expect(logged(new Error("x", { cause: "ABC123" })).causes).toEqual([{ name: "string" }]);
  });

  it("has only the type of anything else that was thrown", () => {
    expect([logged("ABC123"), logged(null), logged({ plate: "ABC123" })]).toEqual([
      { name: "string" },
      { name: "object" },
      { name: "object" },
    ]);
    expect(logged(undefined)).toBeUndefined();
    expect(logged(undefined, logWarning)).toBeUndefined();
    expect(logged(new Error("late"), logWarning).message).toBe("late");
  });

  it("has the trace of its own request among others at the same time", async () => {
    expectLogged(/./);
    const run = (requestId: string, pause: number) =>
      traced({ requestId, pattern: "/" }, async () => {
        await new Promise((resolve) => setTimeout(resolve, pause));
        logWarning(requestId);
      });
    await Promise.all([run("A", 4), run("B", 1)]);
    const ids = rawLog()
      .split("\n")
      .map((line) => Object(parseJson(line)));
    expect(ids.map(({ message, request_id }) => [message, request_id])).toEqual([
      ["B", "B"],
      ["A", "A"],
    ]);
  });
});

it.each([
  ["8c1f0a9b7d6e5f43", true],
  ["8c1f0a9b7d6e5f43-EWR", true],
  ["8c1f0a9b7d6e5f4", false],
  ["8c1f0a9b7d6e5f433", false],
  ["8C1F0A9B7D6E5F43", false],
  ["8c1f0a9b7d6e5f43-ewr", false],
  ["8c1f0a9b7d6e5f43-EWRX", false],
  ["x8c1f0a9b7d6e5f43", false],
])("the header cf-ray: %s is an id of Cloudflare: %s", (ray, expected) => {
  expect(rayOf(new Request("https://odin.test/", { headers: { "cf-ray": ray } }))).toBe(
    expected ? ray : undefined,
  );
});
