import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ProviderToken, ProviderTokens, PushMessage } from "#app/entities/alerts/push.ts";
import { at } from "#app/lib/at.ts";
import { base64, fromBase64 } from "#app/lib/crypto/encoding.ts";
import { createApns } from "#app/providers/apns.ts";
import { type Served, serve } from "../providers/server.ts";

const MINUTE = 60_000;
const DEVICE = "a1".repeat(32);
const MESSAGE: PushMessage = {
  alertId: "alert-1",
  id: "00000000-0000-8000-8000-000000000000",
  badge: 3,
  expiresAt: Date.UTC(2026, 10, 21, 12),
};

let server: Served;
let pkcs8: string;
let answer: { status: number; reason?: string; headers?: Record<string, string> };
let seen: { path: string; headers: Record<string, string | string[] | undefined> }[];
let time: { now: number };

beforeAll(async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  pkcs8 = base64(new Uint8Array(privateKey.export({ type: "pkcs8", format: "der" })));
  server = await serve((request, response) => {
    request.resume().on("end", () => {
      seen.push({ path: request.url ?? "", headers: request.headers });
      response.writeHead(answer.status, answer.headers);
      response.end(answer.reason ? JSON.stringify({ reason: answer.reason }) : "");
    });
  });
});
afterAll(() => server.close());
beforeEach(() => {
  answer = { status: 200 };
  seen = [];
  time = { now: Date.UTC(2026, 10, 21, 11) };
});

/** The tokens that all isolates share. */
function sharedTokens(): ProviderTokens & { kept: Map<string, ProviderToken> } {
  const kept = new Map<string, ProviderToken>();
  return {
    kept,
    find: async (id) => kept.get(id) ?? null,
    replace: async (id, token, notAfter) => {
      const before = kept.get(id);
      if (before && before.issuedAt > notAfter) return before;
      kept.set(id, token);
      return token;
    },
  };
}

function isolate(tokens: ProviderTokens, url = server.url) {
  return createApns({
    url,
    topic: "app.odin.test",
    key: pkcs8,
    keyId: "KEYID00001",
    teamId: "TEAMID0001",
    tokens,
    clock: () => time.now,
    allowLoopback: true,
  });
}

const tokenOf = (call: (typeof seen)[0] | undefined) => String(call?.headers.authorization).slice(7);
const issuedAt = (token: string) => {
  const claims = new TextDecoder().decode(fromBase64(at(token.split("."), 1)));
  const { iat }: { iat: number } = JSON.parse(claims);
  return iat * 1000;
};

describe("a push to Apple", () => {
  it("sends topic, type, id, collapse id and expiry as the provider API requires", async () => {
    expect(await isolate(sharedTokens())(DEVICE, MESSAGE)).toEqual({ kind: "delivered" });
    expect(seen[0]?.path).toBe(`/3/device/${DEVICE}`);
    expect(seen[0]?.headers).toMatchObject({
      "apns-topic": "app.odin.test",
      "apns-push-type": "alert",
      "apns-priority": "10",
      "apns-id": MESSAGE.id,
      "apns-collapse-id": "alert-1",
      "apns-expiration": String(MESSAGE.expiresAt / 1000),
    });
  });

  it.each([
    [
      { status: 410, reason: "Unregistered" },
      { kind: "gone", reason: "Unregistered" },
    ],
    [
      { status: 400, reason: "BadDeviceToken" },
      { kind: "gone", reason: "BadDeviceToken" },
    ],
    [
      { status: 400, reason: "DeviceTokenNotForTopic" },
      { kind: "gone", reason: "DeviceTokenNotForTopic" },
    ],
    [
      { status: 413, reason: "PayloadTooLarge" },
      { kind: "refused", reason: "PayloadTooLarge" },
    ],
    [
      { status: 400, reason: "<b>words</b>" },
      { kind: "refused", reason: "Status 400" },
    ],
    [
      { status: 500, reason: "InternalServerError" },
      { kind: "later", reason: "InternalServerError" },
    ],
    [{ status: 503 }, { kind: "later", reason: "Status 503" }],
    [
      { status: 429, reason: "TooManyRequests", headers: { "retry-after": "7" } },
      { kind: "later", reason: "TooManyRequests", retryAfter: 7000 },
    ],
    [
      { status: 302, headers: { location: "http://127.0.0.1:1/" } },
      { kind: "refused", reason: "Status 302" },
    ],
  ])("maps %o to %o", async (given, outcome) => {
    answer = given;
    expect(await isolate(sharedTokens())(DEVICE, MESSAGE)).toEqual(outcome);
    expect(seen.length).toBe(1);
  });

  it("is retried later if there is no answer", async () => {
    const outcome = await isolate(sharedTokens(), "http://127.0.0.1:9")(DEVICE, MESSAGE);
    expect(outcome).toEqual({ kind: "later", reason: "No answer" });
  });

  it("is not sent if the device token contains a path", async () => {
    expect((await isolate(sharedTokens())("../../x", MESSAGE)).kind).toBe("refused");
    expect(seen).toEqual([]);
  });
});

describe("the provider token", () => {
  it("is shared by all isolates and replaced every forty minutes, never twice within twenty", async () => {
    const tokens = sharedTokens();
    const began = time.now;
    const issued: number[] = [];
    for (let minute = 0; minute <= 180; minute += 5) {
      time.now = began + minute * MINUTE;
      // Two concurrent isolates, which share only the stored tokens.
      await Promise.all([isolate(tokens)(DEVICE, MESSAGE), isolate(tokens)(DEVICE, MESSAGE)]);
      const pair = seen.splice(0).map((call) => issuedAt(tokenOf(call)));
      expect(new Set(pair).size).toBe(1);
      const issue = at(pair, 0);
      expect(time.now - issue).toBeLessThan(60 * MINUTE);
      if (issued.at(-1) !== issue) issued.push(issue);
    }
    expect(issued.map((issue) => (issue - began) / MINUTE)).toEqual([0, 40, 80, 120, 160]);
  });

  it("is replaced if Apple calls it expired, but not before it is twenty minutes old", async () => {
    const tokens = sharedTokens();
    answer = { status: 403, reason: "ExpiredProviderToken" };
    for (const minutes of [0, 10, 21, 22]) {
      time.now = Date.UTC(2026, 10, 21, 11, minutes);
      expect(await isolate(tokens)(DEVICE, MESSAGE)).toEqual({
        kind: "later",
        reason: "ExpiredProviderToken",
      });
    }
    const minutes = seen.map((call) => new Date(issuedAt(tokenOf(call))).getUTCMinutes());
    expect(minutes).toEqual([0, 0, 0, 21]);
  });
});
