import { describe, expect, it } from "vitest";
import { createSeal, readSeal } from "#app/entities/exports/pdf-signature.ts";

const SHA256 = "0123456789abcdef".repeat(4);
const STATEMENT = {
  schema: "odin-report",
  schema_version: 1,
  export_id: "00112233445566778899aabbccddeeff",
  created_at: "2026-11-20T17:03:07.000Z",
  bytes: 4096,
  sha256: SHA256,
  startxref: 3900,
  algorithm: "ECDSA-P256-SHA256",
  key_version: 3,
};
const TEXT = JSON.stringify(STATEMENT);
const END = "startxref\n3900\n%%EOF\n";
/** The text is the base64 of the bytes 1, 2, 3 and 4 (RFC 4648). */
const SIGNATURE = "AQIDBA==";
const SEAL = `%odin-report ${TEXT}\n%odin-signature ${SIGNATURE}\n${END}`;

const read = (text: string) => readSeal(Buffer.from(text, "latin1"));
const withStatement = (over: object) => read(SEAL.replace(TEXT, JSON.stringify({ ...STATEMENT, ...over })));

describe("the seal of a report", () => {
  it("is the statement, its signature and the last lines of the PDF", async () => {
    const signed: string[] = [];
    const seal = await createSeal({
      exportId: "00112233445566778899aabbccddeeff",
      createdAt: Date.UTC(2026, 10, 20, 17, 3, 7),
      bytes: 4096,
      sha256: SHA256,
      startxref: 3900,
      keyVersion: 3,
      sign: async (data) => {
        signed.push(Buffer.from(data).toString());
        return Uint8Array.of(1, 2, 3, 4);
      },
    });
    expect(Buffer.from(seal).toString()).toBe(SEAL);
    expect(signed).toEqual([TEXT]);
  });

  it("is read at the end of a file, with the signed bytes and its own length", () => {
    for (const before of ["", "xref\n%%EOF\n", "\xff\xfe"]) {
      const seal = read(before + SEAL);
      expect(seal?.statement).toEqual(STATEMENT);
      expect(Buffer.from(seal?.signed ?? []).toString()).toBe(TEXT);
      expect([...(seal?.signature ?? [])]).toEqual([1, 2, 3, 4]);
      expect(seal?.length).toBe(SEAL.length);
    }
  });

  // The statement of older reports has no offset, and only %%EOF follows it.
  it("is read in its first form, and only with the end of that form", () => {
    const { startxref: _, ...first } = STATEMENT;
    const text = JSON.stringify(first);
    const sealed = SEAL.replace(TEXT, text).replace(END, "%%EOF\n");
    const seal = read(`xref\n%%EOF\n${sealed}`);
    expect(seal?.statement).toEqual(first);
    expect(Buffer.from(seal?.signed ?? []).toString()).toBe(text);
    expect(seal?.length).toBe(sealed.length);
    expect(read(SEAL.replace(TEXT, text))).toBeUndefined();
    expect(read(SEAL.replace(END, "%%EOF\n"))).toBeUndefined();
  });

  it.each([
    ["a longer end", `${SEAL}\n`],
    ["no last line", SEAL.slice(0, -1)],
    ["another word before the statement", SEAL.replace("%odin-report", "%other-report")],
    ["another word before the signature", SEAL.replace("%odin-signature", "%other-signature")],
    ["no signature", SEAL.replace(SIGNATURE, "")],
    ["a signature that is not base64", SEAL.replace(SIGNATURE, "AQID*A==")],
    ["a signature of a wrong length", SEAL.replace(SIGNATURE, "AQIDB")],
    ["a signature with unused bits", SEAL.replace(SIGNATURE, "AQIDBB==")],
    ["a signature without padding", SEAL.replace(SIGNATURE, "AQIDBA")],
    ["a signature with too much padding", SEAL.replace(SIGNATURE, "AQIDBA===")],
    ["an offset that is not the stated one", SEAL.replace("startxref\n3900", "startxref\n3901")],
    ["an offset with a leading zero", SEAL.replace("startxref\n3900", "startxref\n03900")],
    ["an offset that is not a number", SEAL.replace("startxref\n3900", "startxref\nx")],
    ["a statement that is not JSON", SEAL.replace(TEXT, `{${TEXT}`)],
    ["a statement with other characters than ASCII", SEAL.replace("00112233", "\xe900112233")],
    ["a statement with a control character", SEAL.replace("00112233", "\x1f00112233")],
    ["a space before the statement", SEAL.replace("%odin-report {", "%odin-report  {")],
  ])("is not read with %s", (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it("is read with a statement of every printable ASCII character", () => {
    const id = " !#$%&'()*+,-./0123456789:;<=>?@AZ[]^_`az{|}~";
    expect(withStatement({ export_id: id })?.statement.export_id).toBe(id);
  });

  it.each([
    [{ schema: "odin-export" }],
    [{ schema_version: 2 }],
    [{ export_id: 1 }],
    [{ created_at: null }],
    [{ bytes: "4096" }],
    [{ sha256: SHA256.slice(1) }],
    [{ sha256: `${SHA256}0` }],
    [{ sha256: SHA256.toUpperCase() }],
    [{ algorithm: "RSA" }],
    [{ key_version: "3" }],
  ])("is not read with a statement of %j", (over) => {
    expect(withStatement(over)).toBeUndefined();
  });

  it("is read with a signature of any padding", () => {
    for (const [text, bytes] of [
      ["AQID", [1, 2, 3]],
      ["AQIDBAU=", [1, 2, 3, 4, 5]],
      ["+/+/", [251, 255, 191]],
    ] as const)
      expect([...(read(SEAL.replace(SIGNATURE, text))?.signature ?? [])]).toEqual(bytes);
  });
});
