import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { askWrangler, WHO } from "../../../workers/local/deployment/ask.ts";

/** The error that the simulated Cloudflare API answers with, in the format of the real one; null for an empty list. */
let error: { status: number; code: number; message: string } | null = null;
const api = createServer((_, response) => {
  response.writeHead(error?.status ?? 200, { "content-type": "application/json" });
  const errors = error ? [{ code: error.code, message: error.message }] : [];
  response.end(JSON.stringify({ success: !error, errors, messages: [], result: error ? null : [] }));
});
const home = mkdtempSync(join(tmpdir(), "odin-wrangler-"));

beforeAll(async () => {
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  const address = api.address();
  if (address === null || typeof address === "string") throw new Error("the simulated API has no port");
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", `http://127.0.0.1:${address.port}/client/v4`);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "fictitious");
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "0123456789abcdef0123456789abcdef");
  vi.stubEnv("XDG_CONFIG_HOME", home);
});
afterAll(() => {
  vi.unstubAllEnvs();
  api.close();
  rmSync(home, { recursive: true });
});

const DATABASE = ["d1", "info", "odin-control", "--json"];
const BUCKET = ["r2", "bucket", "info", "odin-images", "--jurisdiction", "us", "--json"];
const QUEUE = ["queues", "info", "odin-jobs"];
const LOCKS = ["r2", "bucket", "lock", "list", "odin-audits", "--jurisdiction", "us"];

describe("what the project's own wrangler answers", () => {
  it.each<[string, string[], number, string]>([
    ["a database", DATABASE, 7404, "The database x could not be found"],
    ["a bucket", BUCKET, 10_006, "The specified bucket does not exist."],
    ["a bucket whose locks are listed", LOCKS, 10_006, "The specified bucket does not exist."],
    ["the Worker", ["secret", "list"], 10_007, "This Worker does not exist on your account."],
  ])("is null if %s does not exist", async (_, words, code, message) => {
    error = { status: 404, code, message };
    expect(await askWrangler(...words)).toBeNull();
  });

  it("is null if a queue does not exist, and the output of a list that is empty", async () => {
    error = null;
    expect(await askWrangler(...QUEUE)).toBeNull();
    expect(JSON.parse((await askWrangler("d1", "list", "--json")) ?? "")).toEqual([]);
  });

  it.each<[string, string[], number, string]>([
    ["a token without permission", ["secret", "list"], 7403, "The given account is not valid"],
    ["something else that does not exist", ["secret", "list"], 7404, "The database x could not be found"],
    ["a failure of the API", DATABASE, 7500, "internal error"],
    ["a failure of the API", BUCKET, 10_001, "We encountered an internal error."],
    ["a failure of the API", QUEUE, 10_001, "internal error"],
  ])("is an error with wrangler's text for %s", async (_, words, code, message) => {
    error = { status: 500, code, message };
    const text = await askWrangler(...words).then(
      () => "no error",
      (thrown: Error) => thrown.message,
    );
    expect(text).toContain(`npx wrangler ${words.join(" ")} failed`);
    expect(text).toContain(`${message} [code: ${code}]`);
    expect(text).not.toContain("\u001b");
  });

  it("is an error with wrangler's text without a network", async () => {
    vi.stubEnv("CLOUDFLARE_API_BASE_URL", "http://127.0.0.1:1/client/v4");
    await expect(askWrangler("secret", "list")).rejects.toThrow("fetch failed");
  });

  it("is null if no one is signed in, and an error for anything that needs an account", async () => {
    vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
    vi.stubEnv("HOME", home);
    expect(await askWrangler(...WHO)).toBeNull();
    await expect(askWrangler(...DATABASE)).rejects.toThrow("CLOUDFLARE_API_TOKEN");
  });
});
