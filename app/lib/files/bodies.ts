import { joined } from "#app/lib/buffers.ts";
import { AppError, RETRY_SECONDS } from "#app/lib/errors.ts";
import { sizeText } from "#app/lib/number-text.ts";

/**
 * Returns the bytes of a body. Stops reading at the limit, so that a sender cannot fill the memory. Throws AppError
 * too_large, and unavailable for a request that breaks off: that is not a bug, and anyone could fill the error log with
 * it.
 */
export async function readBytes(
  body: { headers: Headers; body: ReadableStream<Uint8Array> | null },
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () => new AppError("too_large", `The body is larger than ${sizeText(limit)}.`);
  if (Number(body.headers.get("content-length") ?? 0) > limit) throw tooLarge();
  if (!body.body) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause) => {
      if (body instanceof Request) refuseLostConnection(cause);
      throw cause;
    });
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value);
  }
  return joined(chunks);
}

/** Throws AppError unavailable for a request whose body broke off. */
export function refuseLostConnection(cause: unknown): never {
  const message = "The connection was lost before the whole body had arrived. Send it again.";
  throw new AppError("unavailable", message, { retryAfter: RETRY_SECONDS, cause });
}

/**
 * Returns a stream that passes on a body of this many bytes. R2 stores only streams whose length is known, for which Workers
 * have a class; other runtimes have none.
 */
export function streamOfSize(bytes: number): ReadableWritablePair<Uint8Array, Uint8Array> {
  return typeof FixedLengthStream === "undefined" ? new TransformStream() : new FixedLengthStream(bytes);
}
