// The formats of what is stored or handed out, written and read by Node's own functions. Tests that seal and open with
// the same code would not notice a change of format, and stored data would no longer open.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  generateKeyPairSync,
  hkdfSync,
  sign as nodeSign,
  verify as nodeVerify,
  scryptSync,
} from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { importEs256Key } from "#app/lib/crypto/jwt.ts";
import {
  derivedPassword,
  hashPassword,
  hashRandomPassword,
  isRandomPassword,
  needsRehash,
  passwordDigests,
  randomPassword,
  UNMATCHABLE_HASH,
  verifyPassword,
} from "#app/lib/crypto/passwords.ts";
import { allPeppers, parsePeppers } from "#app/lib/crypto/peppers.ts";
import { hmac, parseSealingKeys, seal, sha256, unseal } from "#app/lib/crypto/primitives.ts";
import { FRAME, openBytes, SealBroken, sealBytes, sealStream } from "#app/lib/crypto/sealed-bytes.ts";
import { isSignedBy, parseSigningKeys, publicKeyPem, sign } from "#app/lib/crypto/signing.ts";

type Bytes = Uint8Array<ArrayBuffer>;
const TAG_BYTES = 16;
const bytesOf = (text: string): Bytes => new TextEncoder().encode(text);

function encrypted(key: Uint8Array, iv: Uint8Array, associated: string, plain: Uint8Array): Bytes {
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(bytesOf(associated));
  return new Uint8Array(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]));
}

function decrypted(key: Uint8Array, iv: Uint8Array, associated: string, sealed: Uint8Array): Buffer {
  const opener = createDecipheriv("aes-256-gcm", key, iv).setAAD(bytesOf(associated));
  opener.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([opener.update(sealed.subarray(0, -TAG_BYTES)), opener.final()]);
}

const rawKey = (byte: number) => new Uint8Array(32).fill(byte);
const keyText = (byte: number) => Buffer.from(rawKey(byte)).toString("base64");

describe("a sealed secret", () => {
  const owner = { table: "rekor_keys", id: "k1", field: "key" };
  const keys = { current: 12, keys: { 1: keyText(1), 3: keyText(3), 12: keyText(2) } };

  it("has keys by version, of which the highest is current", () => {
    expect(parseSealingKeys(` 1 : ${keyText(1)} ,12:${keyText(2)},3:${keyText(3)}`)).toEqual(keys);
  });

  it("is AES-256-GCM under the highest version, bound to its table, id, field and version", async () => {
    const [version, iv = "", text = ""] = (await seal(keys, owner, "sécret")).split(".");
    expect(version).toBe("v12");
    const [nonce, sealed] = [Buffer.from(iv, "base64url"), Buffer.from(text, "base64url")];
    expect(nonce).toHaveLength(12);
    expect(decrypted(rawKey(2), nonce, "rekor_keys|k1|key|12", sealed).toString()).toBe("sécret");
  });

  it("opens with the key of its version", async () => {
    const iv = Uint8Array.from({ length: 12 }, (_, i) => i);
    for (const [version, byte] of [
      [1, 1],
      [3, 3],
      [12, 2],
    ] as const) {
      const sealed = encrypted(rawKey(byte), iv, `rekor_keys|k1|key|${version}`, bytesOf("sécret"));
      const text = `v${version}.AAECAwQFBgcICQoL.${Buffer.from(sealed).toString("base64url")}`;
      expect(await unseal(keys, owner, text)).toBe("sécret");
      for (const wrong of [`x${text}`, `${text}.`, text.replace("v", ""), text.replace(".", "")])
        await expect(unseal(keys, owner, wrong)).rejects.toThrow("not a sealed secret");
      await expect(unseal(keys, owner, text.replace(/^v\d+/, "v2"))).rejects.toThrow(
        "no sealing key of version 2",
      );
    }
  });

  it.each(["01:", "1x:", "x1:", "-1:", "1.5:", ""])(
    "needs a whole version from one in its key: %j",
    (version) => {
      expect(() => parseSealingKeys(`${version}${keyText(1)}`)).toThrow(
        "SEALING_KEYS must be a list of version:base64-of-32-bytes",
      );
    },
  );

  it("has a key that leaves Web Crypto by no export", async () => {
    const imported = vi.spyOn(crypto.subtle, "importKey");
    await seal(keys, owner, "secret");
    expect(imported.mock.calls.map((call) => call[3])).toEqual([false]);
    imported.mockRestore();
  });
});

