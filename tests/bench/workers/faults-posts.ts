// What the cameras of the bench `faults` post: lists, single events and forms from Axis, documents from Rekor. Each
// picture contains its plate, so that an alert with the picture of another car is detected.

import { base64 } from "#app/lib/crypto/encoding.ts";

export type Post =
  | { program: "axis"; secret: string; body: object | object[]; asForm?: boolean }
  | { program: "rekor"; secret: string; body: object };

const WORDS = "car with the plate ";

/** Returns bytes with the first and last bytes of a JPEG, and the plate between them. */
function pictureOf(plate: string): Uint8Array<ArrayBuffer> {
  const words = new TextEncoder().encode(WORDS + plate);
  return Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, ...words, 0xff, 0xd9]);
}

/** Returns whether a picture shows the car with this plate. */
export function isPictureOf(bytes: Uint8Array, plate: string): boolean {
  return new TextDecoder().decode(bytes).includes(`${WORDS}${plate}`);
}

type Passing = { at: number; pictured: boolean };

/** Returns an event: `new` has one picture, `lost` has two. */
export function axisEvent(plate: string, car: Passing & { car: string; carState: "new" | "lost" }): object {
  const kinds = car.carState === "new" ? ["vehicle"] : ["vehicle", "plate"];
  const picture = () => base64(pictureOf(plate));
  return {
    capture_timestamp: String(car.at),
    plateUTF8: plate,
    plateCountry: "USA",
    plateRegionCode: "CT",
    plateConfidence: "0.91",
    carState: car.carState,
    carID: car.car,
    ...(car.pictured && {
      ImageArray: kinds.map((ImageType) => ({ ImageType, BinaryImage: picture() })),
    }),
  };
}

/** Returns a document; a preview has only the vehicle's picture. */
export function rekorDocument(
  plate: string,
  { at, pictured, agent, isPreview }: Passing & { agent: string; isPreview: boolean },
): object {
  const picture = () => base64(pictureOf(plate));
  return {
    data_type: "alpr_group",
    version: 3,
    epoch_start: at,
    epoch_end: at + 3000,
    agent_uid: agent,
    camera_id: 7,
    country: "us",
    best_plate_number: plate,
    best_confidence: isPreview ? 71 : 93.2,
    best_region: "us-ct",
    is_preview: isPreview,
    ...(pictured && { vehicle_crop_jpeg: picture() }),
    ...(pictured && !isPreview && { best_plate: { plate, plate_crop_jpeg: picture() } }),
  };
}

/** Returns the request that a webhook receives. */
export function requestOf(post: Post): Request {
  const { body } = post;
  if (post.program === "axis" && post.asForm)
    return new Request(ADDRESS, { method: "POST", body: formOf(body) });
  const headers = { "content-type": "application/json" };
  return new Request(ADDRESS, { method: "POST", headers, body: JSON.stringify(body) });
}

const ADDRESS = "https://bench.local/";

/** Returns the event as a form, with its pictures as separate files. */
function formOf(event: object): FormData {
  const { ImageArray: images = [], ...rest } = event as {
    ImageArray?: { ImageType: string; BinaryImage: string }[];
  };
  const form = new FormData();
  form.set("event", JSON.stringify(rest));
  for (const { ImageType, BinaryImage } of images) {
    const bytes = Uint8Array.from(atob(BinaryImage), (character) => character.charCodeAt(0));
    form.append("image", new File([bytes], `${ImageType}.jpg`, { type: "image/jpeg" }));
  }
  return form;
}
