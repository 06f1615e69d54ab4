import { request } from "node:http";
import { expect, test } from "./fixtures.ts";

/** Sends a request that `fetch` does not allow, such as a GET with a body. Returns the status. */
function raw(base: string, path: string, input: { method: string; body?: string | Buffer }): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = new URL(path, base);
    // A separate connection per request: the response may arrive before the whole body is sent.
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

test("a GET with a body gets the same status as one without", async ({ baseURL }) => {
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
  // 503 until the first jobs have run and while one is late; this may change between the requests.
  await expect(async () => expectSame("/health", await raw(base, "/health", { method: "GET" }))).toPass({
    timeout: 60_000,
  });
});