it("a keyed hash has a key that leaves Web Crypto by no export", async () => {
  const imported = vi.spyOn(crypto.subtle, "importKey");
  await hmac("key", "data");
  expect(imported.mock.calls.map((call) => call[3])).toEqual([false]);
  imported.mockRestore();
});

it("bytes have the SHA-256 of FIPS 180-2, appendix B.1", async () => {
  expect(await sha256(Uint8Array.of(0x61, 0x62, 0x63))).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

describe("a sealed file", () => {
  const file = { purpose: "backup|1", name: "backups/1/DB/users/0" };
  const keys = { current: 258, keys: { 1: keyText(1), 258: keyText(2) } };
  const derived = (secret: Uint8Array) =>
    new Uint8Array(hkdfSync("sha256", secret, "", "odin sealed file|backup|1", 32));
  const HEADER_BYTES = 8;
  const FRAME_BYTES = 12 + 1_048_576 + TAG_BYTES;

  /** A file that is sealed by the documented format. */
  function sealedByHand(secret: Uint8Array, version: readonly number[], frames: Uint8Array[]): Bytes {
    const parts = frames.map((frame, index) => {
      const iv = new Uint8Array(12).fill(index + 1);
      const associated = `backups/1/DB/users/0|${index}|${frames.length}`;
      return Buffer.concat([iv, encrypted(derived(secret), iv, associated, frame)]);
    });
    return new Uint8Array(Buffer.concat([Buffer.from("odin-1"), Buffer.from(version), ...parts]));
  }

  it("is a header with the key's version in two bytes, and frames of one mebibyte under a derived key", async () => {
    const bytes = Uint8Array.from({ length: 1_048_576 + 5 }, (_, i) => (i * 31) % 251);
    const sealed = await sealBytes(keys, file, bytes);
    expect([...sealed.subarray(0, HEADER_BYTES)]).toEqual([...Buffer.from("odin-1"), 1, 2]);
    const opened = [0, 1].map((index) => {
      const from = HEADER_BYTES + index * FRAME_BYTES;
      const frame = sealed.subarray(from, from + FRAME_BYTES);
      const associated = `backups/1/DB/users/0|${index}|2`;
      return decrypted(derived(rawKey(2)), frame.subarray(0, 12), associated, frame.subarray(12));
    });
    expect(Buffer.compare(Buffer.concat(opened), bytes)).toBe(0);
  });

  it("opens from that format, under the version in its header", async () => {
    const frames = [new Uint8Array(1_048_576).fill(7), bytesOf("rest")];
    for (const [byte, version] of [
      [1, [0, 1]],
      [2, [1, 2]],
    ] as const) {
      const opened = await openBytes(keys, file, sealedByHand(rawKey(byte), version, frames));
      expect(Buffer.compare(opened, Buffer.concat(frames))).toBe(0);
    }
    expect(await openBytes(keys, file, sealedByHand(rawKey(1), [0, 1], [new Uint8Array()]))).toHaveLength(0);
  });

  it("does not open with another start, another version or fewer frames than its size announces", async () => {
    const sealed = sealedByHand(rawKey(1), [0, 1], [bytesOf("content")]);
    const opening = (bytes: Uint8Array) => openBytes(keys, file, new Uint8Array(bytes));
    for (const other of [
      sealed.subarray(0, 7),
      new Uint8Array(),
      Buffer.concat([Buffer.from("odin-2"), sealed.subarray(6)]),
      Buffer.concat([Buffer.from("Odin-1"), sealed.subarray(6)]),
    ]) {
      await expect(opening(other)).rejects.toThrow(new SealBroken("it is not a sealed file"));
    }
    await expect(opening(Buffer.concat([Buffer.from("odin-1\x01\x01"), sealed.subarray(8)]))).rejects.toThrow(
      new SealBroken("there is no sealing key of version 257"),
    );
    await expect(opening(sealed.subarray(0, HEADER_BYTES))).rejects.toThrow(new SealBroken("it was cut off"));
    await expect(opening(sealed.subarray(0, -1))).rejects.toThrow(new SealBroken("its seal is broken"));
  });

  it("names the file if its source is shorter or longer than announced", async () => {
    const stream = (length: number) => new Response(new Uint8Array(length)).body ?? new ReadableStream();
    for (const length of [4, 6])
      await expect(
        new Response(sealStream(keys, file, { source: stream(length), size: 5 })).arrayBuffer(),
      ).rejects.toThrow(`backups/1/DB/users/0 has ${length} bytes instead of 5`);
  });

  it("reads no more of its source after it is canceled", async () => {
    let isCanceled = false;
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(FRAME)),
      cancel: () => {
        isCanceled = true;
      },
    });
    const sealing = sealStream(keys, file, { source, size: 10 * FRAME }).getReader();
    // The header, and the IV of the first frame.
    await sealing.read();
    await sealing.read();
    await sealing.cancel();
    expect(isCanceled).toBe(true);
  });
});

