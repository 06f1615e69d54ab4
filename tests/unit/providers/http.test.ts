import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { imageIsWhole, imageTypeOf } from "#app/lib/images/type.ts";
import { parseSentJson } from "#app/lib/json/parse.ts";
import { JSON_MAX_CONTAINERS, JSON_MAX_DEPTH, type JsonLimits, jsonShapeWatch } from "#app/lib/json/shape.ts";
import { createVendorHttp, IMAGE_LIMIT, JSON_LIMIT, type VendorCall } from "#app/providers/http.ts";
import { isProviderFailure } from "#app/providers/provider.ts";
import { type Served, serve } from "./server.ts";

const KEY = "very-secret-key";
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const PNG_END = [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82];

type Answer = (response: ServerResponse, attempt: number) => void;

let served: Served;
let answer: Answer = (response) => response.end();
let requests: { url: string; headers: Record<string, unknown> }[] = [];

beforeAll(async () => {
  served = await serve((request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    response.on("error", () => {});
    answer(response, requests.length);
  });
});
afterAll(() => served.close());

const http = createVendorHttp({ program: "Rekor", allowLoopback: true, clock: Date.now });

function call(changes: Partial<VendorCall> = {}): VendorCall {
  const path = ["api", "search"];
  return {
    baseUrl: served.url,
    path,
    params: { api_key: KEY },
    signal: AbortSignal.timeout(60_000),
    ...changes,
  };
}

async function ask(next: Answer, options: { kind?: "json" | "image"; changes?: Partial<VendorCall> } = {}) {
  const { kind = "json", changes } = options;
  requests = [];
  answer = next;
  try {
    return { value: await http[kind](call(changes)) };
  } catch (error) {
    if (!isProviderFailure(error)) throw error;
    const told = JSON.stringify([error.message, String(error.cause ?? ""), error.stack?.split("\n")[0]]);
    for (const secret of [KEY, "127.0.0.1", "http:", "<html"]) expect(told).not.toContain(secret);
    return { kind: error.kind, retryAfter: error.retryAfter };
  }
}

const json =
  (text: string): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
    response.end(text);
  };
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(code, headers);
    response.end(`<html>${KEY}</html>`);
  };

test("a response is parsed; segments and parameters are encoded", async () => {
  const asked = await ask(json('{"a":[1]}'), {
    changes: { path: ["a b", "c/d", "?e"], params: { plate: "*A&B*" } },
  });
  expect(asked).toEqual({ value: { a: [1] } });
  expect(requests[0]?.url).toBe("/a%20b/c%2Fd/%3Fe?plate=*A%26B*");
});

test("whole numbers that JavaScript would round become their digits, and nothing else changes", async () => {
  const text =
    '{"ids":[9007199254740993, 9007199254740991,-9007199254740993,1e20,0.12345678901234567],"t":",9007199254740993"}';
  expect(await ask(json(text))).toEqual({
    value: {
      ids: ["9007199254740993", 9007199254740991, "-9007199254740993", 1e20, 0.12345678901234566],
      t: ",9007199254740993",
    },
  });
  expect(await ask(json("[9007199254740993"))).toMatchObject({ kind: "bad-answer" });
  // Telling how millions of numbers were written would take gigabytes.
  const many = await ask(json(`[${"1,".repeat(300_000)}9007199254740993]`));
  expect(many.value).toHaveLength(300_001);
});

test.each([
  [400, "bad-answer", 1],
  [401, "refused", 1],
  [403, "refused", 1],
  [404, "missing", 1],
  [410, "missing", 1],
  [418, "bad-answer", 1],
  [429, "rate-limited", 2],
  [500, "server-error", 2],
  [503, "server-error", 2],
  [301, "bad-answer", 1],
  [304, "bad-answer", 1],
] as const)("status %i is %s after %i requests", async (code, kind, expected) => {
  expect(await ask(status(code, { location: `${served.url}/inside` }))).toMatchObject({ kind });
  expect(requests).toHaveLength(expected);
  expect(requests.some(({ url }) => url.startsWith("/inside"))).toBe(false);
});

test("a 404 of an image says that it is gone, one of a search or a check does not", async () => {
  answer = status(404);
  await expect(http.image(call())).rejects.toThrow("Rekor no longer holds this image.");
  await expect(http.json(call())).rejects.toThrow(
    "Rekor has nothing at the requested address. Check the address of the integration.",
  );
});

test("one failure is followed by one successful retry", async () => {
  for (const first of [
    status(500),
    status(429, { "retry-after": "0" }),
    (response: ServerResponse) => response.destroy(),
  ]) {
    const next: Answer = (response, attempt) =>
      attempt === 1 ? first(response, attempt) : json("[7]")(response, attempt);
    expect(await ask(next)).toEqual({ value: [7] });
  }
});

