import { generateKeyPairSync, verify } from "node:crypto";
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
import { areSubscriptionKeys, encryptPush } from "#app/lib/crypto/web-push-encryption.ts";
import { pushEndpointProblem } from "#app/lib/public-address.ts";

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

/** Returns a P-256 key pair from URL-safe base64: the uncompressed point and the scalar. */
async function ecdhKeys(point: string, scalar: string): Promise<CryptoKeyPair> {
  const ecdh = { name: "ECDH", namedCurve: "P-256" };
  const raw = fromBase64(point);
  const half = (from: number) => base64url(raw.subarray(from, from + 32));
  const jwk = { kty: "EC", crv: "P-256", x: half(1), y: half(33), d: scalar };
  return {
    publicKey: await crypto.subtle.importKey("raw", raw, ecdh, true, []),
    privateKey: await crypto.subtle.importKey("jwk", jwk, ecdh, false, ["deriveBits"]),
  };
}

describe("Web Push payloads", () => {
  it("are encrypted as in the example of RFC 8291", async () => {
    const sender = await ecdhKeys(RFC.senderPoint, RFC.senderScalar);
    const body = await encryptPush(RFC.text, RFC, { salt: fromBase64(RFC.salt), sender });
    expect(base64url(body)).toBe(RFC.body);
  });

  it("are different each time and never contain the plain text", async () => {
    const [one, other] = await Promise.all([encryptPush(RFC.text, RFC), encryptPush(RFC.text, RFC)]);
    expect(base64url(one)).not.toBe(base64url(other));
    expect(new TextDecoder("latin1").decode(one)).not.toContain("watermelon");
  });

  it("are rejected if they do not fit into one record", async () => {
    await expect(encryptPush("x".repeat(4000), RFC)).rejects.toThrow(RangeError);
    expect((await encryptPush("x".repeat(3993), RFC)).length).toBeLessThanOrEqual(4096);
  });

  it("need a key on the curve and a secret of sixteen bytes", async () => {
    expect(await areSubscriptionKeys(RFC)).toBe(true);
    expect(await areSubscriptionKeys({ ...RFC, auth: "AAAA" })).toBe(false);
    expect(await areSubscriptionKeys({ ...RFC, p256dh: base64url(new Uint8Array(65).fill(4)) })).toBe(false);
  });
});

