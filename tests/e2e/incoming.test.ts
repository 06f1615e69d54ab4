import { request } from "node:http";
import { expect, test } from "./fixtures.ts";

/** Sends a request that `fetch` refuses to make. */
function raw(base: string, path: string, input: { method: string; body?: string | Buffer }): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = new URL(path, base);
    // A connection of its own: an answer may arrive before the body was sent to its end.
    const options = { method: input.method, headers: { "content-type": "application/json" }, agent: false };
    const call = request(url, options);
    call.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on("error", reject);
    call.end(input.body);
  });
}

test("a GET with a body is answered like one without", async ({ baseURL }) => {
  const base = baseURL as string;
  for (const [path, usual] of [
    // 503 until the first jobs have run.
    ["/health", undefined],
    ["/", 200],
    ["/_root.data", 200],
    ["/no-such-page", 404],
  ] as const) {
    const status = usual ?? (await raw(base, path, { method: "GET" }));
    expect(await raw(base, path, { method: "GET", body: "{}" }), path).toBe(status);
    expect(await raw(base, path, { method: "GET", body: Buffer.alloc(300_000) }), path).toBe(status);
  }
});
