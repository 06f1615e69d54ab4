// Long operations answer with their result alone or, for callers that accept application/x-ndjson, with a JSON line per
// step. Hanging up cancels the work, which still lives long enough to write its audit row.

import type { AppContext } from "#app/context.ts";
import { isAppError } from "#app/lib/errors.ts";
import { logError, requestId } from "#app/lib/log.ts";

export type Hooks<P> = { signal: AbortSignal; onProgress: (progress: P) => void };

/** Returns whether a caller wants progress, a JSON line per step. */
export function wantsProgress(request: Request): boolean {
  return request.headers.get("accept")?.includes("application/x-ndjson") ?? false;
}

/**
 * Lets work end after its client has hung up: a Worker would end before the work's audit row is written. Returns the work.
 */
export function surviveHangUp<T>(app: Pick<AppContext, "waitUntil">, work: Promise<T>): Promise<T> {
  app.waitUntil(
    work.then(
      () => {},
      () => {},
    ),
  );
  return work;
}

/**
 * Runs work that reports progress. The first report means that it was admitted: an earlier failure is a plain 4xx, a
 * later one is a last line `{ type: "failed", message, request_id }`.
 */
export async function answerWithProgress<P, T>(input: {
  app: AppContext;
  request: Request;
  run: (hooks: Hooks<P>) => Promise<T>;
  answer: (result: T) => Response | Promise<Response>;
  failed: string;
}): Promise<Response> {
  const { app, request, run } = input;
  if (!wantsProgress(request)) {
    return input.answer(await surviveHangUp(app, run({ signal: request.signal, onProgress: () => {} })));
  }
  const encoder = new TextEncoder();
  const canceled = new AbortController();
  request.signal.addEventListener("abort", () => canceled.abort());
  if (request.signal.aborted) canceled.abort();
  const lines = new TransformStream<Uint8Array, Uint8Array>();
  const writer = lines.writable.getWriter();
  let waiting = "";
  const flush = () => {
    const lines = waiting;
    waiting = "";
    if (lines !== "") writer.write(encoder.encode(lines)).catch(() => canceled.abort());
  };
  // Lines that are written at the same moment, such as those of all agencies at the start, are sent together.
  const write = (line: unknown) => {
    if (waiting === "") queueMicrotask(flush);
    waiting += `${JSON.stringify(line)}\n`;
  };
  const admitted = Promise.withResolvers<void>();
  const work = run({
    signal: canceled.signal,
    onProgress: (progress) => {
      admitted.resolve();
      write(progress);
    },
  });
  work.catch(admitted.reject);
  const ended = work
    .catch((error) => {
      if (!isAppError(error)) logError("a call that reports progress failed", error);
      const message = isAppError(error) ? error.message : input.failed;
      write({ type: "failed", message, request_id: requestId() });
    })
    .then(() => {
      flush();
      return writer.close();
    })
    .catch(() => canceled.abort());
  app.waitUntil(ended);
  try {
    await admitted.promise;
  } catch (error) {
    // No one reads the lines of work that was not admitted, and the runtime would treat an open stream as hanging work.
    void writer.abort().catch(() => {});
    throw error;
  }
  return new Response(lines.readable, {
    headers: { "content-type": "application/x-ndjson; charset=utf-8", "cache-control": "no-store" },
  });
}
