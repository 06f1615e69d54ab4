// One call to a push service: only to the checked address, with a deadline, and with an outcome instead of an
// exception. Free text of a service is not stored: it may contain the device's address.

import { NO_ANSWER, type PushOutcome } from "#app/entities/alerts/push.ts";
import { readBytes } from "#app/lib/files/bodies.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { retryAfter } from "#app/lib/retry.ts";

const PATIENCE_MS = 5000;
const LONGEST_ANSWER = 4096;

export type PushAnswer = { status: number; reason: string; retryAfter: number | undefined };

/** Posts once. Returns undefined if there was no response: the service is unreachable or too slow. */
export async function postPush(
  url: string,
  init: { headers: Record<string, string>; body: string | Uint8Array<ArrayBuffer>; now: number },
): Promise<PushAnswer | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: init.headers,
      body: init.body,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return {
      status: response.status,
      reason: await reasonOf(response),
      retryAfter: retryAfter(response.headers.get("retry-after"), init.now),
    };
  } catch {
    return undefined;
  }
}

/** Returns Apple's reason code, such as `BadDeviceToken`, or "". */
async function reasonOf(response: Response): Promise<string> {
  if (response.ok) {
    await response.body?.cancel();
    return "";
  }
  const text = await readBytes(response, LONGEST_ANSWER).catch(() => new Uint8Array(0));
  const answer = parseJson(new TextDecoder().decode(text));
  const reason = typeof answer === "object" && answer && "reason" in answer ? answer.reason : undefined;
  return typeof reason === "string" && /^[A-Za-z]{1,60}$/.test(reason) ? reason : "";
}

/** Returns the outcome of statuses that all push services share; undefined for service-specific ones. */
export function commonOutcome(answer: PushAnswer | undefined): PushOutcome | undefined {
  if (!answer) return { kind: "later", reason: NO_ANSWER };
  const { status, reason, retryAfter } = answer;
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === 410) return { kind: "gone", reason: reason || "Unregistered" };
  if (status === 429 || status === 408 || status >= 500) {
    const later = { kind: "later", reason: reason || `Status ${status}` } as const;
    return retryAfter === undefined ? later : { ...later, retryAfter };
  }
  return undefined;
}
