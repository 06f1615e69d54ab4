const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/**
 * Returns a filter for the bytes of a JSON text: strings of more than `limit` bytes become empty, everything else
 * passes unchanged, so that a body full of images can be parsed in little memory. The result of a call is valid
 * until the next call.
 */
export function emptyLongTexts(limit: number): (chunk: Uint8Array) => Uint8Array<ArrayBuffer> {
  /** The current string, as far as it fits. */
  const text = new Uint8Array(limit);
  let out = new Uint8Array(0);
  let [inText, escaped, isLong] = [false, false, false];
  let [kept, filled] = [0, 0];

  function take(bytes: Uint8Array): void {
    isLong ||= kept + bytes.length > limit;
    if (isLong) return;
    text.set(bytes, kept);
    kept += bytes.length;
  }

  function put(bytes: Uint8Array): void {
    out.set(bytes, filled);
    filled += bytes.length;
  }

  return (chunk) => {
    // A string that began in an earlier chunk may end in this one.
    if (out.length < chunk.length + limit) out = new Uint8Array(chunk.length + limit);
    filled = 0;
    // Positions are looked up once and jumped to: images are strings of megabytes.
    let [quote, backslash] = [-1, -1];
    for (let at = 0; at < chunk.length; ) {
      if (quote < at) quote = placeOf(chunk, QUOTE, at);
      if (!inText) {
        const end = Math.min(quote + 1, chunk.length);
        put(chunk.subarray(at, end));
        inText = quote < chunk.length;
        at = end;
        [kept, isLong] = [0, false];
      } else if (escaped) {
        take(chunk.subarray(at, at + 1));
        escaped = false;
        at++;
      } else {
        if (backslash < at) backslash = placeOf(chunk, BACKSLASH, at);
        let end = quote;
        if (backslash < quote) {
          // Looking up every escape would take seconds in a string of escapes alone.
          end = backslash;
          while (end < chunk.length && chunk[end] !== QUOTE) end += chunk[end] === BACKSLASH ? 2 : 1;
          escaped = end > chunk.length;
          end = Math.min(end, chunk.length);
        }
        take(chunk.subarray(at, end));
        at = end + 1;
        if (end === chunk.length) break;
        if (!isLong) put(text.subarray(0, kept));
        put(chunk.subarray(end, at));
        inText = false;
      }
    }
    return out.subarray(0, filled);
  };
}

/** Returns the position of a byte, or the length of the chunk if it is absent. */
function placeOf(chunk: Uint8Array, byte: number, from: number): number {
  const place = chunk.indexOf(byte, from);
  return place < 0 ? chunk.length : place;
}
