// The only code that calls a vendor over HTTP: only configured hosts, no redirects, limited sizes; every error becomes
// a ProviderFailure. Errors of fetch are not kept as causes: they may contain the URL, and Rekor's URL contains the
// key.

import type { SourceProgram } from "#app/entities/search/query.ts";
import { joined } from "#app/lib/buffers.ts";
import { imageIsWhole, imageTypeOf } from "#app/lib/images/type.ts";
import { parseJsonWithIds } from "#app/lib/json/parse.ts";
import { jsonShapeWatch } from "#app/lib/json/shape.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";
import { fullJitter, retryAfter, withRetry } from "#app/lib/retry.ts";
import { abortFailure, checkAborted, failure } from "./failures.ts";
import { isProviderFailure, type ProviderFailure, type ProviderImage } from "./provider.ts";

/** The largest response, in bytes, that is parsed as JSON. */
export const JSON_LIMIT = 16 * 1024 * 1024;
/** The largest image, in bytes, that is taken from a vendor. */
export const IMAGE_LIMIT = 10 * 1024 * 1024;

/** The longest pause, in milliseconds, that a vendor may ask for before a retry: a user waits for the search. */
const PATIENCE = 3000;

export type VendorCall = {
  /** Configured URL of the vendor; its host and path are kept exactly. */
  baseUrl: string;
  /** Path segments after the base, encoded here. */
  path: readonly string[];
  /** Whether the URL ends with a slash, which some servers require. */
  slash?: boolean;
  params?: Record<string, string>;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal;
};

export type VendorHttp = {
  /** Returns the parsed JSON of a response of at most JSON_LIMIT bytes. Retries once: the call must be idempotent. */
  json(call: VendorCall): Promise<unknown>;
  /** Returns an image of at most IMAGE_LIMIT bytes, with its type determined from the content. */
  image(call: VendorCall): Promise<ProviderImage>;
};

export type HttpOptions = {
  program: SourceProgram;
  allowLoopback: boolean;
  /** Hosts that may be called; every public host if not set. */
  hosts?: readonly string[] | undefined;
  /** Milliseconds since 1970, for Retry-After dates. */
  clock: () => number;
};

/** Returns guarded HTTP for one program. Both functions throw only ProviderFailure. */
export function createVendorHttp(options: HttpOptions): VendorHttp {
  const { program, clock } = options;
  const noAddress = `${program} has nothing at the requested address. Check the address of the integration.`;

  async function open(
    call: VendorCall,
    url: string,
    { accept, missing }: { accept: string; missing?: string },
  ): Promise<Response> {
    checkAborted(call.signal, program);
    let response: Response;
    try {
      response = await fetch(url, {
        method: call.method ?? "GET",
        headers: { accept, ...call.headers },
        body: call.body,
        redirect: "manual",
        cache: "no-store",
        signal: call.signal,
      });
    } catch {
      throw call.signal.aborted ? abortFailure(call.signal, program) : failure("unreachable", program);
    }
    const problem = statusProblem(response, { program, clock, missing });
    if (problem) {
      discard(response);
      throw problem;
    }
    return response;
  }

  async function readJson(call: VendorCall, url: string): Promise<unknown> {
    const response = await open(call, url, { accept: "application/json", missing: noAddress });
    const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    if (type !== "" && !/^(application|text)\/([\w.-]+\+)?json$/.test(type)) {
      discard(response);
      throw unreadable(program, `${program} answered with something other than data.`);
    }
    const bytes = await readAll(response, {
      program,
      limit: JSON_LIMIT,
      signal: call.signal,
      watch: jsonShapeWatch(),
    });
    const value = parseJsonWithIds(utf8(bytes) ?? "");
    if (value === undefined) throw unreadable(program);
    return value;
  }

  async function readImage(call: VendorCall, url: string): Promise<ProviderImage> {
    const response = await open(call, url, { accept: "image/jpeg, image/png, image/webp" });
    const bytes = await readAll(response, { program, limit: IMAGE_LIMIT, signal: call.signal });
    const type = imageTypeOf(bytes);
    if (!type) throw unreadable(program, `${program} gave something that is not an image.`);
    if (!imageIsWhole(bytes, type)) throw unreadable(program, `${program} gave only a part of the image.`);
    return { bytes, type };
  }

  async function twice<T>(
    call: VendorCall,
    attempt: (call: VendorCall, url: string) => Promise<T>,
  ): Promise<T> {
    const url = addressOf(call, options);
    return withRetry(() => attempt(call, url), { attempts: 2, delayAfter: pauseAfter, signal: call.signal });
  }

  return { json: (call) => twice(call, readJson), image: (call) => twice(call, readImage) };
}

