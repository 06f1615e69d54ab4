// Reads the bodies that cameras and vendors post to Odin's webhooks.

import {
  AXIS_BODY_LIMIT,
  type AxisImage,
  type AxisPush,
  axisImage,
  formImageKinds,
} from "#app/entities/ingest/axis-event.ts";
import { BROKEN_PICTURE, REKOR_BODY_LIMIT } from "#app/entities/ingest/rekor-event.ts";
import { AppError } from "#app/lib/errors.ts";
import { readSentBytes } from "#app/lib/files/inflate.ts";
import type { FormPart } from "#app/lib/files/multipart.ts";
import { parseSentJson } from "#app/lib/json/parse.ts";
import type { JsonLimits } from "#app/lib/json/shape.ts";
import { partsOf, requireMedia, sentMedia } from "./body.ts";

/** Limits of a Rekor document. A pass that lasted minutes has some thousand values. */
const REKOR_SHAPE = { containers: 50_000, commas: 200_000 };

/** An event's form has three parts. Reading 100,000 took seconds. */
const MAX_PARTS = 100;

/** The media types of senders that do not declare JSON. */
const UNNAMED_TYPES = ["", "text/plain", "application/octet-stream"];
/** `text/json`, `application/x-json`, `application/vnd.vendor+json`. */
const JSON_TYPE = /^[\w.+-]+\/(?:[\w.+-]+[+-])?json$/;

/**
 * Returns whether a body of a webhook is read as JSON. Other calls need application/json, which a form of another site
 * cannot send with the user's cookie. Here no cookie counts: the sender is known by the secret of the webhook.
 */
function mayBeJson(request: Request): boolean {
  const media = sentMedia(request);
  return UNNAMED_TYPES.includes(media) || JSON_TYPE.test(media);
}

/** Returns the JSON document of a Rekor webhook. Throws AppError unsupported_media, too_large or bad_request. */
export async function readRekorDocument(request: Request): Promise<object> {
  if (!mayBeJson(request)) throw new AppError("unsupported_media", "A webhook sends application/json.");
  const json = jsonOf(await readSentBytes(request, REKOR_BODY_LIMIT), "The document", REKOR_SHAPE);
  if (Array.isArray(json))
    throw new AppError("bad_request", "The document is a list. Send its documents one by one.");
  return json;
}

/**
 * Returns what an Axis camera posts: the JSON of an event or a list of events, and the images of a form. Throws
 * AppError unsupported_media, too_large or bad_request.
 */
export async function readAxisPush(request: Request): Promise<AxisPush> {
  const isJson = mayBeJson(request);
  if (!isJson)
    requireMedia(request, ["multipart/form-data"], "A camera sends application/json or multipart/form-data.");
  const bytes = await readSentBytes(request, AXIS_BODY_LIMIT);
  const size = { bytes: bytes.length };
  if (isJson) return { json: jsonOf(bytes, "The body"), images: [], caveats: [], ...size };
  const form = partsOf(request, bytes, MAX_PARTS);
  const [event, another] = form.filter(({ name }) => name === "event");
  if (!event) throw new AppError("bad_request", "event is missing.");
  // Otherwise the other event would be lost.
  if (another) throw new AppError("bad_request", "A form has one event. Send several as a list of JSON.");
  const json = jsonOf(event.bytes, "event");
  // The images of a form belong to one vehicle.
  if (Array.isArray(json))
    throw new AppError("bad_request", "A list of events is sent as JSON, not in a form.");
  return { json, ...formImages(form, json), ...size };
}

/** Returns the images of a form by their fields; some cameras send both as `image`. Ignores empty ones. */
function formImages(form: readonly FormPart[], json: object): Pick<AxisPush, "images" | "caveats"> {
  const [image, another] = form.filter(({ name }) => name === "image");
  const parts = {
    image: filled(image),
    image2: filled(another) ?? filled(form.find(({ name }) => name === "image2")),
  };
  const kinds = formImageKinds(json, {
    image: parts.image?.fileName ?? "",
    image2: parts.image2?.fileName ?? "",
  });
  const images: AxisImage[] = [];
  let broken = false;
  for (const field of ["image", "image2"] as const) {
    const part = parts[field];
    if (!part) continue;
    const read = axisImage(kinds[field], part.bytes, field);
    if (read) images.push(read);
    else broken = true;
  }
  return { images, caveats: broken ? [BROKEN_PICTURE] : [] };
}

const filled = (part: FormPart | undefined) => (part && part.bytes.length > 0 ? part : undefined);

/** Returns an object or a list. Throws AppError bad_request with what is wrong; `what` begins the sentence. */
function jsonOf(bytes: Uint8Array, what: string, limits?: JsonLimits): object {
  const json = parseSentJson(bytes, limits);
  if (typeof json === "object" && json !== null) return json;
  throw new AppError("bad_request", `${what} ${jsonProblem(bytes, json)}`);
}

const GZIP_START = [0x1f, 0x8b];

function jsonProblem(bytes: Uint8Array, json: unknown): string {
  if (bytes.length === 0) return "is empty.";
  if (GZIP_START.every((byte, i) => bytes[i] === byte))
    return "is gzipped, but the header Content-Encoding does not say so.";
  return json === undefined ? "is not JSON in UTF-8, or was cut off." : "is not a JSON object.";
}
