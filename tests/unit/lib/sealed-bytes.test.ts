import { createDecipheriv } from "node:crypto";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { at } from "#app/lib/at.ts";
import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import {
  FRAME,
  openBytes,
  openStream,
  sealBytes,
  sealedSize,
  sealStream,
} from "#app/lib/crypto/sealed-bytes.ts";
import { newLinesKey, openLines, sealLines } from "#app/lib/crypto/sealed-lines.ts";

const secret = (letter: string) => btoa(letter.repeat(32));
const keys = parseSealingKeys(`1:${secret("a")}`);
const file = { purpose: "backup|1", name: "backups/1/DB/users/0" };
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, n) => (n * 31) % 251);

/** A stream in chunks of a size that is unrelated to the frames. */
function streamOf(bytes: Uint8Array, chunk: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + chunk));
      at += chunk;
    },
  });
}

const gathered = async (stream: ReadableStream) => new Uint8Array(await new Response(stream).arrayBuffer());

describe("a sealed file", () => {
  it.each([0, 1, FRAME - 1, FRAME, FRAME + 1, 2 * FRAME, 3 * FRAME + 17])(
    "of %i bytes has the announced size and opens to the same content, for any chunk size",
    async (length) => {
      const bytes = bytesOf(length);
      const sealed = await gathered(
        sealStream(keys, file, { source: streamOf(bytes, 70_001), size: length }),
      );
      expect(sealed.length).toBe(sealedSize(length));
      const source = streamOf(sealed, 333_333);
      const opened = await gathered(openStream(keys, file, { source, size: sealed.length }));
      expect(Buffer.compare(opened, bytes)).toBe(0);
    },
  );

  it("opens only with its own name, purpose and key", async () => {
    const sealed = await sealBytes(keys, file, bytesOf(1000));
    for (const other of [
      { ...file, name: "backups/1/DB/users/1" },
      { ...file, purpose: "backup|2" },
    ])
      await expect(openBytes(keys, other, sealed)).rejects.toThrow("its seal is broken");
    await expect(openBytes(parseSealingKeys(`1:${secret("b")}`), file, sealed)).rejects.toThrow(
      "its seal is broken",
    );
    await expect(openBytes(parseSealingKeys(`2:${secret("a")}`), file, sealed)).rejects.toThrow("version 1");
    expect(await openBytes(parseSealingKeys(`1:${secret("a")},2:${secret("b")}`), file, sealed)).toHaveLength(
      1000,
    );
  });

  it("does not open with a changed bit, a missing frame or moved frames", async () => {
    const bytes = bytesOf(3 * FRAME);
    const sealed = await sealBytes(keys, file, bytes);
    const frame = FRAME + 28;
    const header = sealed.length - 3 * frame;
    const frameAt = (n: number) => sealed.subarray(header + n * frame, header + (n + 1) * frame);
    const [first, second, third] = [frameAt(0), frameAt(1), frameAt(2)];
    const joined = (...parts: Uint8Array[]) =>
      new Uint8Array(Buffer.concat([sealed.subarray(0, header), ...parts]));
    for (const wrong of [joined(first, second), joined(second, first, third), joined(first, third), joined()])
      await expect(openBytes(keys, file, wrong)).rejects.toThrow();
    const small = await sealBytes(keys, file, bytesOf(100));
    await fc.assert(
      fc.asyncProperty(fc.nat(small.length - 1), fc.nat(7), async (place, bit) => {
        const changed = small.slice();
        changed[place] = at(changed, place) ^ (1 << bit);
        await expect(openBytes(keys, file, changed)).rejects.toThrow();
      }),
    );
  });

  it("is not completed if its source has another size than announced", async () => {
    const source = () => streamOf(bytesOf(500), 100);
    await expect(gathered(sealStream(keys, file, { source: source(), size: 501 }))).rejects.toThrow("501");
  });
});

describe("a sealed file of lines", () => {
  const seal = { key: newLinesKey(), associated: ["group", 7] };

  it("opens to the same lines", async () => {
    const lines = fc.array(
      fc.string({ unit: "grapheme" }).map((line) => line.replaceAll("\n", "")),
      {
        minLength: 1,
      },
    );
    await fc.assert(
      fc.asyncProperty(lines, async (some) => {
        expect(await openLines(seal, await sealLines(seal, some))).toEqual(some);
      }),
      { numRuns: 50 },
    );
  });

  it("is an IV of 12 bytes and AES-256-GCM of the gzipped lines, with the associated data as JSON", async () => {
    const bytes = Buffer.from(await sealLines(seal, ["one", "two"]));
    const cipher = createDecipheriv("aes-256-gcm", Buffer.from(seal.key, "base64"), bytes.subarray(0, 12));
    cipher.setAAD(Buffer.from('["group",7]'));
    cipher.setAuthTag(bytes.subarray(-16));
    const plain = Buffer.concat([cipher.update(bytes.subarray(12, -16)), cipher.final()]);
    expect(gunzipSync(plain).toString()).toBe("one\ntwo");
  });

  it("differs each time", async () => {
    const [first, second] = [await sealLines(seal, ["one"]), await sealLines(seal, ["one"])];
    expect(first.subarray(0, 12)).not.toEqual(second.subarray(0, 12));
    expect(newLinesKey()).not.toBe(newLinesKey());
    expect(Buffer.from(newLinesKey(), "base64")).toHaveLength(32);
  });

  it("does not open with another key, other associated data, or a changed byte", async () => {
    const bytes = await sealLines(seal, ["one"]);
    await expect(openLines({ ...seal, key: newLinesKey() }, bytes)).rejects.toThrow();
    await expect(openLines({ ...seal, associated: ["group", 8] }, bytes)).rejects.toThrow();
    for (const position of [0, 12, bytes.length - 1]) {
      const changed = Uint8Array.from(bytes, (byte, n) => (n === position ? byte ^ 1 : byte));
      await expect(openLines(seal, changed)).rejects.toThrow();
    }
  });
});
