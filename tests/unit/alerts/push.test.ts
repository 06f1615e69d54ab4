import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isQuiet,
  minutesOf,
  NewDevice,
  PushSettings,
  pushServiceOf,
  suppressionReason,
  timeOf,
} from "#app/entities/alerts/push.ts";
import { base64url, fromBase64 } from "#app/lib/crypto/encoding.ts";
import { importEs256Key, publicPointOf, signJwt } from "#app/lib/crypto/jwt.ts";
import { areSubscriptionKeys, ecdhKeys, encryptPush } from "#app/lib/crypto/web-push-encryption.ts";
import { pushEndpointProblem } from "#app/lib/push-endpoint.ts";

/** RFC 8291, appendix A. */
const RFC = {
  text: "When I grow up, I want to be a watermelon",
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  senderPoint: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  senderScalar: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

describe("payloads of Web Push", () => {
  it("are encrypted as the example of RFC 8291 is", async () => {
    const sender = await ecdhKeys(RFC.senderPoint, RFC.senderScalar);
    const body = await encryptPush(RFC.text, RFC, { salt: fromBase64(RFC.salt), sender });
    expect(base64url(body)).toBe(RFC.body);
  });

  it("never look the same twice, and never hold their text", async () => {
    const [one, other] = await Promise.all([encryptPush(RFC.text, RFC), encryptPush(RFC.text, RFC)]);
    expect(base64url(one)).not.toBe(base64url(other));
    expect(new TextDecoder("latin1").decode(one)).not.toContain("watermelon");
  });

  it("are refused where they do not fit one record", async () => {
    await expect(encryptPush("x".repeat(4000), RFC)).rejects.toThrow(RangeError);
    expect((await encryptPush("x".repeat(3993), RFC)).length).toBeLessThanOrEqual(4096);
  });

  it("need keys that are a point of the curve and sixteen bytes", async () => {
    expect(await areSubscriptionKeys(RFC)).toBe(true);
    expect(await areSubscriptionKeys({ ...RFC, auth: "AAAA" })).toBe(false);
    expect(await areSubscriptionKeys({ ...RFC, p256dh: base64url(new Uint8Array(65).fill(4)) })).toBe(false);
  });
});

describe("provider tokens", () => {
  it("are ES256 tokens that the public key verifies, from PEM in one line as well", async () => {
    const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
      "verify",
    ])) as CryptoKeyPair;
    const pkcs8 = new Uint8Array((await crypto.subtle.exportKey("pkcs8", pair.privateKey)) as ArrayBuffer);
    const text = btoa(String.fromCharCode(...pkcs8));
    for (const key of [text, `-----BEGIN PRIVATE KEY-----\\n${text}\\n-----END PRIVATE KEY-----\\n`]) {
      const token = await signJwt(await importEs256Key(key), {
        header: { kid: "K" },
        claims: { iss: "T", iat: 7 },
      });
      const [head, claims, signature] = token.split(".") as [string, string, string];
      const read = (part: string) => JSON.parse(new TextDecoder().decode(fromBase64(part)));
      expect(read(head)).toEqual({ alg: "ES256", typ: "JWT", kid: "K" });
      expect(read(claims)).toEqual({ iss: "T", iat: 7 });
      const data = new TextEncoder().encode(`${head}.${claims}`);
      const algorithm = { name: "ECDSA", hash: "SHA-256" };
      expect(await crypto.subtle.verify(algorithm, pair.publicKey, fromBase64(signature), data)).toBe(true);
    }
    const raw = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
    expect(await publicPointOf(text)).toBe(base64url(raw));
  });
});

const AT = Date.UTC(2026, 10, 21, 3, 30);
const quiet = (from: string, until: string, timeZone: string) => ({
  enabled: true,
  quietFrom: minutesOf(from),
  quietUntil: minutesOf(until),
  timeZone,
});