test("a long Retry-After is reported and not waited for", async () => {
  expect(await ask(status(429, { "retry-after": "90" }))).toEqual({
    kind: "rate-limited",
    retryAfter: 90_000,
  });
  expect(requests).toHaveLength(1);
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  const dated = await ask(status(503, { "retry-after": inAMinute }));
  expect(dated.kind).toBe("server-error");
  expect(dated.retryAfter).toBeGreaterThan(50_000);
});

test("responses that are not JSON, truncated, too deep or too long are bad answers", async () => {
  const wrong =
    (type: string, body: string | Buffer): Answer =>
    (response) => {
      response.writeHead(200, { "content-type": type });
      response.end(body);
    };
  const bad: Answer[] = [
    wrong("text/html", "<!doctype html><title>Sign in</title>"),
    wrong("application/json", "<!doctype html><title>Sign in</title>"),
    wrong("image/jpeg", "[]"),
    wrong("application/json", Buffer.from([0x22, 0xff, 0xfe, 0x22])),
    json('[{"pk":1,"fields":{'),
    json(""),
    json("[".repeat(50_000) + "]".repeat(50_000)),
    json(`[${"{},".repeat(300_000)}{}]`),
    status(204),
  ];
  for (const next of bad) {
    expect(await ask(next)).toMatchObject({ kind: "bad-answer" });
    expect(requests).toHaveLength(1);
  }
});

test("a response is read up to its limit, also if it is compressed", async () => {
  expect(await ask(json(" ".repeat(JSON_LIMIT + 1)))).toMatchObject({ kind: "bad-answer" });
  const bomb = gzipSync(Buffer.alloc(4 * JSON_LIMIT, 0x20));
  expect(bomb.length).toBeLessThan(JSON_LIMIT / 100);
  const packed: Answer = (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(bomb);
  };
  expect(await ask(packed)).toMatchObject({ kind: "bad-answer" });
  let sent = 0;
  const endless: Answer = (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const chunk = Buffer.alloc(1 << 20, 0x20);
    const more = () => {
      while (!response.destroyed && sent < 200 && response.write(chunk)) sent++;
      sent++;
    };
    response.on("drain", more);
    more();
  };
  expect(await ask(endless)).toMatchObject({ kind: "bad-answer" });
  expect(sent).toBeLessThan(100);
});

test("a deadline and a cancellation are distinguished before, while and after the response starts", async () => {
  const silent: Answer = () => {};
  const slow: Answer = (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write("[");
  };
  for (const next of [silent, slow]) {
    expect(await ask(next, { changes: { signal: AbortSignal.timeout(50) } })).toMatchObject({
      kind: "timeout",
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect(await ask(next, { changes: { signal: controller.signal } })).toMatchObject({ kind: "cancelled" });
  }
  expect(await ask(silent, { changes: { signal: AbortSignal.abort() } })).toMatchObject({
    kind: "cancelled",
  });
  expect(requests).toHaveLength(0);
});

test("nothing is sent to an address that is not allowed, or to a path outside the base path", async () => {
  const strict = createVendorHttp({ program: "Rekor", allowLoopback: false, clock: Date.now });
  requests = [];
  for (const baseUrl of [served.url, "https://10.0.0.1", "http://vendor.example", ""]) {
    await expect(strict.json(call({ baseUrl }))).rejects.toMatchObject({ kind: "unreachable" });
  }
  for (const segment of ["", ".", ".."]) {
    await expect(http.json(call({ path: ["img", segment] }))).rejects.toMatchObject({ kind: "missing" });
  }
  expect(requests).toHaveLength(0);
  await expect(http.json(call({ baseUrl: "http://127.0.0.1:9" }))).rejects.toMatchObject({
    kind: "unreachable",
  });
});

test("an image's type comes from its bytes", async () => {
  const send =
    (type: string, bytes: Uint8Array): Answer =>
    (response) => {
      response.writeHead(200, { "content-type": type });
      response.end(bytes);
    };
  const png = Uint8Array.from([...PNG, 1, 2, 3, ...PNG_END]);
  expect(await ask(send("text/html", png), { kind: "image" })).toMatchObject({
    value: { type: "image/png" },
  });
  const text = (value: string) => new TextEncoder().encode(value);
  const no = [
    text("<svg xmlns='http://www.w3.org/2000/svg'/>"),
    text("<html>"),
    new Uint8Array(0),
    Uint8Array.from(PNG),
    text("GIF89a"),
  ];
  for (const bytes of no)
    expect(await ask(send("image/png", bytes), { kind: "image" })).toMatchObject({ kind: "bad-answer" });
  const huge = new Uint8Array(IMAGE_LIMIT + 1);
  huge.set(PNG);
  expect(await ask(send("image/png", huge), { kind: "image" })).toMatchObject({ kind: "bad-answer" });
  expect(await ask(status(404), { kind: "image" })).toMatchObject({ kind: "missing" });
});

test("images are identified by their first bytes and complete by their last", () => {
  const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 0xff, 0xd9, 0]);
  const webp = Uint8Array.from([0x52, 0x49, 0x46, 0x46, 6, 0, 0, 0, 0x57, 0x45, 0x42, 0x50, 1, 2]);
  expect([imageTypeOf(jpeg), imageTypeOf(webp)]).toEqual(["image/jpeg", "image/webp"]);
  expect([imageIsWhole(jpeg, "image/jpeg"), imageIsWhole(jpeg.slice(0, 6), "image/jpeg")]).toEqual([
    true,
    false,
  ]);
  expect([imageIsWhole(webp, "image/webp"), imageIsWhole(webp.slice(0, 12), "image/webp")]).toEqual([
    true,
    false,
  ]);
  expect(
    imageTypeOf(Uint8Array.from([0x52, 0x49, 0x46, 0x46, 0, 0, 0, 0, 0x57, 0x41, 0x56, 0x45])),
  ).toBeUndefined();
});

