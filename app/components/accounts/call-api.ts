import { sessionHasEnded } from "#app/components/accounts/session/end.ts";
import { askForStepUp } from "./step-up.ts";

/** An answer of our server that was no success; its message is for the user. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(typeof body.msg === "string" ? body.msg : "");
    this.name = "ApiError";
    this.status = status;
    this.code = typeof body.code === "string" ? body.code : "";
    this.body = body;
  }
}

export type ApiCall = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON; a FormData as it is. */
  body?: unknown;
};

/**
 * Calls our server and gives its JSON. Where the call is a privileged one and the sign-in was some time ago, the user
 * is asked to confirm who they are and the call is made again. Throws ApiError for an answer that is no success,
 * TypeError where there was no answer.
 */
export async function callApi<T = Record<string, unknown>>(path: string, call: ApiCall = {}): Promise<T> {
  for (;;) {
    const response = await send(path, call);
    const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    if (response.ok) return body as T;
    if (response.status === 401) sessionHasEnded();
    const error = new ApiError(response.status, body);
    if (error.code !== "step_up_required" || !(await askForStepUp())) throw error;
  }
}

function send(path: string, { method = "GET", body }: ApiCall): Promise<Response> {
  const isForm = body instanceof FormData;
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined && !isForm) headers["content-type"] = "application/json";
  return fetch(path, {
    method,
    headers,
    body: body === undefined ? null : isForm ? body : JSON.stringify(body),
  });
}

/** What to tell the user about a failed call: the server's words, or the screen's own. */
export function problemOf(error: unknown, fallback: string): string {
  return (error instanceof ApiError && error.message) || fallback;
}

/** Whether a call ended because the user did not want to confirm who they are: nothing to report. */
export function wasDeclined(error: unknown): boolean {
  return error instanceof ApiError && error.code === "step_up_required";
}
