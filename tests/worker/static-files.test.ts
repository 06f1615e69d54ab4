import { describe, expect, it } from "vitest";
import { bindings, send } from "../factories.ts";

const asset = (path: string) => bindings.ASSETS?.fetch(`https://odin.test${path}`) as Promise<Response>;

/** Returns the path of a script with a hash in its name, from the sign-in page. */
async function hashedAsset(): Promise<string> {
  const html = await (await send("/")).text();
  const [path] = /\/assets\/[\w.-]+\.js/.exec(html) ?? [];
  if (!path) throw new Error("the page has no script");
  return path;
}

describe("static files", () => {
  it("have the same security headers as other responses", async () => {
    for (const path of ["/favicon.svg", "/push-worker.js", "/robots.txt", await hashedAsset()]) {
      const response = await asset(path);
      await response.body?.cancel();
      expect(response.status, path).toBe(200);
      expect(Object.fromEntries(response.headers), path).toMatchObject({
        "x-content-type-options": "nosniff",
        "strict-transport-security": "max-age=63072000; includeSubDomains",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-frame-options": "DENY",
      });
      expect(response.headers.get("content-security-policy"), path).toMatch(
        /^default-src 'none'; .*frame-ancestors 'none'$/,
      );
    }
  });

  it("are cached for a year if their name contains a hash, and revalidated otherwise", async () => {
    const [hashed, plain] = [await asset(await hashedAsset()), await asset("/push-worker.js")];
    expect(hashed.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("cache-control")).toContain("must-revalidate");
    await Promise.all([hashed, plain].map((response) => response.body?.cancel()));
  });

  it("include the licenses that the legal pages link to", async () => {
    const [, path = ""] = /href="([^"]*licenses[^"]*)"/.exec(await (await send("/terms")).text()) ?? [];
    const licenses = await asset(path);
    expect(licenses.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(await licenses.text()).toContain("maplibre-gl");
  });

  it("do not include the _headers file", async () => {
    expect((await asset("/_headers")).status).toBe(404);
  });
});
