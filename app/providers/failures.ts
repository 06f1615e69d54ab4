// Messages for users when a camera program fails. They never contain text from the vendor, an address or a key: a
// vendor's error page may repeat the request, which contains the key.

import type { SourceProgram } from "#app/entities/search/query.ts";
import { type FailureKind, ProviderFailure } from "./provider.ts";

const WORDS: Record<FailureKind, (program: SourceProgram) => string> = {
  timeout: (program) => `${program} did not answer in time.`,
  unreachable: (program) => `${program} could not be reached.`,
  refused: (program) => `${program} refused the agency's credentials.`,
  "rate-limited": (program) => `${program} is limiting requests. Try again later.`,
  "server-error": (program) => `${program} reported an error of its own.`,
  "bad-answer": (program) => `${program} gave an answer that could not be read.`,
  missing: (program) => `${program} no longer holds this image.`,
  incomplete: (program) => `${program} could not search everything.`,
  cancelled: () => "The request was canceled.",
};

/** Returns a failure of a kind, with the kind's message unless `words` is given. */
export function failure(
  kind: FailureKind,
  program: SourceProgram,
  options: { words?: string; retryAfter?: number; cause?: unknown } = {},
): ProviderFailure {
  const { words, ...rest } = options;
  return new ProviderFailure(kind, words ?? WORDS[kind](program), rest);
}

/** Returns the failure of an aborted signal: a passed deadline, or a cancellation. */
export function abortFailure(signal: AbortSignal, program: SourceProgram): ProviderFailure {
  const reason: unknown = signal.reason;
  const late = reason instanceof Error && reason.name === "TimeoutError";
  return failure(late ? "timeout" : "cancelled", program);
}

/** Throws the failure of a signal if it was aborted. */
export function checkAborted(signal: AbortSignal, program: SourceProgram): void {
  if (signal.aborted) throw abortFailure(signal, program);
}
