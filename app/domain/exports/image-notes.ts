// What is kept of each image of an archive until the lists are written: its size, type and SHA-256, as bytes in one
// buffer and not as objects, of which ten thousand would take megabytes.

import { fromHex, hex } from "#app/lib/crypto/encoding.ts";

export type ImageNote = { bytes: number; type: string; sha256: string };

const HASH = 32;

/** Notes by place, for so many places. */
export function createImageNotes(places: number) {
  const sizes = new Uint32Array(places);
  const hashes = new Uint8Array(places * HASH);
  /** Which of the types that came so far, counted from one; zero where there is no image. */
  const kinds = new Uint8Array(places);
  const types: string[] = [];
  return {
    keep(place: number, { bytes, type, sha256 }: ImageNote): void {
      if (place >= places) throw new RangeError("more images than records");
      if (!types.includes(type)) types.push(type);
      kinds[place] = types.indexOf(type) + 1;
      sizes[place] = bytes;
      hashes.set(fromHex(sha256), place * HASH);
    },
    find(place: number): ImageNote | undefined {
      const type = types[(kinds[place] ?? 0) - 1];
      if (type === undefined) return undefined;
      const sha256 = hex(hashes.subarray(place * HASH, (place + 1) * HASH));
      return { bytes: sizes[place] as number, type, sha256 };
    },
  };
}
