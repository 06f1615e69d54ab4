/** The orientation of a picture by EXIF, the only metadata that is needed to display it. */

const ORIENTATION = 0x0112;
const SHORT = 3;
/** The orientation of the sensor, which needs no mark. */
const UPRIGHT = 1;

/** Returns the orientation (2 to 8) in an EXIF block, or undefined if it has none or the default. */
export function orientationOf(exif: Uint8Array): number | undefined {
  const begins = String.fromCharCode(...exif.subarray(0, 6));
  const tiff = begins === "Exif\0\0" ? exif.subarray(6) : exif;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length);
  try {
    const order = view.getUint16(0);
    if (order !== 0x4949 && order !== 0x4d4d) return undefined;
    const little = order === 0x4949;
    const directory = view.getUint32(4, little);
    const count = view.getUint16(directory, little);
    for (let i = 0; i < count; i++) {
      const entry = directory + 2 + i * 12;
      if (view.getUint16(entry, little) !== ORIENTATION) continue;
      if (view.getUint16(entry + 2, little) !== SHORT) return undefined;
      const value = view.getUint16(entry + 8, little);
      return value > UPRIGHT && value <= 8 ? value : undefined;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** Returns an EXIF block (TIFF) that contains only the orientation. */
export function orientationExif(orientation: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(26);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x4d4d002a);
  view.setUint32(4, 8);
  view.setUint16(8, 1);
  view.setUint16(10, ORIENTATION);
  view.setUint16(12, SHORT);
  view.setUint32(14, 1);
  view.setUint16(18, orientation);
  return bytes;
}
