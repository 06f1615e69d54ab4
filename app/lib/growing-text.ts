/** A text of any length that grows, kept as its UTF-8 bytes in pieces: no string of the whole is ever made. */
export type GrowingText = {
  add: (text: string) => void;
  /** The bytes so far. */
  pieces: () => Uint8Array<ArrayBuffer>[];
};

const PIECE = 64 * 1024;
const encoder = new TextEncoder();

export function createGrowingText(): GrowingText {
  const full: Uint8Array<ArrayBuffer>[] = [];
  let piece = new Uint8Array(PIECE);
  let filled = 0;
  return {
    add(text) {
      for (let rest = text; rest !== ""; ) {
        const { read, written } = encoder.encodeInto(rest, piece.subarray(filled));
        filled += written;
        rest = rest.slice(read);
        // What is left does not fit, were it only the bytes of one character.
        if (rest === "") return;
        full.push(piece.subarray(0, filled));
        piece = new Uint8Array(PIECE);
        filled = 0;
      }
    },
    pieces: () => [...full, piece.subarray(0, filled)],
  };
}
