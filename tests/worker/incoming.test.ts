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

describe("a request that no screen takes", () => {
  it.each([
    ["POST", "/results", "GET, HEAD"],
    ["POST", "/results.data", "GET, HEAD"],
    ["POST", "/", "GET, HEAD"],
    ["POST", "/_root.data", "GET, HEAD"],
    ["PUT", "/search", "GET, HEAD, POST"],
    ["DELETE", "/search.data", "GET, HEAD, POST"],
    ["OPTIONS", "/groups/x/edit", "GET, HEAD, POST"],
  ])("is refused with the methods that it takes: %s %s", async (method, path, allow) => {
    const response = await send(path, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
    expect(await response.json()).toMatchObject({ msg: "This address does not take that method." });
  });

  it.each([
    ["GET", "/health.data"],
    ["GET", "/verification-keys.data"],
    ["POST", "/login.data"],
    ["POST", "/ingest/axis/unknown.data"],
    ["POST", "/no-such-page.data"],
  ])("is not found as the data of a screen: %s %s", async (method, path) => {
    const response = await send(path, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ msg: "There is no such call." });
  });

  it("is answered to scripts as a page that does not exist", async () => {
    const response = await send("/no-such-page.data");
    expect([response.status, response.headers.get("content-type")]).toEqual([404, "text/x-script"]);
  });
});

// RFC 3986, section 6.2.2.2: percent-encoded letters and digits mean the same as themselves.
describe("an address that is written in another way", () => {
  it.each([
    ["POST", "/t%6Fggle-push-alerts", 401],
    ["GET", "/%73earch", 302],
    ["POST", "/%73earch", 302],
    ["POST", "/s%65arch.data", 401],
    ["GET", "/he%61lth-data", 401],
    ["POST", "/%69ngest/%61xis/unknown", 401],
    ["GET", "/search%2Fx", 404],
    // Screens are found whatever the case of their address, as phones capitalize it. So are their forms.
    ["GET", "/Search", 302],
    ["POST", "/Search", 302],
    ["POST", "/Search.data", 401],
  ])("%s %s", async (method, path, status) => {
    const body = new URLSearchParams({ intent: "search" });
    const init = method === "GET" ? {} : { method, body, headers: { origin: ORIGIN } };
    expect((await send(path, init)).status).toBe(status);
  });

  it("is known to be a webhook's", async () => {
    const headers = { origin: "https://camera.example" };
    const response = await send("/%69ngest/axis/unknown", { method: "POST", headers, body: "x" });
    expect(response.status).toBe(401);
  });
});
