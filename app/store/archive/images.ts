// Images of Axis reads and of hits in R2. Those of reads are grouped by UTC day, so that a day's images are purged with
// its reads. The rest of a key is random: it does not reveal the plate, and no two writers use the same key.

import type { ImageType } from "#app/lib/images/type.ts";
import { partKeys, partOf, readImagesPrefix } from "./image-keys.ts";

/** Keys that R2 deletes or lists in one call. */
const KEYS_OF_A_CALL = 1000;
/** R2's code for a range beyond the end of an object. */
const BEYOND_END = "10039";

const EXTENSIONS = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" } satisfies Record<
  ImageType,
  string
>;

type NewImage = { bytes: Uint8Array<ArrayBuffer>; type: ImageType };

/** Keys of the images of a read or hit. */
export type ImageKeys = { vehicle: string | null; plate: string | null };

/** Stores an image as an object of its own. Returns its key. */
export async function putImage(images: R2Bucket, name: string, { bytes, type }: NewImage): Promise<string> {
  const key = `${name}.${EXTENSIONS[type]}`;
  await images.put(key, bytes, { httpMetadata: { contentType: type } });
  return key;
}

/** Stores the first image of each kind, both in one object. Returns their keys. */
export async function putImages(
  images: R2Bucket,
  name: string,
  all: (NewImage & { kind: keyof ImageKeys })[],
): Promise<ImageKeys> {
  const vehicle = all.find(({ kind }) => kind === "vehicle");
  const plate = all.find(({ kind }) => kind === "plate");
  if (!vehicle || !plate) {
    return {
      vehicle: vehicle ? await putImage(images, name, vehicle) : null,
      plate: plate ? await putImage(images, name, plate) : null,
    };
  }
  await images.put(name, new Blob([vehicle.bytes, plate.bytes]));
  return partKeys(name, { vehicle: vehicle.bytes.length, plate: plate.bytes.length });
}

/** Returns the bytes of a stored image, or null if it does not exist or is not whole. */
export async function readImage(images: R2Bucket, key: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const { object: name, range } = partOf(key);
  const object = await images.get(name, range && { range }).catch((error: unknown) => {
    if (range && error instanceof Error && error.message.includes(BEYOND_END)) return null;
    throw error;
  });
  const bytes = object && new Uint8Array(await object.arrayBuffer());
  return bytes && range && bytes.length !== range.length ? null : bytes;
}

/** Deletes any number of objects with images that no read uses. */
export async function removeImageObjects(images: R2Bucket, objects: string[]): Promise<void> {
  for (let from = 0; from < objects.length; from += KEYS_OF_A_CALL)
    await images.delete(objects.slice(from, from + KEYS_OF_A_CALL));
}

/** Deletes all images of the UTC day of a time. Returns the number of their objects. */
export async function purgeReadImages(images: R2Bucket, at: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const listed = await images.list({ prefix: readImagesPrefix(at), limit: KEYS_OF_A_CALL });
    if (listed.objects.length === 0) return removed;
    await images.delete(listed.objects.map((object) => object.key));
    removed += listed.objects.length;
  }
}
