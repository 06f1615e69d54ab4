/** No legitimate vendor response or camera event nests deeper or holds more objects and arrays. */
export const JSON_MAX_DEPTH = 32;
export const JSON_MAX_CONTAINERS = 250_000;

/**
 * Limits of a JSON text: objects and arrays; commas, one between any two values; bytes outside of strings, such as
 * digits and spaces; escapes in strings.
 */
export type JsonLimits = { containers?: number; commas?: number; bare?: number; escapes?: number };

/**
 * Returns a function that watches the bytes of a JSON text and returns whether its shape is still within the
 * limits. A few megabytes of `[` parse to hundreds of megabytes of arrays, so the check comes before parsing.
 */
export function jsonShapeWatch(limits: JsonLimits = {}): (chunk: Uint8Array) => boolean {
  const { containers: mostContainers = JSON_MAX_CONTAINERS } = limits;
  const {
    commas: mostCommas = Infinity,
    bare: mostBare = Infinity,
    escapes: mostEscapes = Infinity,
  } = limits;
  let bare = 0;
  let escapes = 0;
  let depth = 0;
  let containers = 0;
  let commas = 0;
  let inText = false;
  let escaped = false;
  return (chunk) => {
    // Jumps over strings, which are megabytes of image data, by looking up the next position of each character
    // once.
    let [quote, slash] = [-1, -1];
    for (let at = 0; at < chunk.length; ) {
      if (escaped) {
        escaped = false;
        at++;
      } else if (inText) {
        if (quote < at) quote = placeOf(chunk, 0x22, at);
        if (slash < at) slash = placeOf(chunk, 0x5c, at);
        if (slash < quote) {
          if (++escapes > mostEscapes) return false;
          escaped = true;
        } else inText = quote === Number.POSITIVE_INFINITY;
        at = Math.min(quote, slash) + 1;
      } else {
        if (++bare > mostBare) return false;
        const byte = chunk[at++];
        if (byte === 0x22) inText = true;
        else if (byte === 0x2c) {
          if (++commas > mostCommas) return false;
        } else if (byte === 0x5b || byte === 0x7b) {
          if (++depth > JSON_MAX_DEPTH || ++containers > mostContainers) return false;
        } else if (byte === 0x5d || byte === 0x7d) depth--;
      }
    }
    return true;
  };
}

function placeOf(chunk: Uint8Array, byte: number, from: number): number {
  const place = chunk.indexOf(byte, from);
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}
