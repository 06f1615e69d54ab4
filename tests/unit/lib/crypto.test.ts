import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64, base64url, fromBase64, fromHex, hex } from "#app/lib/crypto/encoding.ts";
import {
  hashPassword,
  hashRandomPassword,
  needsRehash,
  SCRYPT_COST,
  verifyPassword,
} from "#app/lib/crypto/passwords.ts";
import { allPeppers, parsePeppers } from "#app/lib/crypto/peppers.ts";
import {
  equalInConstantTime,
  hmac,
  parseSealingKeys,
  randomToken,
  seal,
  sha256,
  unseal,
} from "#app/lib/crypto/primitives.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";

const key = (byte: number) => base64(new Uint8Array(32).fill(byte));
const keys = parseSealingKeys(`1:${key(1)}, 2:${key(2)}`);
const owner = { table: "rekor_keys", id: "k1", field: "key" };

describe("encodings", () => {
  it("decode what they encode", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(fromBase64(base64(bytes))).toEqual(bytes);
        expect(fromBase64(base64url(bytes))).toEqual(bytes);
        expect(fromHex(hex(bytes))).toEqual(bytes);
        expect(base64url(bytes)).toMatch(/^[\w-]*$/);
      }),
    );
    expect(base64(new Uint8Array(100_000)).length).toBe(133_336);
  });

  it("reject invalid text", () => {
    expect(() => fromBase64("*")).toThrow("not base64");
    for (const text of ["a", "zz", "0x"]) expect(() => fromHex(text)).toThrow("not hexadecimal");
  });
});

describe("digests and tokens", () => {
  it("match the published values", async () => {
    expect(await sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    // RFC 4231, test case 2.
    expect(hex(await hmac("Jefe", "what do ya want for nothing?"))).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
  });

  it("have 128 random bits, and no two are alike", () => {
    const tokens = new Set(Array.from({ length: 1000 }, () => randomToken()));
    expect(tokens.size).toBe(1000);
    for (const token of tokens) expect(fromBase64(token)).toHaveLength(16);
  });

  it("compare by content", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8 }), fc.uint8Array({ maxLength: 8 }), (a, b) => {
        expect(equalInConstantTime(a, b)).toBe(hex(a) === hex(b));
        expect(equalInConstantTime(a, a.slice())).toBe(true);
      }),
    );
  });

  it("stable ids depend on every part and its position", () => {
    expect(stableId("Rekor", "1")).toMatch(/^[0-9a-f]{32}$/);
    expect(stableId("Rekor", "1")).toBe(stableId("Rekor", "1"));
    const others = [
      stableId("Rekor", "2"),
      stableId("Axon", "1"),
      stableId("1", "Rekor"),
      stableId("Rekor1"),
    ];
    expect(new Set([...others, stableId("Rekor", "1")]).size).toBe(5);
  });
});

describe("sealing", () => {
  it("opens for the same record only, and reveals nothing of its content", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (secret) => {
        const sealed = await seal(keys, owner, secret);
        expect(sealed).toMatch(/^v2\.[\w-]{16}\.[\w-]+$/);
        expect(await unseal(keys, owner, sealed)).toBe(secret);
      }),
      { numRuns: 30 },
    );
    const sealed = await seal(keys, owner, "s3cret");
    expect(await seal(keys, owner, "s3cret")).not.toBe(sealed);
    for (const other of [
      { ...owner, id: "k2" },
      { ...owner, table: "axon" },
      { ...owner, field: "token" },
    ])
      await expect(unseal(keys, other, sealed)).rejects.toThrow();
  });

  it("detects every change, another key and a missing version", async () => {
    const sealed = await seal(keys, owner, "s3cret");
    const [version, iv, text = ""] = sealed.split(".");
    const flipped = `${text[0] === "A" ? "B" : "A"}${text.slice(1)}`;
    for (const wrong of [`${version}.${iv}.${flipped}`, `v1.${iv}.${text}`, `v9.${iv}.${text}`, "", "v2..x"])
      await expect(unseal(keys, owner, wrong)).rejects.toThrow();
    await expect(unseal(parseSealingKeys(`2:${key(3)}`), owner, sealed)).rejects.toThrow();
  });

  it("keeps older keys usable after a newer one is added", async () => {
    const old = await seal(parseSealingKeys(`1:${key(1)}`), owner, "s3cret");
    expect(await unseal(keys, owner, old)).toBe("s3cret");
    expect(keys.current).toBe(2);
  });

  it("accepts only keys of 256 bits, and never repeats them in an error", () => {
    for (const text of ["", "1:", `0:${key(1)}`, key(1), "1:c2hvcnQ=", `1:${key(1)},x`]) {
      expect(() => parseSealingKeys(text)).toThrow(/SEALING_KEYS|base64/);
    }
    expect(() => parseSealingKeys(`1:${key(7).slice(4)}`)).not.toThrow(key(7).slice(4));
  });
});

