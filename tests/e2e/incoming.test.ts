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
  const expectSame = async (path: string, status: number) => {
    expect(await raw(base, path, { method: "GET", body: "{}" }), path).toBe(status);
    expect(await raw(base, path, { method: "GET", body: Buffer.alloc(300_000) }), path).toBe(status);
  };
  for (const [path, status] of [
    ["/", 200],
    ["/_root.data", 200],
    ["/no-such-page", 404],
  ] as const)
    await expectSame(path, status);
  // 503 until the first jobs have run and while one is late, which may change in between.
  await expect(async () => expectSame("/health", await raw(base, "/health", { method: "GET" }))).toPass({
    timeout: 60_000,
  });
});
