// Images of Axis reads and of hits in R2. Those of reads are grouped by UTC day, so that a day's images are purged with
// its reads. The rest of a key is random: it does not reveal the plate, and no two writers use the same key.
//
// The two images of an event are one object, because R2 charges for each write. Its name is followed by the bytes of the
// vehicle image in the key of that image (`<name>~61234`), and by the bytes of both in the key of the plate image
// (`<name>~61234~4821`). An object with one image has the key of the image, `<name>.jpg`, as all had in earlier versions.

import { randomToken } from "#app/lib/crypto/primitives.ts";
import type { ImageType } from "#app/lib/images/type.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { KEYS_OF_A_CALL } from "#app/store/files.ts";

/** R2's code for a range beyond the end of an object. */
const BEYOND_END = "10039";

const EXTENSIONS = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" } satisfies Record<
  ImageType,
  string
>;

/** Returns the prefix of all images of reads of the UTC day of a time. */
function readImagesPrefix(at: number): string {
  return `axis/${isoTime(at).slice(0, 10)}/`;
}

function beginOf({ at, cameraId }: { at: number; cameraId: string }): string {
  return `${readImagesPrefix(at)}${encodeURIComponent(cameraId)}/${at.toString(36)}-`;
}

/**
 * Returns a new name for the images of a read: `axis/<yyyy-mm-dd>/<camera>/<milliseconds since 1970, base 36>-<random>`.
 * The time in it shows when the images' retention ends, without loading their read.
 */
export function newReadImageName(of: { at: number; cameraId: string }): string {
  return `${beginOf(of)}${randomToken()}`;
}

/** Returns a new name for the images of a hit, which are kept as long as the hit, beyond the purge of the day's reads. */
export function newAlertImageName(at: number): string {
  return `alerts/${isoTime(at).slice(0, 10)}/${randomToken()}`;
}

/** Returns when an image was taken, from its key; the whole day for keys without a time. */
export function imageTime(key: string): { from: number; to: number } {
  const [, date = "", , name = ""] = key.split("/");
  const start = Date.parse(`${date}T00:00:00Z`);
  const at = Number.parseInt(/^([0-9a-z]{8})-/.exec(name)?.[1] ?? "", 36);
  if (at >= start && at < start + DAY) return { from: at, to: at };
  return { from: start, to: start + DAY - 1 };
}

/** Returns the keys of two images in one object, from their bytes. */
export function partKeys(object: string, bytes: { vehicle: number; plate: number }) {
  const vehicle = `${object}~${bytes.vehicle}`;
  return { vehicle, plate: `${vehicle}~${bytes.plate}` };
}

const PART = /^(.*\/[\w-]+)~([1-9]\d{0,8})(?:~([1-9]\d{0,8}))?$/s;

/** Returns the object that has an image, and the image's place in it if the object has two. */
export function partOf(key: string): { object: string; range?: { offset: number; length: number } } {
  const [, object, vehicle, plate] = PART.exec(key) ?? [];
  if (object === undefined) return { object: key };
  const first = Number(vehicle);
  return { object, range: plate ? { offset: first, length: Number(plate) } : { offset: 0, length: first } };
}

/** Returns the objects that have images, each once. */
export function objectsOf(keys: (string | null)[]): string[] {
  return [...new Set(keys.filter((key) => key !== null).map((key) => partOf(key).object))];
}

type KeysOfRead = { vehicleImageKey: string | null; plateImageKey: string | null };
type ReadOfKeys = { capturedAt: number; cameraId: string };
/** Vehicle and plate, as a read stores them. */
export type PackedKeys = [vehicle: string | null, plate: string | null];

/**
 * Returns the image keys of a read without what the read has already. Its date, camera and time become `/<milliseconds
 * after its capture>-`, and a plate image that follows the vehicle image in its object becomes `~<bytes>`.
 */
export function packKeys({ vehicleImageKey, plateImageKey, ...read }: ReadOfKeys & KeysOfRead): PackedKeys {
  const vehicle = packed(vehicleImageKey, read);
  if (vehicleImageKey !== null && plateImageKey?.startsWith(`${vehicleImageKey}~`))
    return [vehicle, plateImageKey.slice(vehicleImageKey.length)];
  return [vehicle, packed(plateImageKey, read)];
}

function packed(key: string | null, { capturedAt, cameraId }: ReadOfKeys): string | null {
  if (key === null) return null;
  const { from: at } = imageTime(key);
  if (Number.isNaN(at)) return key;
  const begin = beginOf({ at, cameraId });
  return key.startsWith(begin) ? `/${at - capturedAt}-${key.slice(begin.length)}` : key;
}

/** Returns the image keys of a read from what it stores. Keys of earlier versions are whole. */
export function openKeys(read: ReadOfKeys, [vehicle, plate]: PackedKeys): KeysOfRead {
  const vehicleImageKey = opened(vehicle, read);
  const plateImageKey = plate?.startsWith("~") ? `${vehicleImageKey}${plate}` : opened(plate, read);
  return { vehicleImageKey, plateImageKey };
}

function opened(key: string | null, { capturedAt, cameraId }: ReadOfKeys): string | null {
  const [, after, rest] = /^\/(-?\d+)-(.*)$/s.exec(key ?? "") ?? [];
  return after === undefined ? key : `${beginOf({ at: capturedAt + Number(after), cameraId })}${rest}`;
}

type NewImage = { bytes: Uint8Array<ArrayBuffer>; type: ImageType };

/** Keys of the images of a read or hit. */
export type ImageKeys = { vehicle: string | null; plate: string | null };

/** Stores an image as a separate object. Returns its key. */
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

/** Returns the bytes of an object's copy in the backups, or null if there is none. */
export type ImageCopy = (object: string) => Promise<Uint8Array<ArrayBuffer> | null>;

/**
 * Returns the bytes of a stored image, or null if it does not exist or is incomplete. After a restore, images are in
 * the backups until they have been copied back.
 */
export async function readImage(
  images: R2Bucket,
  key: string,
  copyOf?: ImageCopy,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { object: name, range } = partOf(key);
  const object = await images.get(name, range && { range }).catch((error: unknown) => {
    if (range && error instanceof Error && error.message.includes(BEYOND_END)) return null;
    throw error;
  });
  const bytes = object ? new Uint8Array(await object.arrayBuffer()) : await copiedPart();
  return bytes && range && bytes.length !== range.length ? null : bytes;

  async function copiedPart() {
    const copy = (await copyOf?.(name)) ?? null;
    return copy && range ? copy.slice(range.offset, range.offset + range.length) : copy;
  }
}

/** Deletes all images of the UTC day of a time, whose keys begin with `root`. Returns the number of their objects. */
export async function purgeReadImages(images: R2Bucket, at: number, root = ""): Promise<number> {
  let removed = 0;
  for (;;) {
    const listed = await images.list({ prefix: `${root}${readImagesPrefix(at)}`, limit: KEYS_OF_A_CALL });
    if (listed.objects.length === 0) return removed;
    await images.delete(listed.objects.map((object) => object.key));
    removed += listed.objects.length;
  }
}