test("the shape of JSON is checked across chunks, ignoring brackets in texts", () => {
  const bytes = (value: string) => new TextEncoder().encode(value);
  const watch = jsonShapeWatch();
  expect(watch(bytes(`["${"[".repeat(100)}\\`))).toBe(true);
  expect(watch(bytes(`"${"{".repeat(100)}"`))).toBe(true);
  expect(watch(bytes("[".repeat(JSON_MAX_DEPTH - 1)))).toBe(true);
  expect(watch(bytes("["))).toBe(false);
});

test("skipping texts finds the same shape as reading them, however the text is split", () => {
  const walk = (text: string) => {
    let [containers, commas, bare, inText, escaped] = [0, 0, 0, false, false];
    for (const character of text) {
      if (!inText) bare++;
      if (escaped) escaped = false;
      else if (inText && character === "\\") escaped = true;
      else if (character === '"') inText = !inText;
      else if (!inText && character === ",") commas++;
      else if (!inText && (character === "[" || character === "{")) containers++;
    }
    return { containers, commas, bare };
  };
  const texts = fc.string({ unit: fc.constantFrom("\\", '"', "[", "{", ",", "a", "é"), maxLength: 12 });
  const values = fc.jsonValue({ maxDepth: 6, noUnicodeString: false });
  fc.assert(
    fc.property(fc.array(fc.oneof(texts, values)), fc.array(fc.nat(40), { maxLength: 8 }), (value, cuts) => {
      const text = JSON.stringify(value);
      const bytes = new TextEncoder().encode(text);
      const { containers, commas, bare } = walk(text);
      const isBearable = (limits: JsonLimits) => {
        const watch = jsonShapeWatch(limits);
        let at = 0;
        for (const length of [...cuts, bytes.length]) {
          if (!watch(bytes.subarray(at, at + length))) return false;
          at += length;
        }
        return true;
      };
      expect(isBearable({ containers, commas, bare })).toBe(true);
      expect(isBearable({ bare: bare - 1 })).toBe(false);
      expect(isBearable({ containers: containers - 1 })).toBe(false);
      if (commas > 0) expect(isBearable({ commas: commas - 1 })).toBe(false);
    }),
  );
});

test("JSON is parsed only if its shape is within limits", () => {
  const parse = (value: string, limits?: JsonLimits) =>
    parseSentJson(new TextEncoder().encode(value), limits);
  expect(parse('{"a":[1,{"b":"[[["}]}', { containers: 3, commas: 1 })).toEqual({ a: [1, { b: "[[[" }] });
  expect(() => parse('{"a":[1,{"b":"[[["}]}', { containers: 2 })).toThrow("nests too deep or holds too many");
  expect(() => parse('{"a":1,"b":",,,","c":2}', { commas: 1 })).toThrow("nests too deep or holds too many");
  expect(() => parse("[".repeat(5_000_000))).toThrow("nests too deep or holds too many");
  expect(() => parse(`[${"[],".repeat(JSON_MAX_CONTAINERS)}[]]`)).toThrow("nests too deep or holds too many");
  expect(parse("{")).toBeUndefined();
});