describe("passwords", () => {
  const cheap = { log2N: 10, r: 8, p: 1 };

  it("match their own hash with their own pepper only", async () => {
    const hash = await hashPassword("Odin-Tëst-1!", "pepper", cheap);
    expect(hash).toMatch(/^scrypt\$10,8,1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await verifyPassword("Odin-Tëst-1!", "pepper", hash)).toBe(true);
    // The same letters in another Unicode form are the same password.
    expect(await verifyPassword("Odin-Te\u0308st-1!", "pepper", hash)).toBe(true);
    expect(await verifyPassword("Odin-Tëst-1?", "pepper", hash)).toBe(false);
    expect(await verifyPassword("Odin-Tëst-1!", "salt", hash)).toBe(false);
    expect(await hashPassword("Odin-Tëst-1!", "pepper", cheap)).not.toBe(hash);
  });

  it("are compared in their full length", async () => {
    const long = "x".repeat(1024);
    const hash = await hashPassword(long, "pepper", cheap);
    expect(await verifyPassword(long, "pepper", hash)).toBe(true);
    expect(await verifyPassword(`${long.slice(1)}y`, "pepper", hash)).toBe(false);
  });

  it("are rehashed if the cost has changed, and use OWASP's cost", async () => {
    const hash = await hashPassword("a", "b", cheap);
    expect(needsRehash(hash, "b")).toBe(true);
    expect(needsRehash(hash, "b", cheap)).toBe(false);
    expect(SCRYPT_COST).toEqual({ log2N: 14, r: 8, p: 5 });
    await expect(verifyPassword("a", "b", "md5$x")).rejects.toThrow("not a password hash");
  });

  it("are verified with the pepper of their hash, and rehashed with the newest", async () => {
    const old = await hashPassword("a", "first", cheap);
    const once = await hashRandomPassword("a", "first");
    expect(needsRehash(old, "1:first", cheap)).toBe(false);
    const both = "1:first,2:second";
    for (const stored of [old, once]) expect(await verifyPassword("a", both, stored)).toBe(true);
    expect(needsRehash(old, both, cheap)).toBe(true);
    const rehashed = await hashPassword("a", both, cheap);
    const newRandom = await hashRandomPassword("a", both);
    expect(needsRehash(rehashed, both, cheap)).toBe(false);
    for (const stored of [rehashed, newRandom]) {
      expect(await verifyPassword("a", "2:second", stored)).toBe(true);
      expect(await verifyPassword("b", "2:second", stored)).toBe(false);
      expect(await verifyPassword("a", "1:second", stored)).toBe(false);
    }
    expect(await verifyPassword("a", "2:second", old)).toBe(false);
  });

  it("reject an invalid list of peppers", () => {
    for (const text of ["1:", "1:a,b", "0:a", "1:a,1:b", "1:a,,2:b", "1:a b"])
      expect(() => parsePeppers(text)).toThrow("PASSWORD_PEPPER");
    expect(allPeppers("2:b,1:a, 10:c")).toEqual(["c", "b", "a"]);
    expect(allPeppers("a:b,c")).toEqual(["a:b,c"]);
  });
});
