import { createHash, createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createDigest } from "#app/lib/crypto/digest.ts";
import { base64, base64url, fromBase64, fromHex, hex } from "#app/lib/crypto/encoding.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { newWebhookSecret, webhookHeaders } from "#app/lib/crypto/standard-webhooks.ts";
import { newTotpSecret, totpAddress, totpStep } from "#app/lib/crypto/totp.ts";
import { totpCode } from "../../support/accounts/totp.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

describe("base64", () => {
  it.each([
    ["", ""],
    ["f", "Zg=="],
    ["fo", "Zm8="],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg=="],
    ["fooba", "Zm9vYmE="],
    ["foobar", "Zm9vYmFy"],
  ])("of %j is that of RFC 4648: %s", (text, encoded) => {
    expect(base64(utf8(text))).toBe(encoded);
    expect(base64url(utf8(text))).toBe(encoded.replaceAll("=", ""));
    expect(fromBase64(encoded)).toEqual(utf8(text));
  });

  it("has other characters in URLs, and both are decoded", () => {
    const bytes = Uint8Array.of(0xfb, 0xef, 0xbe, 0xff, 0xff);
    expect([base64(bytes), base64url(bytes)]).toEqual(["++++//8=", "----__8"]);
    for (const text of ["++++//8=", "----__8", "++--__8"]) expect(fromBase64(text)).toEqual(bytes);
  });

  it("of more bytes than a call has arguments is that of Node", () => {
    for (const length of [0x7fff, 0x8000, 0x8001, 0x1_0001]) {
      const bytes = Uint8Array.from({ length }, (_, i) => i % 251);
      expect(base64(bytes) === Buffer.from(bytes).toString("base64")).toBe(true);
    }
  });

  it("is left to the runtime where it has the methods", () => {
    const bytes = Object.assign(utf8("foo"), { toBase64: () => "native" });
    expect(base64(bytes)).toBe("native");
    vi.stubGlobal("Uint8Array", { fromBase64: (text: string) => `native ${text}` });
    expect(fromBase64("a-_")).toBe("native a+/");
  });
  afterEach(() => vi.unstubAllGlobals());
});

describe("hexadecimal", () => {
  it("has two digits per byte, in either case", () => {
    expect(hex(Uint8Array.of(0, 9, 10, 0xff))).toBe("00090aff");
    expect(fromHex("00090AfF")).toEqual(Uint8Array.of(0, 9, 10, 0xff));
    expect(fromHex("")).toEqual(new Uint8Array());
    for (const text of ["0", "0g", " 0", "0\n", "-1"]) expect(() => fromHex(text)).toThrow("not hexadecimal");
  });
});

describe("a digest of parts", () => {
  const parts = ["a", "", "bc"];
  const expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const digested = async () => {
    const digest = createDigest();
    for (const part of parts) await digest.update(utf8(part));
    return digest.hex();
  };

  it("is that of the whole (FIPS 180-2, appendix B.1)", async () => {
    expect(await digested()).toBe(expected);
  });

  it("is made by the runtime's stream where there is one", async () => {
    const algorithms: string[] = [];
    class DigestStream extends WritableStream<Uint8Array> {
      digest: Promise<ArrayBuffer>;
      constructor(algorithm: string) {
        const hash = createHash("sha256");
        const { promise, resolve } = Promise.withResolvers<ArrayBuffer>();
        super({
          write: (bytes) => void hash.update(bytes),
          close: () => resolve(new Uint8Array(hash.digest()).buffer),
        });
        algorithms.push(algorithm);
        this.digest = promise;
      }
    }
    vi.stubGlobal("crypto", { DigestStream });
    expect([await digested(), algorithms]).toEqual([expected, ["SHA-256"]]);
  });
  afterEach(() => vi.unstubAllGlobals());
});

it("a stable id is the first half of the SHA-256 of its parts, joined by |", () => {
  const whole = createHash("sha256").update("Rekor|key-1|ABC").digest("hex");
  expect(stableId("Rekor", "key-1", "ABC")).toBe(whole.slice(0, 32));
});

describe("codes of an authenticator app", () => {
  // RFC 6238, appendix B: the ASCII text 12345678901234567890 as the secret, and the last six of eight digits.
  const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("at %d seconds are %s", (seconds, code) => {
    expect(totpCode(SECRET, seconds * 1000)).toBe(code);
    expect(totpStep(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it("also match in the step before and after", () => {
    const at = (seconds: number) => totpStep(SECRET, "287082", seconds * 1000);
    expect([0, 29.999, 30, 89.999].map(at)).toEqual([1, 1, 1, 1]);
    expect([90, 120].map(at)).toEqual([undefined, undefined]);
  });

  it.each(["", "28708", "2870820", "x287082", "287082 ", "287083", "２８７０８２"])(
    "are six digits, unlike %j",
    (code) => {
      expect(totpStep(SECRET, code, 59_000)).toBeUndefined();
    },
  );

  it("are set up by an address with what the app needs", () => {
    const url = new URL(totpAddress(SECRET, { issuer: "Odin", account: "amy" }));
    expect([url.protocol, url.host, url.pathname]).toEqual(["otpauth:", "totp", "/Odin:amy"]);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      issuer: "Odin",
      secret: SECRET,
      algorithm: "SHA1",
      digits: "6",
      period: "30",
    });
  });

  it("have secrets of 160 bits that differ", () => {
    expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(newTotpSecret());
  });
});

describe("a signed webhook", () => {
  const id = "msg_1";
  const body = '{"type":"hit"}';

  it("has an HMAC-SHA-256 of id, seconds and body for each secret", async () => {
    const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", newWebhookSecret()];
    const signatures = secrets.map((secret) => {
      const key = Buffer.from(secret.replace("whsec_", ""), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.1614265330.${body}`).digest("base64")}`;
    });
    expect(await webhookHeaders({ id, at: 1_614_265_330_999, body, secrets })).toEqual({
      "webhook-id": id,
      "webhook-timestamp": "1614265330",
      "webhook-signature": signatures.join(" "),
    });
  });

  it("has a secret of 32 random bytes", () => {
    const secret = newWebhookSecret();
    expect(secret).toMatch(/^whsec_/);
    expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
    expect(newWebhookSecret()).not.toBe(secret);
  });
});
