import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partOf } from "#app/lib/files/byte-range.ts";

describe("the part of a file that a Range header names", () => {
  it.each<[string | null, ReturnType<typeof partOf>]>([
    ["bytes=0-0", { offset: 0, length: 1 }],
    ["bytes=2-4", { offset: 2, length: 3 }],
    ["bytes=7-", { offset: 7, length: 3 }],
    ["bytes=-3", { offset: 7, length: 3 }],
    ["bytes=-99", { offset: 0, length: 10 }],
    ["bytes=5-99", { offset: 5, length: 5 }],
    [" BYTES=9- ", { offset: 9, length: 1 }],
    [null, undefined],
    ["", undefined],
    ["bytes=-", undefined],
    ["bytes=-0", undefined],
    ["bytes=10-", undefined],
    ["bytes=4-2", undefined],
    ["bytes=0-1,4-5", undefined],
    ["bytes=a-", undefined],
    ["bytes=1e2-", undefined],
    ["items=0-1", undefined],
    [`bytes=${"9".repeat(16)}-`, undefined],
  ])("%j of ten bytes is %j", (range, part) => {
    expect(partOf(range, 10)).toEqual(part);
  });

  it("is undefined for an empty file", () => {
    for (const range of ["bytes=0-", "bytes=-1", "bytes=0-0"]) expect(partOf(range, 0)).toBeUndefined();
  });

  it("is what slicing the file gives", () => {
    const bound = fc.nat(40);
    fc.assert(
      fc.property(fc.nat(30), bound, bound, (size, first, last) => {
        const bytes = Array.from({ length: size }, (_, i) => i);
        const sliced = (part: ReturnType<typeof partOf>) =>
          part ? bytes.slice(part.offset, part.offset + part.length) : [];
        const isForward = first <= last;
        expect(sliced(partOf(`bytes=${first}-${last}`, size))).toEqual(
          isForward ? bytes.filter((byte) => byte >= first && byte <= last) : [],
        );
        expect(sliced(partOf(`bytes=${first}-`, size))).toEqual(bytes.filter((byte) => byte >= first));
        expect(sliced(partOf(`bytes=-${last}`, size))).toEqual(bytes.filter((byte) => byte >= size - last));
      }),
    );
  });
});
