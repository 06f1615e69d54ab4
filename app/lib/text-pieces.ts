const PIECE = 64 * 1024;
const encoder = new TextEncoder();

/**
 * Yields the UTF-8 bytes of a text in pieces while its parts are generated; the whole string never exists. All
 * pieces share one buffer: each must be used before the next is requested.
 */
export function* textPieces(parts: Iterable<string>): Generator<Uint8Array<ArrayBuffer>> {
  const piece = new Uint8Array(PIECE);
  let filled = 0;
  for (const part of parts) {
    for (let rest = part; rest !== ""; ) {
      const { read, written } = encoder.encodeInto(rest, piece.subarray(filled));
      filled += written;
      rest = rest.slice(read);
      // The rest does not fit, even if it is a single character.
      if (rest === "") break;
      yield piece.subarray(0, filled);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

/**
 * Yields the parts of a JSON object. A generated list becomes an array with one item per line; other values are
 * written as they are.
 */
export function* jsonParts(object: Record<string, unknown>): Generator<string> {
  let before = "{\n";
  for (const [name, value] of Object.entries(object)) {
    yield `${before} ${JSON.stringify(name)}: `;
    if (isGenerated(value)) yield* jsonArrayParts(value);
    else yield JSON.stringify(value, null, 1);
    before = ",\n";
  }
  yield "\n}\n";
}

/** Yields the parts of a JSON array with one item per line. */
export function* jsonArrayParts(items: Iterable<unknown>): Generator<string> {
  let before = "[\n";
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ",\n";
  }
  yield before === "[\n" ? "[]" : "\n]";
}

function isGenerated(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && !Array.isArray(value);
}