describe("a hash of a password", () => {
  const COST = { N: 1024, r: 8, p: 1 };
  const keyed = (pepper: string, password: string) =>
    createHmac("sha256", pepper).update(password).digest("hex");

  it("is scrypt of the password's HMAC under the newest pepper, with a salt of 16 bytes", async () => {
    const stored = await hashPassword("Odin-Te\u0308st-1!", "1:old,2:new", { log2N: 10, r: 8, p: 1 });
    const [name, cost, salt = "", key] = stored.split("$");
    expect([name, cost]).toEqual(["scrypt", "10,8,1,2"]);
    expect(Buffer.from(salt, "base64url")).toHaveLength(16);
    // NFKC composes the letter and its dots.
    const expected = scryptSync(keyed("new", "Odin-T\u00EBst-1!"), Buffer.from(salt, "base64url"), 32, COST);
    expect(key).toBe(expected.toString("base64url"));
  });

  it("matches the hash that Node makes, and is rejected if a character of its format is missing or added", async () => {
    const salt = Buffer.from("0123456789abcdef");
    const key = scryptSync(keyed("pepper", "secret"), salt, 32, COST).toString("base64url");
    const stored = `scrypt$10,8,1$${salt.toString("base64url")}$${key}`;
    expect(await verifyPassword("secret", "pepper", stored)).toBe(true);
    expect(await verifyPassword("Secret", "pepper", stored)).toBe(false);
    for (const wrong of [
      `x${stored}`,
      `${stored}$`,
      stored.replace("10", ""),
      stored.replace(",1$", ",1,$"),
      "random$a$b$c",
    ])
      await expect(verifyPassword("secret", "pepper", wrong)).rejects.toThrow("not a password hash");
  });

  it.each([
    ["scrypt$14,8,5$AAAA$AAAA", "pepper", false],
    ["scrypt$13,8,5$AAAA$AAAA", "pepper", true],
    ["scrypt$14,4,5$AAAA$AAAA", "pepper", true],
    ["scrypt$14,8,1$AAAA$AAAA", "pepper", true],
    ["scrypt$14,8,5$AAAA$AAAA", "1:a,2:b", true],
    ["scrypt$14,8,5,2$AAAA$AAAA", "1:a,2:b", false],
    ["scrypt$14,8,5,12$AAAA$AAAA", "1:a,12:b", false],
    ["random$AAAA$AAAA", "1:a,2:b", false],
  ])("%s under %s is outdated: %s", (stored, peppers, outdated) => {
    expect(needsRehash(stored, peppers)).toBe(outdated);
  });

  it("UNMATCHABLE_HASH has the usual form and cost, and does not match the empty password", async () => {
    expect(UNMATCHABLE_HASH).toMatch(/^scrypt\$14,8,5\$A{22}\$A{43}$/);
    expect(await verifyPassword("", "pepper", UNMATCHABLE_HASH)).toBe(false);
  });

  it("of a random password is its HMAC with a salt", async () => {
    const [name, salt, mac] = (await hashRandomPassword("abcd-efgh", "1:old,12:new")).split("$");
    expect([name, Buffer.from(salt ?? "", "base64url").length]).toEqual(["random,12", 16]);
    expect(mac).toBe(createHmac("sha256", "new").update(`${salt}:abcd-efgh`).digest("base64url"));
    const own = createHmac("sha256", "new").update("c2FsdA:abcd-efgh").digest("base64url");
    expect(await verifyPassword("abcd-efgh", "1:old,12:new", `random,12$c2FsdA$${own}`)).toBe(true);
    // Without a version it is of the first pepper.
    expect(await verifyPassword("abcd-efgh", "1:old,12:new", `random$c2FsdA$${own}`)).toBe(false);
    expect(await verifyPassword("abcd-efgh", "new", `random$c2FsdA$${own}`)).toBe(true);
    for (const wrong of [`xrandom$c2FsdA$${own}`, `random$c2FsdA$${own}$`, `random,$c2FsdA$${own}`])
      await expect(verifyPassword("abcd-efgh", "new", wrong)).rejects.toThrow("not a password hash");
  });

  it("for the history has a salt per user, one for each pepper, the newest first", async () => {
    const digest = (pepper: string) => {
      const salt = createHmac("sha256", pepper).update("history:amy").digest().subarray(0, 16);
      return scryptSync(keyed(pepper, "secret"), salt, 32, { N: 16_384, r: 8, p: 5 }).toString("base64url");
    };
    expect(await passwordDigests("secret", "2:b,10:c,1:a", "amy")).toEqual(["c", "b", "a"].map(digest));
  });
});

