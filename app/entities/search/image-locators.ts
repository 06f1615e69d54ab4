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

/** The text of a row's locators, as the file keeps it: a plate that is a part of the vehicle's image is only that part. */
export function locatorsText({ sourceId, vehicle, plate }: RowLocators): string {
  if (vehicle !== null && plate?.startsWith(vehicle)) {
    return JSON.stringify([sourceId, vehicle, plate.slice(vehicle.length), 1]);
  }
  return JSON.stringify([sourceId, vehicle, plate]);
}

/** The file of a set: `textOf` gives the encoded text of each row, which are written in the given order. */
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
    const text = textOf(order[i] as number);
    bytes.set(text, start + at);
    at += text.length;
    offsets[i + 1] = at;
  }
  return bytes;
}

/** The locators of one row from its text. */
export function decodeLocators(text: Uint8Array): RowLocators {
  const row = JSON.parse(new TextDecoder().decode(text)) as [string, string | null, string | null, 1?];
  const [sourceId, vehicle, plate, isPart] = row;
  return { sourceId, vehicle, plate: isPart === 1 ? `${vehicle}${plate}` : plate };
}