const unreadable = (program: SourceProgram, words?: string) => failure("bad-answer", program, { words });

/** Returns the URL of a call. Throws ProviderFailure if the address or the path is not allowed. */
function addressOf(call: VendorCall, options: HttpOptions): string {
  const { program, allowLoopback, hosts } = options;
  const problem = publicAddressProblem(call.baseUrl, { allowLoopback, ...(hosts && { hosts }) });
  if (problem)
    throw failure("unreachable", program, { words: `The address set for ${program} is not allowed.` });
  const segments = call.path.map((segment) => {
    // A dot segment would leave the path, and encoding does not change dots.
    if (segment === "" || /^\.+$/.test(segment)) throw failure("missing", program);
    return encodeURIComponent(segment);
  });
  const query = new URLSearchParams(call.params).toString();
  return `${call.baseUrl.replace(/\/+$/, "")}/${segments.join("/")}${call.slash ? "/" : ""}${query === "" ? "" : `?${query}`}`;
}

/**
 * Returns the failure that a status means, or undefined. `missing` is the message for users if nothing is at the
 * address.
 */
function statusProblem(
  response: Response,
  { program, clock, missing }: Pick<HttpOptions, "program" | "clock"> & { missing?: string | undefined },
): ProviderFailure | undefined {
  const { status } = response;
  if (status >= 200 && status < 300) return undefined;
  if (status === 401 || status === 403) return failure("refused", program);
  if (status === 404 || status === 410) return failure("missing", program, { words: missing });
  if (status === 408) return failure("timeout", program);
  if (status === 429 || status >= 500) {
    const kind = status === 429 ? "rate-limited" : "server-error";
    const pause = retryAfter(response.headers.get("retry-after"), clock());
    return failure(kind, program, { retryAfter: pause });
  }
  if (status >= 400) return unreadable(program, `${program} did not accept the request.`);
  return unreadable(program, `${program} sent us to another address, which Odin does not follow.`);
}

/** `limit` is in bytes; after a chunk for which `watch` returns false, nothing more is read. */
type ReadOptions = {
  program: SourceProgram;
  limit: number;
  signal: AbortSignal;
  watch?: (chunk: Uint8Array) => boolean;
};

async function readAll(response: Response, options: ReadOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { program, limit, signal, watch } = options;
  const tooLarge = () => unreadable(program, `${program} gave an answer that is too large.`);
  if (Number(response.headers.get("content-length") ?? 0) > limit) {
    discard(response);
    throw tooLarge();
  }
  if (!response.body) return new Uint8Array(0);
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      checkAborted(signal, program);
      if (done) break;
      size += value.length;
      if (size > limit) throw tooLarge();
      if (watch && !watch(value)) throw unreadable(program);
      chunks.push(value);
    }
  } catch (error) {
    stop();
    if (isProviderFailure(error)) throw error;
    throw signal.aborted ? abortFailure(signal, program) : failure("unreachable", program);
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return joined(chunks);
}

/** Returns the milliseconds before the retry, or undefined if a retry would not help or would come too late. */
export function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (!isProviderFailure(error)) return undefined;
  if (error.kind !== "unreachable" && error.kind !== "server-error" && error.kind !== "rate-limited")
    return undefined;
  if ((error.retryAfter ?? 0) > PATIENCE) return undefined;
  return (error.retryAfter ?? 0) + fullJitter(attempt, { base: 400, cap: 1000 });
}

/** Closes a connection without reading the response. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}

function utf8(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