it("a key of provider tokens can be exported from Web Crypto only if the caller asks for that", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const text = privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
  expect((await importEs256Key(text)).extractable).toBe(false);
  expect((await importEs256Key(text, true)).extractable).toBe(true);
});

describe("peppers", () => {
  const usable = "PASSWORD_PEPPER must be one text, or a list like 1:<text>,2:<text>";

  it("are one text, or a list with versions", () => {
    expect(parsePeppers("a:1:b,2:c")).toEqual({ newest: 1, byVersion: new Map([[1, "a:1:b,2:c"]]) });
    expect(parsePeppers(" 1:a")).toEqual({ newest: 1, byVersion: new Map([[1, " 1:a"]]) });
    expect(parsePeppers("12:a, 9999:b:c ,\n1:d\n")).toEqual({
      newest: 9999,
      byVersion: new Map([
        [12, "a"],
        [9999, "b:c"],
        [1, "d"],
      ]),
    });
    expect(allPeppers("10:a,2:b,30:c,1:d,4:e")).toEqual(["c", "a", "e", "b", "d"]);
    expect(allPeppers("")).toEqual([""]);
  });

  it.each(["10:a,b", "1:", "1: ", "0:a", "1:a,x2:b", "1:a,2:b c", "1:a,2:b x", "1:a,1:b", "12345:a", "1:a,"])(
    "are not read from %j",
    (text) => {
      expect(() => parsePeppers(text)).toThrow(usable);
    },
  );
});