describe("quiet hours", () => {
  it("go by the user's own clock, over midnight too", () => {
    // 22:30 in New York, 03:30 in London, 12:30 in Tokyo.
    expect(isQuiet(quiet("22:00", "06:00", "America/New_York"), AT)).toBe(true);
    expect(isQuiet(quiet("23:00", "06:00", "America/New_York"), AT)).toBe(false);
    expect(isQuiet(quiet("22:00", "03:30", "Europe/London"), AT)).toBe(false);
    expect(isQuiet(quiet("12:00", "13:00", "Asia/Tokyo"), AT)).toBe(true);
    expect(isQuiet(quiet("22:00", "06:00", "America/New_York"), Date.UTC(2026, 6, 21, 2, 30))).toBe(true);
  });

  it("are those and no other minutes of the day", () => {
    const minute = fc.integer({ min: 0, max: 1439 });
    fc.assert(
      fc.property(minute, minute, minute, (from, until, now) => {
        const preference = { enabled: true, quietFrom: from, quietUntil: until, timeZone: "UTC" };
        const inside = (now - from + 1440) % 1440 < (until - from + 1440) % 1440;
        expect(isQuiet(preference, now * 60_000)).toBe(inside);
        expect(minutesOf(timeOf(now))).toBe(now);
      }),
    );
  });

  it("count for nothing where pushes are off", () => {
    expect(suppressionReason({ ...quiet("22:00", "06:00", "UTC"), enabled: false }, AT)).toBe(
      "Push alerts are off",
    );
    expect(suppressionReason(quiet("03:00", "06:00", "UTC"), AT)).toBe("Quiet hours");
    expect(suppressionReason(quiet("04:00", "06:00", "UTC"), AT)).toBeUndefined();
  });

  it.each([
    [{ quiet_from: "22:00", quiet_until: null }],
    [{ quiet_from: "22:00", quiet_until: "22:00" }],
    [{ quiet_from: "24:00", quiet_until: "06:00" }],
    [{ quiet_from: "22:00", quiet_until: "06:00", time_zone: "Mars/Olympus" }],
    [{ quiet_from: "22:00", quiet_until: "06:00", time_zone: "+05:00" }],
    [{ enabled: "yes" }],
  ])("are refused as %o", (over) => {
    const settings = { enabled: true, quiet_from: null, quiet_until: null, time_zone: "", ...over };
    expect(PushSettings.safeParse(settings).success).toBe(false);
  });
});

describe("addresses of devices", () => {
  /** Those of the wrangler.toml that ships. */
  const hosts = (/^PUSH_HOSTS = "(.+)"$/m.exec(readFileSync("wrangler.toml", "utf8"))?.[1] ?? "").split(" ");

  it.each([
    "https://fcm.googleapis.com/fcm/send/abc:def",
    "https://updates.push.services.mozilla.com/wpush/v2/gAAAA",
    "https://jmt17.google.com/fcm/send/abc",
    "https://web.push.apple.com/QGx",
    "https://wns2-by3p.notify.windows.com/w/?token=BQYAAAC%2f",
  ])("may be those of a push service: %s", (endpoint) => {
    expect(pushEndpointProblem(endpoint, { allowLoopback: false, hosts })).toBeUndefined();
  });

  it.each([
    "http://fcm.googleapis.com/fcm/send/abc",
    "https://127.0.0.1/push",
    "https://0x7f.1/push?token=1",
    "https://[::ffff:10.0.0.1]/push",
    "https://169.254.169.254/latest?x=1",
    "https://push.internal/x",
    "https://user@push.example.com/x",
    "https://push.example.com:8443/x",
    "https://push.example.com/x?a=1#b",
    "https://push.example.com/x?a= 1",
    "javascript:alert(1)",
    "",
  ])("are no others: %s", (endpoint) => {
    expect(pushEndpointProblem(endpoint, { allowLoopback: false, hosts: ["*"] })).toBeDefined();
  });

  it.each([
    "https://push.example.com/x",
    "https://odin.example.gov/ingest/rekor/secret",
    "https://127.0.0.1.nip.io/x",
    "https://localtest.me/x",
    "https://fcm.googleapis.com.evil.example/x",
    "https://evilfcm.googleapis.com/x",
    "https://storage.googleapis.com/x",
    "https://notify.windows.com.evil.example/x",
    "https://xnotify.windows.com/x",
    "http://127.0.0.1:9000/wpush/x",
  ])("are of no push service: %s", (endpoint) => {
    expect(pushEndpointProblem(endpoint, { allowLoopback: false, hosts })).toBeDefined();
    expect(pushEndpointProblem(endpoint, { allowLoopback: false, hosts: [] })).toBeDefined();
  });

  it("may be on loopback only where that is allowed", () => {
    expect(pushEndpointProblem("http://127.0.0.1:9/x", { allowLoopback: true, hosts: [] })).toBeUndefined();
    expect(
      pushEndpointProblem("https://push.example.com/x", { allowLoopback: true, hosts: [] }),
    ).toBeDefined();
  });

  it("are tokens of hexadecimal digits for phones", () => {
    const device = (token: string) => NewDevice.safeParse({ channel: "apns", token, name: "Phone" }).success;
    expect(device("a1".repeat(32))).toBe(true);
    expect(device("a1".repeat(31))).toBe(false);
    expect(device(`${"a1".repeat(32)}/../`)).toBe(false);
    expect(device("zz".repeat(32))).toBe(false);
  });
});

describe("whom a device hangs on", () => {
  const subscription = (endpoint: string) => JSON.stringify({ endpoint, keys: {} });

  it("is Apple for every phone, and the endpoint's host for a browser", () => {
    expect(pushServiceOf("apns", "ab12")).toBe(pushServiceOf("apns", "cd34"));
    const one = pushServiceOf("webpush", subscription("https://push.example/a?b"));
    expect(one).toBe(pushServiceOf("webpush", subscription("https://PUSH.example/c")));
    expect(one).not.toBe(pushServiceOf("webpush", subscription("https://other.example/a")));
  });

  it("is nobody else where the address cannot be read", () => {
    expect(pushServiceOf("webpush", "garbage")).toBe("garbage");
    expect(pushServiceOf("webpush", "null")).toBe("null");
  });
});
