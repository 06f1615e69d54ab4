/** No honest answer of a vendor, and nothing that a camera sends, nests deeper or holds more objects and lists than this. */
export const JSON_MAX_DEPTH = 32;
export const JSON_MAX_CONTAINERS = 250_000;

/** What a text may hold at most: objects and lists, and commas, of which there is one between any two values. */
export type JsonLimits = { containers?: number; commas?: number };

/**
 * Watches the bytes of a JSON text go by and says whether its shape is still bearable. A few megabytes of `[` parse
 * to hundreds of megabytes of lists, so the shape is judged before anything is parsed.
 */
export function jsonShapeWatch(limits: JsonLimits = {}): (chunk: Uint8Array) => boolean {
  const { containers: mostContainers = JSON_MAX_CONTAINERS, commas: mostCommas = Infinity } = limits;
  let depth = 0;
  let containers = 0;
  let commas = 0;
  let inText = false;
  let escaped = false;
  return (chunk) => {
    for (const byte of chunk) {
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === 0x5c) escaped = true;
        else if (byte === 0x22) inText = false;
      } else if (byte === 0x22) inText = true;
      else if (byte === 0x2c) {
        if (++commas > mostCommas) return false;
      } else if (byte === 0x5b || byte === 0x7b) {
        if (++depth > JSON_MAX_DEPTH || ++containers > mostContainers) return false;
      } else if (byte === 0x5d || byte === 0x7d) depth--;
    }
    return true;
  };
}
