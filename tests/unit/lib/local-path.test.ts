import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localPath } from "#app/lib/local-path.ts";

describe("an address within this site", () => {
  it.each(["/", "/search", "/results?id=a%20b&view=map", "/groups/7/edit"])("stays unchanged: %s", (path) => {
    expect(localPath(path)).toBe(path);
  });

  it("loses its fragment and parent segments", () => {
    expect(localPath("/profile#top")).toBe("/profile");
    expect(localPath("/a/../profile")).toBe("/profile");
  });

  it.each([
    "",
    "search",
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "\t//evil.example",
    "/a/..//evil.example",
    "/.//evil.example",
    "/%2e//evil.example",
    "/..//evil.example/x",
    "javascript:alert(1)",
    "//",
    "///",
  ])("is refused: %j", (text) => {
    expect(localPath(text)).toBeUndefined();
  });

  it("never leads a browser to another host, for random input", () => {
    const sign = fc.constantFrom(
      ..."/ \\ . : @ ? # % \t \n a evil.example %2e %2f %5c".split(" "),
      "\u3002",
      "／",
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 12 }), (parts) => {
        const path = localPath(`/${parts.join("")}`);
        if (path !== undefined) expect(new URL(path, "https://odin.test/use-notice").host).toBe("odin.test");
      }),
      { numRuns: 2000 },
    );
  });
});
