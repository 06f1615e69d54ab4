// One post to the receiver of an outgoing webhook: only to an allowed address, which is checked at every use, without
// redirects, with a deadline for the whole answer, and with an outcome instead of an exception. Errors of fetch are not
// kept: they may contain the address, which may contain a secret.

import {
  type PostToReceiver,
  RECEIVER_DEADLINE_MS,
  type ReceiverAnswer,
} from "#app/entities/integrations/outgoing-webhooks.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";
import { retryAfter } from "#app/lib/retry.ts";

export type ReceiverOptions = {
  allowLoopback: boolean;
  hosts: readonly string[];
  clock: () => number;
  /** How long the whole answer may take, in milliseconds. */
  deadlineMs?: number;
};

/** Returns the function that posts to receivers. */
export function createReceiverPost({
  allowLoopback,
  hosts,
  clock,
  deadlineMs = RECEIVER_DEADLINE_MS,
}: ReceiverOptions): PostToReceiver {
  return async ({ url, headers, body, readMost }) => {
    const problem = publicAddressProblem(url, {
      allowLoopback,
      hosts,
      setting: "WEBHOOK_HOSTS",
      query: true,
    });
    if (problem) return { kind: "forbidden", reason: problem };
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": "Odin-Webhooks/1", ...headers },
        body,
        redirect: "manual",
        signal,
      });
      return {
        kind: "answered",
        status: response.status,
        retryAfterMs: retryAfter(response.headers.get("retry-after"), clock()),
        text: await beginningOf(response, { bytes: readMost, signal }),
      };
    } catch {
      return unanswered(signal);
    }
  };
}

function unanswered(signal: AbortSignal): ReceiverAnswer {
  const reason = signal.aborted ? "No answer in time" : "Could not be reached";
  return { kind: "unanswered", reason };
}

/** Returns the beginning of a body as text. The rest is not read. */
async function beginningOf(
  response: Response,
  { bytes, signal }: { bytes: number; signal: AbortSignal },
): Promise<string> {
  const { body } = response;
  if (!body) return "";
  if (bytes === 0) {
    void body.cancel().catch(() => {});
    return "";
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop);
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let left = bytes; left > 0; ) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.length;
    }
  } catch {
    // The status is known; a body that breaks off does not change it.
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
  return text;
}