describe("a random password", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("has sixteen letters and digits in groups of four, none of which look alike", () => {
    const seen = new Set(Array.from({ length: 200 }, randomPassword).join("").replaceAll("-", ""));
    expect([...seen].sort().join("")).toBe("34679ACDEFGHJKLMNPQRTUVWXYabcdefghjkmnpqrstuvwxyz");
    expect(randomPassword()).toMatch(/^([A-Za-z\d]{4}-){3}[A-Za-z\d]{4}$/);
  });

  it("is made of random bytes below 245, so that each letter is equally likely", () => {
    const rounds = [
      [255, 245, 244, 0, 48, 49, ...Array<number>(18).fill(250)],
      Array.from({ length: 24 }, (_, i) => i),
    ];
    vi.stubGlobal("crypto", {
      getRandomValues: (bytes: Uint8Array) => {
        bytes.set(rounds.shift() ?? []);
        return bytes;
      },
    });
    // 244 and 48 are the last of 49 letters, 0 and 49 the first.
    expect(randomPassword()).toBe("9a9a-abcd-efgh-jkmn");
    expect(rounds).toEqual([]);
  });
});

describe("a derived password", () => {
  it("has the same form, and is the same for the same text and pepper", async () => {
    const one = await derivedPassword("1:old,2:new", "boss:user-1");
    expect(one).toMatch(/^([A-Za-z\d]{4}-){3}[A-Za-z\d]{4}$/);
    expect(await derivedPassword("new", "boss:user-1")).toBe(one);
    expect(await derivedPassword("old", "boss:user-1")).not.toBe(one);
    const many = await Promise.all(
      Array.from({ length: 200 }, (_, n) => derivedPassword("new", `boss:${n}`)),
    );
    expect(new Set(many).size).toBe(200);
    const seen = new Set(many.join("").replaceAll("-", ""));
    expect([...seen].sort().join("")).toBe("34679ACDEFGHJKLMNPQRTUVWXYabcdefghjkmnpqrstuvwxyz");
  });

  it("is recognized in its hash, with the pepper of the hash, and no other", async () => {
    const hash = await hashRandomPassword("abcd-efgh", "old");
    expect(await isRandomPassword("abcd-efgh", "1:old,2:new", hash)).toBe(true);
    expect(await isRandomPassword("abcd-efgi", "1:old,2:new", hash)).toBe(false);
    expect(await isRandomPassword("abcd-efgh", "2:new", hash)).toBe(false);
    expect(await isRandomPassword("abcd-efgh", "old", UNMATCHABLE_HASH)).toBe(false);
  });
});

