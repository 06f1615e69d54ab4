import { describe, expect, it } from "vitest";
import { anonymous, ORIGIN, send } from "../factories.ts";

// Requests that need no sign-in. Each test fails on any line in the error log (quiet-console.ts).

describe("requests that Remix cannot handle", () => {
  it.each(["/", "/search", "/search.data", "/no-such-page", "/login"])(
    "are refused if their origin is another site or invalid: POST %s",
    async (path) => {
      for (const origin of ["https://evil.example", "zz", "http://", "https://odin.test.evil.example"]) {
        const response = await send(path, { method: "POST", headers: { origin }, body: "x" });
        expect([origin, response.status]).toEqual([origin, 403]);
        expect(response.headers.get("x-content-type-options")).toBe("nosniff");
        expect(await response.text()).toContain("This request came from another site and was refused.");
      }
    },
  );

  it("are answered even if a header names another host", async () => {
    const headers = { origin: ORIGIN, "x-forwarded-host": "evil.example" };
    for (const path of ["/no-such-page", "/search.data"])
      expect((await send(path, { method: "POST", headers, body: "x" })).status, path).toBeLessThan(500);
  });

  it("reach webhooks from any origin", async () => {
    for (const origin of ["https://camera.example", "zz"]) {
      const response = await send("/ingest/axis/unknown", { method: "POST", headers: { origin }, body: "x" });
      expect([origin, response.status]).toEqual([origin, 401]);
    }
    expect(
      (await send("/ingest/x/y/z", { method: "POST", headers: { origin: "zz" }, body: "x" })).status,
    ).toBeLessThan(500);
  });

  it("are refused if they use Remix's older data format", async () => {
    for (const path of ["/?_data=root", "/login?_data=routes", "/search?x=1&_data"])
      expect((await anonymous.fetch(path)).status, path).toBe(400);
  });
});
