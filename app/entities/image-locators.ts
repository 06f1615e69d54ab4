/**
 * Where the images of a result set are with their vendors: kept beside the columns and never sent to a browser.
 * One row is found with two small range reads: layout is count (u32), offsets (u32, count + 1), then UTF-8 texts.
 */
export type RowLocators = { sourceId: string; vehicle: string | null; plate: string | null };

/** Bytes to read for the offsets of one row. */
export function offsetsRange(row: number): { offset: number; length: number } {
  return { offset: 4 + row * 4, length: 8 };
}

/** Bytes to read for the text of a row whose offsets were read; `count` is the set's. */
export function textRange(
  offsets: Uint8Array<ArrayBuffer>,
  count: number,
): { offset: number; length: number } {
  const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength);
  const [from, to] = [view.getUint32(0, true), view.getUint32(4, true)];
  return { offset: 4 + (count + 1) * 4 + from, length: to - from };
}

/** Encodes locators of rows in their final order. */
export function encodeLocators(
  order: Uint32Array,
  locatorsOf: (row: number) => RowLocators,
): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const texts: Uint8Array[] = [];
  const offsets = new Uint32Array(order.length + 1);
  let size = 0;
  for (let i = 0; i < order.length; i++) {
    const { sourceId, vehicle, plate } = locatorsOf(order[i] as number);
    const text = encoder.encode(JSON.stringify([sourceId, vehicle, plate]));
    texts.push(text);
    size += text.length;
    offsets[i + 1] = size;
  }
  const bytes = new Uint8Array(4 + offsets.byteLength + size);
  new DataView(bytes.buffer).setUint32(0, order.length, true);
  new Uint32Array(bytes.buffer, 4, offsets.length).set(offsets);
  let at = 4 + offsets.byteLength;
  for (const text of texts) {
    bytes.set(text, at);
    at += text.length;
  }
  return bytes;
}

/** The locators of one row from its text. */
export function decodeLocators(text: Uint8Array): RowLocators {
  const [sourceId, vehicle, plate] = JSON.parse(new TextDecoder().decode(text)) as [
    string,
    string | null,
    string | null,
  ];
  return { sourceId, vehicle, plate };
}