describe("provider tokens", () => {
  it("are ES256 tokens that the public key verifies, including keys from single-line PEM", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const text = privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
    for (const key of [text, `-----BEGIN PRIVATE KEY-----\\n${text}\\n-----END PRIVATE KEY-----\\n`]) {
      const token = await signJwt(await importEs256Key(key), {
        header: { kid: "K" },
        claims: { iss: "T", iat: 7 },
      });
      const [head = "", claims = "", signature = ""] = token.split(".");
      const read = (part: string) => JSON.parse(new TextDecoder().decode(fromBase64(part)));
      expect(read(head)).toEqual({ alg: "ES256", typ: "JWT", kid: "K" });
      expect(read(claims)).toEqual({ iss: "T", iat: 7 });
      const data = new TextEncoder().encode(`${head}.${claims}`);
      const verifyKey = { key: publicKey, dsaEncoding: "ieee-p1363" as const };
      expect(verify("sha256", data, verifyKey, fromBase64(signature))).toBe(true);
    }
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const point = Uint8Array.of(4, ...fromBase64(x), ...fromBase64(y));
    expect(await publicPointOf(text)).toBe(base64url(point));
  });

  it("accept keys in URL-safe base64", async () => {
    let text = "";
    // Repeats until the key contains both characters in which the two alphabets differ.
    while (!text.includes("+") || !text.includes("/")) {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      text = privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
    }
    const urlSafe = text.replaceAll("+", "-").replaceAll("/", "_");
    expect(await publicPointOf(urlSafe)).toBe(await publicPointOf(text));
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
  it("are in the user's time zone and may span midnight", () => {
    // 22:30 in New York, 03:30 in London, 12:30 in Tokyo.
    expect(isQuiet(quiet("22:00", "06:00", "America/New_York"), AT)).toBe(true);
    expect(isQuiet(quiet("23:00", "06:00", "America/New_York"), AT)).toBe(false);
    expect(isQuiet(quiet("22:00", "03:30", "Europe/London"), AT)).toBe(false);
    expect(isQuiet(quiet("12:00", "13:00", "Asia/Tokyo"), AT)).toBe(true);
    expect(isQuiet(quiet("22:00", "06:00", "America/New_York"), Date.UTC(2026, 6, 21, 2, 30))).toBe(true);
  });

  it("contain exactly the minutes between start and end", () => {
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

  it("have no effect if push alerts are off", () => {
    expect(suppressionReason({ ...quiet("22:00", "06:00", "UTC"), enabled: false }, AT)).toBe(
      "Push alerts are off",
    );
    expect(suppressionReason(quiet("03:00", "06:00", "UTC"), AT)).toBe("Quiet hours");
    expect(suppressionReason(quiet("04:00", "06:00", "UTC"), AT)).toBeUndefined();
  });

  it.each([
    [1319, false],
    [1320, true],
    [1439, true],
    [0, true],
    [359, true],
    [360, false],
  ])("from 22:00 until 06:00 include minute %d of the day: %s", (minute, expected) => {
    expect(isQuiet(quiet("22:00", "06:00", "UTC"), minute * 60_000)).toBe(expected);
  });

  it.each([
    [719, false],
    [720, true],
    [779, true],
    [780, false],
  ])("from 12:00 until 13:00 include minute %d of the day: %s", (minute, expected) => {
    expect(isQuiet(quiet("12:00", "13:00", "UTC"), minute * 60_000)).toBe(expected);
  });

  it.each([
    [null, null],
    [null, 1439],
    [60, null],
    [60, 60],
  ])("do not exist from %s until %s", (quietFrom, quietUntil) => {
    const preference = { enabled: true, quietFrom, quietUntil, timeZone: "UTC" };
    expect(isQuiet(preference, AT)).toBe(false);
  });

  it("are in UTC if the time zone is unknown", () => {
    expect(isQuiet(quiet("03:30", "03:31", "Mars/Olympus"), AT)).toBe(true);
  });
});

describe("push settings", () => {
  const problems = (over: object) => {
    const settings = { enabled: true, quiet_from: null, quiet_until: null, time_zone: "", ...over };
    return PushSettings.safeParse(settings).error?.issues.map(({ message }) => message);
  };
  const newYork = "America/New_York";
  const differ =
    "Quiet hours must begin and end at different times. To stop all pushes, turn push alerts off.";

  it.each([
    [{}],
    [{ enabled: false }],
    [{ time_zone: "Mars/Olympus" }],
    [{ quiet_from: "22:00", quiet_until: "06:00", time_zone: newYork }],
    [{ quiet_from: "00:00", quiet_until: "23:59", time_zone: newYork }],
  ])("are accepted as %o", (over) => {
    expect(problems(over)).toBeUndefined();
  });

  it.each([
    [{ quiet_from: "22:00", time_zone: newYork }, "Quiet hours need a beginning and an end."],
    [{ quiet_until: "06:00", time_zone: newYork }, "Quiet hours need a beginning and an end."],
    [{ quiet_from: "22:00", quiet_until: "22:00", time_zone: newYork }, differ],
    [{ quiet_from: "22:00", quiet_until: "06:00", time_zone: "Mars/Olympus" }, "Unknown time zone."],
    [{ quiet_from: "22:00", quiet_until: "06:00", time_zone: "+05:00" }, "Unknown time zone."],
    [{ quiet_from: "24:00", quiet_until: "06:00", time_zone: newYork }, "Give times as HH:MM."],
    [{ quiet_from: "22:00", quiet_until: "6:00", time_zone: newYork }, "Give times as HH:MM."],
    [{ enabled: "yes" }, "Turn push alerts on or off."],
  ])("are rejected as %o with the reason", (over, problem) => {
    expect(problems(over)).toEqual([problem]);
  });
});

describe("push endpoints", () => {
  /** The hosts in the default wrangler.toml. */
  const hosts = (/^PUSH_HOSTS = "(.+)"$/m.exec(readFileSync("wrangler.toml", "utf8"))?.[1] ?? "").split(" ");

  it.each([
    "https://fcm.googleapis.com/fcm/send/abc:def",
    "https://updates.push.services.mozilla.com/wpush/v2/gAAAA",
    "https://jmt17.google.com/fcm/send/abc",
    "https://web.push.apple.com/QGx",
    "https://wns2-by3p.notify.windows.com/w/?token=BQYAAAC%2f",
  ])("of a push service are accepted: %s", (endpoint) => {
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
  ])("that could reach other servers are rejected: %s", (endpoint) => {
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
  ])("of unknown hosts are rejected: %s", (endpoint) => {
    expect(pushEndpointProblem(endpoint, { allowLoopback: false, hosts })).toBeDefined();
    expect(pushEndpointProblem(endpoint, { allowLoopback: false, hosts: [] })).toBeDefined();
  });

  it("may be on loopback only if that is allowed", () => {
    expect(pushEndpointProblem("http://127.0.0.1:9/x", { allowLoopback: true, hosts: [] })).toBeUndefined();
    expect(
      pushEndpointProblem("https://push.example.com/x", { allowLoopback: true, hosts: [] }),
    ).toBeDefined();
  });

  it("of phones are hexadecimal tokens", () => {
    const device = (token: string) => NewDevice.safeParse({ channel: "apns", token, name: "Phone" }).success;
    expect(device("a1".repeat(32))).toBe(true);
    expect(device("a1".repeat(31))).toBe(false);
    expect(device(`${"a1".repeat(32)}/../`)).toBe(false);
    expect(device("zz".repeat(32))).toBe(false);
  });
});

describe("the push service of a device", () => {
  const subscription = (endpoint: string) => JSON.stringify({ endpoint, keys: {} });

  it("is Apple for every phone, and the endpoint's host for a browser", () => {
    expect(pushServiceOf("apns", "ab12")).toBe(pushServiceOf("apns", "cd34"));
    const one = pushServiceOf("webpush", subscription("https://push.example/a?b"));
    expect(one).toBe(pushServiceOf("webpush", subscription("https://PUSH.example/c")));
    expect(one).not.toBe(pushServiceOf("webpush", subscription("https://other.example/a")));
  });

  it("is the address itself if that is invalid", () => {
    expect(pushServiceOf("webpush", "garbage")).toBe("garbage");
    expect(pushServiceOf("webpush", "null")).toBe("null");
  });
});