describe("a signature", () => {
  const pair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
  const [one, other] = [pair(), pair()];
  const pkcs8 = ({ privateKey }: ReturnType<typeof pair>) =>
    privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
  const pemOf = ({ publicKey }: ReturnType<typeof pair>) =>
    publicKey.export({ type: "spki", format: "pem" }).toString();
  const lines = (text: string) => text.replace(/.{20}/g, "$&\n ");
  const keys = { current: 12, keys: { 1: pkcs8(other), 2: pkcs8(other), 12: pkcs8(one) } };
  const data = bytesOf("signed");

  it("is by the key of the highest version, whose public key is the PEM that Node writes", async () => {
    const text = ` 1:${pkcs8(other)},12:${lines(pkcs8(one))},\n2:${pkcs8(other)}`;
    expect(parseSigningKeys(text)).toEqual(keys);
    expect(await publicKeyPem(keys, 12)).toBe(pemOf(one));
    expect(await publicKeyPem(keys, 1)).toBe(pemOf(other));
    await expect(publicKeyPem(keys, 3)).rejects.toThrow("no signing key of version 3");
  });

  it.each(["", "1:", "0:AAAA", "x1:AAAA", "1:AA*A", "AAAA", "1:AAAA,"])("has no keys in %j", (text) => {
    expect(() => parseSigningKeys(text)).toThrow(
      "EXPORT_SIGNING_KEYS must be a list of version:base64-of-PKCS-8",
    );
  });

  it("is DER that Node verifies", async () => {
    expect(nodeVerify("sha256", data, one.publicKey, await sign(keys, data))).toBe(true);
  });

  it.each([
    // The two numbers of 32 bytes each, and DER: no leading zeros, but one before a set bit.
    [`${"00".repeat(31)}05${"00".repeat(30)}0709`, "3007020105" + "02020709"],
    [`${"7f".repeat(32)}${"80".repeat(32)}`, `30450220${"7f".repeat(32)}022100${"80".repeat(32)}`],
    [`00${"80".repeat(31)}${"00".repeat(32)}`, `302502200080${"80".repeat(30)}020100`],
  ])("of the numbers %s is %s", async (raw, der) => {
    const signed = vi.spyOn(crypto.subtle, "sign");
    signed.mockResolvedValue(new Uint8Array(Buffer.from(raw, "hex")).buffer);
    expect(Buffer.from(await sign(keys, data)).toString("hex")).toBe(der);
    signed.mockRestore();
  });

  it("of Node is accepted for its own key and data only", async () => {
    const signature = new Uint8Array(nodeSign("sha256", data, one.privateKey));
    expect(await isSignedBy(pemOf(one), data, signature)).toBe(true);
    expect(await isSignedBy(pemOf(other), data, signature)).toBe(false);
    expect(await isSignedBy(pemOf(one), bytesOf("signee"), signature)).toBe(false);
  });

  it("with short numbers is read as they are", async () => {
    // No such signature is valid, but none may be mistaken for text that is not DER.
    const verified = vi.spyOn(crypto.subtle, "verify").mockResolvedValue(true);
    const rawOf = async (...der: number[]) => {
      verified.mockClear();
      const isRead = await isSignedBy(pemOf(one), data, Uint8Array.from(der));
      const raw = verified.mock.calls[0]?.[2];
      return isRead ? Buffer.from(raw as Uint8Array).toString("hex") : undefined;
    };
    const number = (length: number, first: number) => [
      0x02,
      length,
      first,
      ...Array<number>(length - 1).fill(9),
    ];
    const sequence = (...content: number[]) => [0x30, content.length, ...content];
    expect(await rawOf(...sequence(...number(1, 5), ...number(2, 7)))).toBe(
      `${"00".repeat(31)}05${"00".repeat(30)}0709`,
    );
    expect(await rawOf(...sequence(...number(33, 0), ...number(32, 1)))).toBe(
      `${"09".repeat(32)}01${"09".repeat(31)}`,
    );
    for (const wrong of [
      [],
      [0x31, ...sequence(...number(1, 5), ...number(1, 7)).slice(1)],
      [...sequence(...number(1, 5), ...number(1, 7)), 0],
      [0x30, 7, ...number(1, 5), ...number(1, 7)],
      sequence(...number(1, 5), ...number(1, 7), 0),
      sequence(...number(1, 5), 0x03, 1, 7),
      sequence(0x03, 1, 5, ...number(1, 7)),
      sequence(0x02, 0, ...number(1, 7)),
      sequence(...number(34, 0), ...number(1, 7)),
      sequence(...number(1, 5), ...number(34, 0)),
      sequence(...number(1, 5)),
      sequence(...number(1, 5), 0x02, 2, 7),
    ])
      expect([wrong, await rawOf(...wrong)]).toEqual([wrong, undefined]);
    verified.mockRestore();
  });

  it("has keys that Web Crypto does not export, except the one whose public half is asked for", async () => {
    const imported = vi.spyOn(crypto.subtle, "importKey");
    await sign(keys, data);
    await isSignedBy(pemOf(one), data, new Uint8Array(nodeSign("sha256", data, one.privateKey)));
    expect(imported.mock.calls.map((call) => call[3])).toEqual([false, false]);
    imported.mockRestore();
  });
});
