/**
 * Vendor locators of a result set's images, stored next to the columns and never sent to a browser. One row takes one
 * or two small range reads. Layout: count (u32), offsets (u32, count + 1), then UTF-8 texts.
 */
export type RowLocators = { sourceId: string; vehicle: string | null; plate: string | null };

/** Returns the byte range of the offsets of one row. */
export function offsetsRange(row: number): { offset: number; length: number } {
  return { offset: 4 + row * 4, length: 8 };
}

/** Returns the byte range of the text of a row from its offsets; `count` is the number of rows in the set. */
export function textRange(
  offsets: Uint8Array<ArrayBuffer>,
  count: number,
): { offset: number; length: number } {
  const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength);
  const [from, to] = [view.getUint32(0, true), view.getUint32(4, true)];
  return { offset: 4 + (count + 1) * 4 + from, length: to - from };
}

/**
 * Returns the stored text of a row's locators. A plate locator that extends the vehicle's is stored as the extension.
 */
export function locatorsText({ sourceId, vehicle, plate }: RowLocators): string {
  if (vehicle !== null && plate?.startsWith(vehicle)) {
    return JSON.stringify([sourceId, vehicle, plate.slice(vehicle.length), 1]);
  }
  return JSON.stringify([sourceId, vehicle, plate]);
}

/** Returns the file of a set, with rows in the given order; `textOf` returns the encoded text of a row. */
export function locatorsFile(
  order: Uint32Array,
  textOf: (row: number) => Uint8Array,
): Uint8Array<ArrayBuffer> {
  let size = 0;
  for (const row of order) size += textOf(row).length;
  const bytes = new Uint8Array(4 + (order.length + 1) * 4 + size);
  const offsets = new Uint32Array(bytes.buffer, 4, order.length + 1);
  new DataView(bytes.buffer).setUint32(0, order.length, true);
  const start = 4 + offsets.byteLength;
  let at = 0;
  for (let i = 0; i < order.length; i++) {
    const text = textOf(order[i] ?? 0);
    bytes.set(text, start + at);
    at += text.length;
    offsets[i + 1] = at;
  }
  return bytes;
}

/** Parses the locators of one row. */
export function decodeLocators(text: Uint8Array): RowLocators {
  const row: [string, string | null, string | null, 1?] = JSON.parse(new TextDecoder().decode(text));
  const [sourceId, vehicle, plate, isPart] = row;
  return { sourceId, vehicle, plate: isPart === 1 ? `${vehicle}${plate}` : plate };
}
