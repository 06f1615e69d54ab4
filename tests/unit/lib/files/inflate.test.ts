import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSentBytes } from "#app/lib/files/inflate.ts";

const LIMIT = 100_000;

const read = (bytes: Uint8Array<ArrayBuffer>, encoding?: string) =>
  readSentBytes(
    new Request("https://odin.test/", {
      method: "POST",
      body: bytes,
      headers: encoding === undefined ? {} : { "content-encoding": encoding },
    }),
    LIMIT,
  );

const gzipped = (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes));

describe("a request body", () => {
  it("is inflated if its header says gzip", async () => {
    const bodies = fc.uint8Array({ maxLength: 20_000 }).map((bytes) => new Uint8Array(bytes));
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom("gzip", "x-gzip", " GZIP "), async (bytes, encoding) => {
        expect(await read(gzipped(bytes), encoding)).toEqual(bytes);
        expect(await read(bytes)).toEqual(bytes);
        expect(await read(bytes, "identity")).toEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });

  it("is rejected as soon as it inflates beyond the limit, whatever size it claims", async () => {
    expect(await read(gzipped(new Uint8Array(LIMIT)), "gzip")).toHaveLength(LIMIT);
    await expect(read(gzipped(new Uint8Array(LIMIT + 1)), "gzip")).rejects.toMatchObject({
      code: "too_large",
    });
    const bomb = gzipped(new Uint8Array(60_000_000));
    expect(bomb.length).toBeLessThan(LIMIT);
    await expect(read(bomb, "gzip")).rejects.toMatchObject({ code: "too_large" });
  });

  it("is rejected if nothing is inflated for 128 KiB, as from a file name without an end", async () => {
    const limit = 10_000_000;
    const send = (bytes: Uint8Array<ArrayBuffer>) =>
      readSentBytes(
        new Request("https://odin.test/", {
          method: "POST",
          body: bytes,
          headers: { "content-encoding": "gzip" },
        }),
        limit,
      );
    const body = gzipped(Uint8Array.of(7));
    /** A member whose header has a file name of this length (RFC 1952, section 2.3). */
    const named = (length: number) => {
      const name = new Uint8Array(length + 1).fill(97, 0, length);
      return new Uint8Array([...body.slice(0, 3), 8, ...body.slice(4, 10), ...name, ...body.slice(10)]);
    };
    expect(await send(named(100_000))).toEqual(Uint8Array.of(7));
    await expect(send(named(140_000))).rejects.toMatchObject({ code: "bad_request" });
    const endless = new Uint8Array(4_000_000).fill(97);
    endless.set(named(1).slice(0, 10));
    await expect(send(endless)).rejects.toMatchObject({ code: "bad_request" });
  });

  it("is inflated in slices of 4,096 bytes, wherever the last one ends", async () => {
    // Stored without compression: 23 bytes more than the content.
    for (const length of [0, 1, 4072, 4073, 4074, 8168, 8169, 8170, 50_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * i) % 251);
      const stored = new Uint8Array(gzipSync(bytes, { level: 0 }));
      expect(stored).toHaveLength(length + 23);
      expect(Buffer.compare(await read(stored, "gzip"), bytes)).toBe(0);
    }
    expect(gzipped(new Uint8Array())).toHaveLength(20);
    expect(await read(gzipped(new Uint8Array()), "gzip")).toHaveLength(0);
  });

  it("may have several members, as RFC 1952 allows", async () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 6000, size: "max" }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom(0, 6), async (parts, level) => {
        const members = Buffer.concat(parts.map((part) => gzipSync(part, { level })));
        const bytes = await read(new Uint8Array(members), "gzip");
        expect(Buffer.compare(bytes, gunzipSync(members))).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it("is rejected if it was changed or cut off, as its checksums and lengths show", async () => {
    // Stored without compression, so that the content can be changed without a trace in its form.
    const [first, second] = ["first", "second"].map((text) => gzipSync(text, { level: 0 }));
    const whole = new Uint8Array(Buffer.concat([first ?? Buffer.of(), second ?? Buffer.of()]));
    expect(Buffer.from(await read(whole, "gzip")).toString()).toBe("firstsecond");
    const [firstText, secondText] = [10 + 5, 28 + 10 + 5];
    const trailers = [20, 27, whole.length - 8, whole.length - 5, whole.length - 4, whole.length - 1];
    for (const place of [firstText, secondText, ...trailers])
      await expect(
        read(
          whole.map((byte, i) => (i === place ? byte ^ 1 : byte)),
          "gzip",
        ),
        `byte ${place}`,
      ).rejects.toMatchObject({ code: "bad_request" });
    for (const end of [1, 4, 8])
      await expect(read(whole.slice(0, -end), "gzip")).rejects.toMatchObject({ code: "bad_request" });
  });

  it("is rejected with the reason", async () => {
    const invalid = "The body is not valid gzip, although its header says so.";
    const whole = gzipped(new TextEncoder().encode("{}".repeat(500)));
    const changed = (at: number) => whole.map((byte, i) => (i === at ? byte ^ 1 : byte));
    for (const bytes of [changed(0), changed(1), changed(2), gzipped(new Uint8Array()).slice(0, 19)])
      await expect(read(bytes, "gzip")).rejects.toMatchObject({ code: "bad_request", message: invalid });
    await expect(read(changed(0), "gzip")).rejects.toMatchObject({ cause: expect.any(Error) });
    await expect(read(whole, "deflate")).rejects.toThrow("Send the body uncompressed or with gzip.");
    await expect(read(gzipped(new Uint8Array(LIMIT + 1)), "gzip")).rejects.toThrow(
      "The body inflates to more than 100 kB.",
    );
  });

  it("is rejected if it does not match its header", async () => {
    const whole = gzipped(new TextEncoder().encode("{}".repeat(500)));
    await expect(read(new TextEncoder().encode("{}"), "gzip")).rejects.toMatchObject({ code: "bad_request" });
    await expect(read(whole.slice(0, 20), "gzip")).rejects.toMatchObject({ code: "bad_request" });
    await expect(read(new Uint8Array(0), "gzip")).rejects.toMatchObject({ code: "bad_request" });
    await expect(read(whole, "br")).rejects.toMatchObject({ code: "unsupported_media" });
  });
});
