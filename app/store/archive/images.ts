// Images of Axis reads in R2, grouped by UTC day, so that a day's images are purged with its reads. The rest of a key
// is random: it does not reveal the plate, and no two writers use the same key.

import { randomToken } from "#app/lib/crypto/primitives.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";

/** Keys that R2 deletes or lists in one call. */
const KEYS_OF_A_CALL = 1000;

/** Returns the prefix of all images of the UTC day of a time. */
function readImagesPrefix(at: number): string {
  return `axis/${isoTime(at).slice(0, 10)}/`;
}

const EXTENSIONS = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" } as const;

/**
 * Returns a new key for an image of a read: `axis/<yyyy-mm-dd>/<camera>/<milliseconds since 1970, base
 * 36>-<random>.jpg`, `.png` or `.webp`. The time in it shows when the image's retention ends, without loading its read.
 */
export function newReadImageKey(input: {
  at: number;
  cameraId: string;
  type: keyof typeof EXTENSIONS;
}): string {
  const camera = encodeURIComponent(input.cameraId);
  return `${readImagesPrefix(input.at)}${camera}/${input.at.toString(36)}-${randomToken()}.${EXTENSIONS[input.type]}`;
}

/** Returns when an image was taken, from its key; the whole day for keys without a time. */
export function readImageTime(key: string): { from: number; to: number } {
  const [, date = "", , name = ""] = key.split("/");
  const start = Date.parse(`${date}T00:00:00Z`);
  const at = Number.parseInt(/^([0-9a-z]{8})-/.exec(name)?.[1] ?? "", 36);
  if (at >= start && at < start + DAY) return { from: at, to: at };
  return { from: start, to: start + DAY - 1 };
}

/** Returns a new key for an image of a hit, which is kept as long as the hit, beyond the purge of the day's reads. */
export function newAlertImageKey(input: { at: number; type: string }): string {
  const extension = isImageType(input.type) ? EXTENSIONS[input.type] : "bin";
  return `alerts/${isoTime(input.at).slice(0, 10)}/${randomToken()}.${extension}`;
}

function isImageType(type: string): type is keyof typeof EXTENSIONS {
  return Object.hasOwn(EXTENSIONS, type);
}

/** Stores an image under its key. */
export async function putReadImage(
  images: R2Bucket,
  image: { key: string; bytes: Uint8Array<ArrayBuffer>; type: string },
): Promise<void> {
  await images.put(image.key, image.bytes, { httpMetadata: { contentType: image.type } });
}

/** Returns a stored image, or undefined if it does not exist. */
export async function readImage(
  images: R2Bucket,
  key: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string } | undefined> {
  const object = await images.get(key);
  if (!object) return undefined;
  const bytes = new Uint8Array(await object.arrayBuffer());
  return { bytes, type: object.httpMetadata?.contentType ?? "image/jpeg" };
}

/** Deletes images that no read uses, any number of them. */
export async function removeReadImages(images: R2Bucket, keys: string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += KEYS_OF_A_CALL)
    await images.delete(keys.slice(from, from + KEYS_OF_A_CALL));
}

/** Deletes all images of the UTC day of a time. Returns their number. */
export async function purgeReadImages(images: R2Bucket, at: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const listed = await images.list({ prefix: readImagesPrefix(at), limit: KEYS_OF_A_CALL });
    if (listed.objects.length === 0) return removed;
    await images.delete(listed.objects.map((object) => object.key));
    removed += listed.objects.length;
  }
}
