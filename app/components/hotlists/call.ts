import { sessionHasEnded } from "#app/components/accounts/session/end.ts";
import { askForStepUp } from "#app/components/accounts/step-up.ts";

/**
 * What a call of ours answered: the value, or the words of what went wrong and its status. Words are empty where the
 * user did not want to confirm who they are: they know.
 */
export type Answered<T> = { ok: true; value: T } | { ok: false; message: string; status: number };

/**
 * Calls an endpoint of ours. `failed` is said where nobody answered, or in no words. Where the call is a privileged
 * one and the sign-in was some time ago, the user is asked to confirm who they are and the call is made again.
 */
export async function call<T>(
  path: string,
  init: {
    method?: string;
    json?: unknown;
    body?: BodyInit;
    background?: boolean;
    failed: string;
    signal?: AbortSignal;
  },
): Promise<Answered<T>> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (init.json !== undefined) headers["content-type"] = "application/json";
  if (init.background) headers["odin-background"] = "1";
  let response: Response;
  try {
    response = await fetch(path, {
      method: init.method ?? (init.json === undefined && init.body === undefined ? "GET" : "POST"),
      headers,
      body: init.json === undefined ? init.body : JSON.stringify(init.json),
      signal: init.signal,
    });
  } catch {
    return { ok: false, message: init.failed, status: 0 };
  }
  const value = (await response.json().catch(() => undefined)) as T & { message?: unknown; code?: unknown };
  if (response.ok && value !== undefined) return { ok: true, value };
  // What polls has a watch beside it that knows the time, or none, as a page that anybody may read.
  if (response.status === 401 && !init.background) sessionHasEnded();
  if (value?.code === "step_up_required") {
    if (await askForStepUp()) return call<T>(path, init);
    return { ok: false, message: "", status: response.status };
  }
  const words = typeof value?.message === "string" ? value.message : init.failed;
  return { ok: false, message: words, status: response.status };
}

/** A key that marks one save, so that sending it twice saves once. */
export function saveKey(): string {
  return crypto.randomUUID();
}
