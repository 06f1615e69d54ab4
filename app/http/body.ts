// What the readers of bodies share: the media type, forms and schemas.

import type * as z from "zod/mini";
import { AppError } from "#app/lib/errors.ts";
import { withoutEmptyFields } from "#app/lib/json/empty-fields.ts";
import { schemaProblem } from "#app/lib/json/problem.ts";

const JSON_TYPE = "application/json";

/** Returns the media type of a body. Throws AppError unsupported_media with `refusal` if it is not a listed one. */
export function requireMedia<const Media extends string>(
  request: Request,
  media: readonly Media[],
  refusal: string,
): Media {
  const sent = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  const known = media.find((one) => one === sent);
  if (known === undefined) throw new AppError("unsupported_media", refusal);
  return known;
}

/** Throws AppError unsupported_media for a body that is not JSON. */
export function requireJson(request: Request): void {
  requireMedia(request, [JSON_TYPE], `Send this as ${JSON_TYPE}.`);
}

/** Returns the form in a body that was read. Throws AppError bad_request. */
export async function formOf(request: Request, bytes: Uint8Array<ArrayBuffer>): Promise<FormData> {
  const type = request.headers.get("content-type") ?? "";
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch (error) {
    throw new AppError("bad_request", "The form cannot be read.", { cause: error });
  }
}

/** Returns a value as its schema describes it. Throws AppError bad_request with the first problem. */
export function checked<S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
  whole = "The body is not as documented.",
): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError("bad_request", schemaProblem(parsed.error, whole));
}

/**
 * Returns a JSON body as its schema describes it. Optional fields may be null or an empty text. Throws AppError
 * bad_request with the first problem.
 */
export function checkedJson<S extends z.ZodMiniType>(schema: S, body: unknown): z.infer<S> {
  return checked(schema, withoutEmptyFields(schema, body));
}
