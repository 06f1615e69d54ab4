const PIECE = 64 * 1024;
const encoder = new TextEncoder();

/**
 * A text of any length as its UTF-8 bytes in pieces, from its parts as they are made: no string of the whole ever is.
 * All pieces lie in one buffer, so that each must be used before the next is asked for.
 */
export function* textPieces(parts: Iterable<string>): Generator<Uint8Array<ArrayBuffer>> {
  const piece = new Uint8Array(PIECE);
  let filled = 0;
  for (const part of parts) {
    for (let rest = part; rest !== ""; ) {
      const { read, written } = encoder.encodeInto(rest, piece.subarray(filled));
      filled += written;
      rest = rest.slice(read);
      // What is left does not fit, were it only the bytes of one character.
      if (rest === "") break;
      yield piece.subarray(0, filled);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

/**
 * The parts of a JSON text of an object. A value that is made item by item stands as an array with an item a line;
 * other values are told as they are.
 */
export function* jsonParts(object: Record<string, unknown>): Generator<string> {
  let before = "{\n";
  for (const [name, value] of Object.entries(object)) {
    yield `${before} ${JSON.stringify(name)}: `;
    if (isMade(value)) yield* jsonArrayParts(value);
    else yield JSON.stringify(value, null, 1);
    before = ",\n";
  }
  yield "\n}\n";
}

/** The parts of a JSON array with an item a line. */
export function* jsonArrayParts(items: Iterable<unknown>): Generator<string> {
  let before = "[\n";
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ",\n";
  }
  yield before === "[\n" ? "[]" : "\n]";
}

function isMade(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && !Array.isArray(value);
}
